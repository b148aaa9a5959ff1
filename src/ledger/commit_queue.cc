// SPDX-License-Identifier: Apache-2.0
#include "ledger/commit_queue.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <utility>

namespace discreet::ledger {
namespace {

/// Never throws: when there is no memory for the words, a few letters that need none must do.
void fail(Result<void>& result) noexcept {
  try {
    result = Error{Code::kStorage,
                   "the ledger could not write; what was charged stays charged. Open it again"};
  } catch (...) {
    result = Error{Code::kStorage, "out of memory"};
  }
}

// What std::atomic::wait() would do, but that yields the processor a few times before it sleeps,
// which costs more than sleeping when many wait.
void futex(std::atomic<int>& word, int operation, int value) {
  static_assert(sizeof(word) == sizeof(int));
  syscall(SYS_futex, &word, operation, value, nullptr, nullptr, 0);
}

}  // namespace

void CommitQueue::Batch::wait() {
  for (int seen = kRuns; seen != kIsDone; seen = progress) {
    if (seen == kRuns && !progress.compare_exchange_strong(seen, kIsAwaited)) continue;
    futex(progress, FUTEX_WAIT_PRIVATE, kIsAwaited);
  }
}

void CommitQueue::Batch::end() {
  if (progress.exchange(kIsDone) == kIsAwaited) futex(progress, FUTEX_WAKE_PRIVATE, INT_MAX);
}

void CommitQueue::submit(Work& work) {
  std::unique_lock lock(mutex_);
  const bool leads = !is_open_;
  if (leads) {
    // What throws for want of memory throws before anybody can wait for this thread: here, and
    // where a follower adds its own work.
    auto batch = std::make_shared<Batch>();
    batch->works.reserve(8);
    batch->before = std::exchange(newest_, batch);
    is_open_ = true;
  }
  const std::shared_ptr<Batch> batch = newest_;
  batch->works.push_back(&work);
  if (batch->works.size() == kBatchMax) is_open_ = false;
  if (batch->works.size() == enough_) has_enough_.notify_one();
  lock.unlock();
  if (leads) {
    lead(*batch);
  } else {
    batch->wait();
  }
}

void CommitQueue::lead(Batch& batch) {
  if (batch.before) {
    batch.before->wait();
    batch.before.reset();
  }
  gather(batch);
  const Clock::time_point begun = Clock::now();
  // A library may throw (memory ran out). The leader must not leave with the followers waiting.
  try {
    run_batch_(batch.works);
  } catch (...) {
    for (Work* each : batch.works) fail(each->result);
  }
  {
    const std::lock_guard lock(mutex_);
    enough_ = batch.works.size();
    patience_ = std::min(kPatienceMax, (Clock::now() - begun) / 8);
  }
  batch.end();
}

void CommitQueue::gather(Batch& batch) {
  std::unique_lock lock(mutex_);
  if (enough_ > 1) {
    has_enough_.wait_for(lock, patience_, [&] { return batch.works.size() >= enough_; });
  }
  if (newest_.get() == &batch) is_open_ = false;
}

}  // namespace discreet::ledger
