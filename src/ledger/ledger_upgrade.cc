// SPDX-License-Identifier: Apache-2.0
// A ledger of an older format becomes one of this program's: one transaction, a signed record, a
// copy, and not a bit more budget (ledger.md, "Upgrades").
#include <utility>

#include "base/files.h"
#include "base/version.h"
#include "ledger/ledger.h"
#include "ledger/no_more_budget.h"
#include "ledger/store_place.h"

namespace discreet::ledger {
namespace {

Error named(const Opened& opened, const Error& error) {
  return {error.code, "ledger " + path_in_quotes(shown(opened.path)) + ": " + error.message};
}

/// Behind the commit.
Error upgraded_but(const Upgraded& done, const Error& error) {
  const std::string_view again =
      error.code == Code::kStorage ? ". Make the witness writable and run it again" : "";
  return {error.code, "the ledger was upgraded to format " + std::to_string(done.to) +
                          ", but its witness could not be moved: " + error.message +
                          std::string(again)};
}

/// Whether it could be moved: what it has seen is given to it again, which changes nothing.
Result<void> check_can_move(Witness& witness) {
  DISCREET_ASSIGN(const std::optional<Head> kept, witness.read());
  return kept ? witness.advance(*kept) : Result<void>();
}

}  // namespace

Result<Upgraded> Ledger::upgrade(const Opened& opened, const Progress& progress) {
  Opened wanted = opened;
  wanted.access = Access::kUse;  // the key, and a witness that vouches for it
  DISCREET_ASSIGN(const auto ledger, open_as(wanted, StoreMode::kAnyFormat));
  const std::lock_guard lock(ledger->mutex_);
  Result<Upgraded> done = ledger->convert(progress);
  if (!done) return named(opened, done.error());
  return done;
}

Result<Upgraded> Ledger::convert(const Progress& progress) {
  Upgraded out;
  DISCREET_TRY(store_->begin_write());
  if (const Result<void> done = convert_in_transaction(out, progress); !done) {
    return die(done.error());
  }
  if (!out.is_needed()) {
    store_->rollback();
    return out;
  }
  if (const Result<void> kept = store_->commit(); !kept) return die(kept.error());
  show();
  looked_ = state_.sequence();
  const Result<void> moved = advance_witness(head());
  if (!moved) return die(upgraded_but(out, moved.error()));
  return out;
}

/// Nothing of it is committed if it fails. From here on nobody else writes, so what is verified is
/// what is converted; and of several at once the others find that nothing is to be done.
Result<void> Ledger::convert_in_transaction(Upgraded& out, const Progress& progress) {
  DISCREET_ASSIGN(out.from, store_->format());
  DISCREET_TRY(catch_up());
  if (!out.is_needed()) return {};
  DISCREET_TRY(check_witness());
  DISCREET_TRY(store_->check_sound());
  State before;
  DISCREET_ASSIGN(out.verified, verify_into(*store_, before, progress));
  batch_time_ = next_time();
  if (!batch_time_) return batch_time_.error();
  DISCREET_TRY(check_can_move(*witness_));
  DISCREET_ASSIGN(out.copy, store_->keep_copy(terms_.id));
  Record record;
  record.kind = Kind::kUpgraded;
  record.detail = to_detail(UpgradeTerms{.from = out.from, .to = out.to, .program = kVersion});
  DISCREET_TRY(append(std::move(record)));
  out.record = state_.sequence();
  DISCREET_TRY(store_->convert());
  State after;
  DISCREET_TRY(verify_into(*store_, after, {}));
  return check_no_more_budget(before, after);
}

Result<Upgraded> Ledger::check_upgrade(const Opened& opened, const Progress& progress) {
  Opened wanted = opened;
  wanted.access = Access::kLook;  // changes nothing
  DISCREET_ASSIGN(const auto ledger, open(wanted));
  if (ledger->witness_fault_) return named(opened, *ledger->witness_fault_);
  if (const Result<void> loaded = ledger->load_key(); !loaded) {
    return named(opened, loaded.error());
  }
  ledger->key_.reset();  // it was there, and is not needed to look
  Upgraded out;
  const auto work = [&]() -> Result<void> {
    DISCREET_ASSIGN(out.from, ledger->store_->format());
    if (!out.is_needed()) return {};
    DISCREET_TRY(ledger->store_->check_sound());
    State again;
    DISCREET_ASSIGN(out.verified, ledger->verify_into(*ledger->store_, again, progress));
    out.record = again.next();
    DISCREET_TRY(ledger->next_time());
    DISCREET_TRY(check_can_move(*ledger->witness_));
    DISCREET_ASSIGN(out.copy, ledger->store_->place_of_copy(ledger->terms_.id));
    return {};
  };
  if (const Result<void> looked = ledger->look(work); !looked) return named(opened, looked.error());
  return out;
}

}  // namespace discreet::ledger
