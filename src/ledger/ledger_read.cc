// SPDX-License-Identifier: Apache-2.0
// What can be seen of a ledger: balances, the history, and whether all of it holds.
#include <utility>

#include "ledger/ledger.h"

namespace discreet::ledger {
namespace {

constexpr std::uint64_t kProgressEvery = 50'000;

Error wrong_answer(const Record& answer, const std::string& what) {
  return {Code::kCorrupt, "record " + std::to_string(answer.sequence) + " (answer) " + what +
                              "; restore the newest copy of the ledger"};
}

}  // namespace

Result<State> Ledger::state() {
  std::optional<State> copy;
  const auto work = [&]() -> Result<void> {
    copy = state_;
    return {};
  };
  DISCREET_TRY(look(work));
  return *std::move(copy);
}

Result<void> Ledger::history(const Store::Visit& visit) {
  return look([&] { return store_->records_from(0, visit); });
}

Result<Verified> Ledger::verify(const Progress& progress) {
  Verified verified;
  const auto work = [&]() -> Result<void> {
    State again;
    DISCREET_ASSIGN(verified, verify_into(again, progress));
    return {};
  };
  DISCREET_TRY(look(work));
  return verified;
}

Result<Verified> Ledger::verify_into(State& again, const Progress& progress) {
  Verified verified;
  const auto check_answer = [&](const Record& answer) -> Result<void> {
    DISCREET_ASSIGN(const auto charge, store_->record(answer.about));
    if (!charge || charge->kind != Kind::kCharge || charge->units != answer.units ||
        charge->analyst != answer.analyst || charge->question != answer.question ||
        charge->snapshot != answer.snapshot) {
      return wrong_answer(answer, "belongs to no charge");
    }
    DISCREET_TRY(bytes_of_answer(answer));
    ++verified.answers;
    return {};
  };
  const auto check = [&](const Record& record) -> Result<void> {
    DISCREET_TRY(again.apply(record));
    if (record.kind == Kind::kAnswer) DISCREET_TRY(check_answer(record));
    if (is_signed(record.kind)) ++verified.signatures;
    ++verified.records;
    if (progress && verified.records % kProgressEvery == 0) progress(verified.records);
    return {};
  };
  DISCREET_TRY(store_->records_from(0, check));
  return verified;
}

Result<Head> Ledger::signed_head() {
  std::optional<Head> signed_one;
  const auto work = [&]() -> Result<void> {
    if (!key_) return check_writable();
    signed_one = head();
    return {};
  };
  DISCREET_TRY(look(work));
  return *std::move(signed_one);
}

std::string Ledger::fresh_request_id() {
  // A hash, so that an analyst who sees some of them cannot count the others'.
  const Hash hash = sha256("a fresh request of this ledger\n" + std::to_string(writer_) + "\n" +
                           std::to_string(fresh_ids_++));
  return "request-" + to_hex(bytes_of(hash)).substr(0, 32);
}

}  // namespace discreet::ledger
