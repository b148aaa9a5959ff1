// SPDX-License-Identifier: Apache-2.0
// Transactions: the check and the append are one (L3), and nothing is handed out before it is
// durable and, when due, witnessed (L1, L2, L6).
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "ledger/ledger.h"

namespace discreet::ledger {

/// To be asked before any lock: a forked child may have inherited it in any state.
Result<void> Ledger::check_process() const {
  if (process_.is_here()) return {};
  return Error{Code::kRefused,
               "this ledger was opened by the parent process; open it again after a fork"};
}

Error Ledger::stopped(const Error& error) {
  return {error.code,
          "the ledger stopped after an error; open it again. The error was: " + error.message};
}

Result<void> Ledger::check_alive() const {
  if (dead_) return stopped(*dead_);
  return {};
}

Result<void> Ledger::check_writable() const {
  DISCREET_TRY(check_alive());
  if (!key_) return Error{Code::kRefused, "the ledger was opened for looking only"};
  if (witness_fault_) return *witness_fault_;
  return {};
}

Error Ledger::die(const Error& error) {
  store_->rollback();
  dead_ = error;
  const std::lock_guard lock(shown_mutex_);
  shown_dead_ = error;
  return error;
}

void Ledger::show() {
  const std::lock_guard lock(shown_mutex_);
  if (shown_.next() == state_.next()) return;
  const bool has_all =
      !unshown_.empty() && unshown_.size() < kUnshown && unshown_.front().sequence == shown_.next();
  if (has_all) {
    for (const Record& record : unshown_) DISCREET_CHECK(shown_.apply(record).has_value());
  } else {
    shown_ = state_;
  }
  unshown_.clear();
}

Result<void> Ledger::look(const std::function<Result<void>()>& work) {
  DISCREET_TRY(check_process());
  std::unique_lock lock(mutex_, std::defer_lock);
  if (!lock.try_lock_for(std::chrono::milliseconds(world_.look_ms))) {
    return Error{Code::kStorage, "the ledger is being written for too long; ask again later"};
  }
  return look_locked(work);
}

Result<void> Ledger::look_locked(const std::function<Result<void>()>& work) {
  DISCREET_TRY(check_alive());
  if (writer_waits_ && !reader_) {
    DISCREET_ASSIGN(reader_, open_view());
  }
  struct Swapped {
    explicit Swapped(Ledger& of) : ledger(of) { swap(); }
    ~Swapped() { swap(); }
    void swap() const {
      if (ledger.writer_waits_) std::swap(ledger.store_, ledger.reader_);
    }
    Ledger& ledger;
  };
  const Swapped swapped(*this);
  DISCREET_TRY(store_->begin_read());
  Result<void> done = catch_up();
  if (!done && (done.error().code == Code::kCorrupt || done.error().code == Code::kUnsupported)) {
    return die(done.error());
  }
  if (done) done = work();
  store_->rollback();
  return done;
}

Result<void> Ledger::commit(const std::function<Result<void>()>& work, bool may_repeat) {
  DISCREET_TRY(check_process());
  CommitQueue::Work item;
  item.run = work;
  item.may_repeat = may_repeat;
  queue_.submit(item);
  return std::move(item.result);
}

void Ledger::commit_batch(const std::vector<CommitQueue::Work*>& works) {
  const std::lock_guard writing(writing_);
  // Before the lock, since somebody may hold the witness.
  std::optional<Result<std::optional<Head>>> kept;
  if (is_optimistic_) kept = witness_->read();
  std::unique_lock lock(mutex_);
  Result<void> done = check_writable();
  if (done) {
    try {
      done = run_batch(works, kept, lock);
    } catch (...) {
      // What the state knows and what the store holds may differ now: nothing is believed any more.
      die({Code::kStorage, "there was not enough memory"});
      throw;
    }
  }
  if (done) return;
  // Refusals too: they may rest on what is not there now, or was told to nobody.
  for (CommitQueue::Work* work : works) work->result = done.error();
}

Result<bool> Ledger::try_batch(const std::vector<CommitQueue::Work*>& works,
                               const std::optional<Result<std::optional<Head>>>& kept_then,
                               std::unique_lock<std::timed_mutex>& lock) {
  if (batches_alone_ < kLookFirst) return false;
  for (const CommitQueue::Work* work : works) {
    if (!work->may_repeat) return false;
  }
  const Sequence before = state_.next();
  is_optimistic_ = store_->begin_optimistic(state_.hash());
  if (!is_optimistic_) return false;
  state_.try_payments();
  index_.try_records();
  const auto give_up = [this] {
    store_->rollback();
    state_.undo();
    index_.undo();
    unshown_.clear();
    return false;
  };
  batch_time_ = next_time();
  if (!batch_time_) return give_up();
  owner_wrote_ = false;
  for (CommitQueue::Work* work : works) {
    work->result = work->run();
    // A refusal may be of yesterday, and a record that is not to be had is asked for in earnest.
    if (!std::exchange(work->result, Result<void>()) || broken_) {
      broken_.reset();
      return give_up();
    }
  }
  if (state_.next() == before) return give_up();
  // Another copy of this ledger shows now, or, under the witness's lock, when it is moved.
  const bool is_due = witness_is_due();
  if (is_due) {
    const bool is_known = kept_then && *kept_then && **kept_then && witnessed_;
    if (!is_known || ***kept_then != *witnessed_) return give_up();
  }
  const bool looks = is_due || batches_alone_ < kTrust || batches_trusted_ >= kTrust;
  std::optional<Head> next;  // signed, not shown to anybody before it is true
  const Result<bool> kept =
      store_->commit_if_valid(looks ? std::optional(looked_) : std::nullopt, [&] {
        if (is_due) next = head();
      });
  if (!kept) return die(kept.error());
  if (!*kept) return give_up();
  state_.keep();
  index_.keep();
  show();
  batches_alone_ = std::min(batches_alone_ + 1, kTrust);
  batches_trusted_ = looks ? 0 : batches_trusted_ + 1;
  if (looks) looked_ = state_.sequence();
  if (is_due) DISCREET_TRY(move_witness(*next, lock));
  return true;
}

/// As long as it lives mutex_ is free, and whoever looks has another connection.
struct Ledger::Waits {
  explicit Waits(Ledger& of, std::unique_lock<std::timed_mutex>& held) : ledger(of), lock(held) {
    ledger.writer_waits_ = true;
    lock.unlock();
  }
  ~Waits() {
    lock.lock();
    ledger.writer_waits_ = false;
  }
  Ledger& ledger;
  std::unique_lock<std::timed_mutex>& lock;
};

Result<void> Ledger::begin_batch(const std::vector<CommitQueue::Work*>& works,
                                 std::unique_lock<std::timed_mutex>& lock,
                                 std::optional<Result<std::optional<Head>>>& kept) {
  Store& store = *store_;
  Witness& witness = *witness_;
  // A work has few payments; if the witness is due all the same, it is read when that is known.
  const bool reads = state_.charges() - charges_then_ + 4 * works.size() >= terms_.witness_every;
  kept.reset();
  const Waits waits(*this, lock);
  DISCREET_TRY(store.begin_write());
  if (reads) kept = witness.read();
  return {};
}

Result<void> Ledger::give_batch_up(const Error& error) {
  store_->rollback();
  {
    const std::lock_guard lock(shown_mutex_);
    state_ = shown_;
  }
  unshown_.clear();
  index_.undo();
  return error;
}

Result<void> Ledger::run_batch(const std::vector<CommitQueue::Work*>& works,
                               std::optional<Result<std::optional<Head>>>& kept,
                               std::unique_lock<std::timed_mutex>& lock) {
  DISCREET_ASSIGN(const bool is_done, try_batch(works, kept, lock));
  if (is_done) return {};
  DISCREET_TRY(begin_batch(works, lock, kept));
  if (dead_) {  // meanwhile, by who looked
    store_->rollback();
    return check_alive();
  }
  const Sequence known_before = state_.next();
  if (const Result<void> known = catch_up(); !known) {
    const Code code = known.error().code;
    if (code == Code::kCorrupt || code == Code::kUnsupported) return die(known.error());
    store_->rollback();
    return known;
  }
  const Sequence first = state_.next();
  batches_alone_ = first > known_before ? 0 : std::min(batches_alone_ + 1, kTrust);
  batch_time_ = next_time();
  (void)batch_time_.has_value();  // a failure matters only to those who append
  owner_wrote_ = false;
  index_.try_records();
  for (CommitQueue::Work* work : works) {
    work->result = work->run();
    // The state has records now that the store has not.
    if (broken_) return die(*broken_);
  }
  if (state_.next() == first) {
    store_->rollback();
    index_.keep();
    return {};
  }
  const bool is_due = witness_is_due();
  if (is_due) {
    if (const Result<void> sound = check_witness(kept ? *kept : witness_->read()); !sound) {
      if (sound.error().code == Code::kStorage) return give_batch_up(sound.error());
      return die(sound.error());
    }
  }
  if (const Result<void> done = store_->commit(); !done) return die(done.error());
  index_.keep();
  show();
  looked_ = state_.sequence();
  return is_due ? move_witness(head(), lock) : Result<void>();
}

/// Behind a commit. Where somebody else has the witness for too long, nobody is told of what was
/// committed, and the ledger stops: as after a crash at this point (L6c), whoever opens it next moves
/// the witness first.
Result<void> Ledger::move_witness(const Head& next, std::unique_lock<std::timed_mutex>& lock) {
  struct LetsGo {
    Witness* witness;
    ~LetsGo() { witness->let_go(); }
  } const lets_go{witness_.get()};
  // What others append in the meantime is not under this head.
  const std::uint64_t charges = state_.charges();
  const std::int64_t time_ms = state_.time_ms();
  Result<bool> is_ours = true;
  {
    const Waits waits(*this, lock);
    is_ours = witness_->hold();
  }
  DISCREET_TRY(check_alive());
  if (!is_ours) return die(is_ours.error());
  if (!*is_ours) {
    return die({Code::kStorage, "another process holds the witness " + witness_->name() +
                                    "; what was being written stands, and a charge has no answer "
                                    "yet. When that has ended open the ledger again, and look at "
                                    "`discreet ledger history` before you repeat what the owner "
                                    "wrote"});
  }
  if (const Result<void> moved = advance_witness(next, charges, time_ms); !moved) {
    return die(moved.error());
  }
  return {};
}

Result<void> Ledger::catch_up() {
  const Sequence known = state_.sequence();
  Sequence next = looked_;
  const auto gone = [&] {
    return Error{Code::kCorrupt, "record " + std::to_string(next) +
                                     " is gone: the ledger was rolled back while it was open; "
                                     "restore the newest copy of it"};
  };
  DISCREET_TRY(store_->records_from(looked_, [&](const Record& record) -> Result<void> {
    if (next > known) {
      if (unshown_.size() < kUnshown) unshown_.push_back(record);
      return fold(record);
    }
    if (record.sequence != next) return gone();
    if (next++ < known || record.hash == state_.hash()) return {};
    return Error{Code::kCorrupt, "record " + std::to_string(known) +
                                     " was changed while the ledger was open; restore the newest "
                                     "copy of it"};
  }));
  if (next <= known) return gone();
  looked_ = state_.sequence();
  show();
  batches_trusted_ = 0;
  return {};
}

Result<void> Ledger::append(Record record) {
  record.time_ms = batch_time_.value();
  record.writer = writer_;
  // The state is asked first: what it does not accept must not get into the history.
  Result<void> done;
  if (is_signed(record.kind)) {
    record.sequence = state_.next();
    record.hash = chain(state_.hash(), record);
    record.signature = key_->sign(bytes_of(record.hash));
    owner_wrote_ = true;
    done = state_.apply(record);
  } else {
    done = state_.extend(record);
  }
  if (done) {
    index_.add(record);
    if (unshown_.size() < kUnshown) unshown_.push_back(record);
    done = store_->append(std::move(record));
  }
  if (!done) broken_ = done.error();
  return done;
}

Result<void> Ledger::fold(const Record& record) {
  DISCREET_TRY(state_.apply(record));
  index_.add(record);
  const int since = facts_of(record.kind).since;
  if (since <= format_) return {};
  DISCREET_ASSIGN(format_, store_->format());  // it may have been upgraded meanwhile
  if (since <= format_) return {};
  return Error{Code::kCorrupt, "record " + std::to_string(record.sequence) + " (" +
                                   std::string(to_string(record.kind)) +
                                   ") cannot be in a ledger of format " + std::to_string(format_) +
                                   ": the version was changed; restore the newest copy"};
}

Result<std::int64_t> Ledger::next_time() const {
  const std::int64_t now = world_.clock();
  const std::int64_t last = state_.time_ms();
  if (now >= last) return now;
  std::int64_t behind = 0;
  if (!__builtin_sub_overflow(last, now, &behind) && behind <= kClockSlackMs) return last;
  return Error{
      Code::kStorage,
      "the clock says " + to_utc(now) + ", but the last record was written at " + to_utc(last) +
          "; set the clock right, or accept it with `discreet ledger clock --reason TEXT`"};
}

}  // namespace discreet::ledger
