// SPDX-License-Identifier: Apache-2.0
// What can be seen of a ledger: balances, the history, and whether all of it holds.
#include <utility>

#include "ledger/ledger.h"
#include "ledger/store_place.h"
#include "ledger/use.h"

namespace discreet::ledger {
namespace {

constexpr std::uint64_t kProgressEvery = 50'000;
constexpr std::size_t kViewsKept = 2;

Error wrong_answer(const Record& answer, const std::string& what) {
  return {Code::kCorrupt, "record " + std::to_string(answer.sequence) + " (answer) " + what +
                              "; restore the newest copy of the ledger"};
}

}  // namespace

Result<State> Ledger::state() {
  DISCREET_TRY(check_process());
  // Whoever has it looks, or writes what is not to be shown before it is committed.
  if (const std::unique_lock lock(mutex_, std::try_to_lock); lock) {
    DISCREET_TRY(look_locked([] { return Result<void>(); }));
  }
  const std::lock_guard lock(shown_mutex_);
  if (shown_dead_) return stopped(*shown_dead_);
  return shown_;
}

Result<std::unique_ptr<Store>> Ledger::open_view() const {
  return open_store({.path = path_,
                     .mode = StoreMode::kRead,
                     .vfs = world_.sqlite_vfs,
                     .busy_ms = world_.look_ms});
}

Result<void> Ledger::view(const std::function<Result<void>(Store&)>& work) {
  DISCREET_ASSIGN(const State known, state());
  std::unique_ptr<Store> store;
  {
    const std::lock_guard lock(shown_mutex_);
    if (!views_.empty()) {
      store = std::move(views_.back());
      views_.pop_back();
    }
  }
  if (!store) {
    DISCREET_ASSIGN(store, open_view());
  }
  DISCREET_TRY(store->begin_read());
  const auto check = [&]() -> Result<void> {
    DISCREET_ASSIGN(const std::optional<Record> last, store->record(known.sequence()));
    if (last && last->hash == known.hash()) return {};
    return Error{Code::kCorrupt, "record " + std::to_string(known.sequence()) +
                                     " is gone or was changed while the ledger was open; restore "
                                     "the newest copy of it"};
  };
  Result<void> done = check();
  if (done) done = work(*store);
  store->rollback();
  if (!done) return done;  // the next one opens a new one
  const std::lock_guard lock(shown_mutex_);
  if (views_.size() < kViewsKept) views_.push_back(std::move(store));
  return {};
}

Result<void> Ledger::history(const Store::Visit& visit) {
  return view([&](Store& store) { return store.records_from(0, visit); });
}

Result<Verified> Ledger::verify(const Progress& progress) {
  Verified verified;
  const auto work = [&](Store& store) -> Result<void> {
    State again;
    DISCREET_ASSIGN(verified, verify_into(store, again, progress));
    return {};
  };
  DISCREET_TRY(view(work));
  return verified;
}

Result<Verified> Ledger::verify_into(Store& store, State& again, const Progress& progress) {
  Verified verified;
  const auto check_answer = [&](const Record& answer) -> Result<void> {
    DISCREET_ASSIGN(const auto charge, store.record(answer.about));
    if (!charge || charge->kind != Kind::kCharge || charge->units != answer.units ||
        charge->analyst != answer.analyst || charge->question != answer.question ||
        charge->snapshot != answer.snapshot) {
      return wrong_answer(answer, "belongs to no charge");
    }
    DISCREET_TRY(bytes_of_answer(store, answer));
    ++verified.answers;
    return {};
  };
  // What a share leads to, and what hands it over (L12).
  const auto check_share = [&](const Record& record) -> Result<void> {
    const bool gives = record.kind == Kind::kCharge && record.about != 0;
    if (record.kind != Kind::kShare && !gives) return {};
    DISCREET_ASSIGN(const auto other, store.record(record.about));
    const auto use = parse_use(record.request_id);
    const bool is_sound =
        gives ? other && other->kind == Kind::kShare && other->analyst == record.analyst &&
                    other->units == record.units && record.price == Price() && use &&
                    use->kind == UseKind::kAnswer && use->of == record.about
              : other && (other->kind == Kind::kCharge || other->kind == Kind::kShare) &&
                    other->units == record.units && other->plan == record.plan &&
                    other->price == record.price;
    if (is_sound) return {};
    return Error{Code::kCorrupt, "record " + std::to_string(record.sequence) + " (" +
                                     std::string(to_string(record.kind)) +
                                     ") belongs to no purchase; restore the newest copy of the "
                                     "ledger"};
  };
  const auto check = [&](const Record& record) -> Result<void> {
    DISCREET_TRY(again.apply(record));
    if (record.kind == Kind::kAnswer) DISCREET_TRY(check_answer(record));
    DISCREET_TRY(check_share(record));
    if (is_signed(record.kind)) ++verified.signatures;
    ++verified.records;
    if (progress && verified.records % kProgressEvery == 0) progress(verified.records);
    return {};
  };
  DISCREET_TRY(store.records_from(0, check));
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
