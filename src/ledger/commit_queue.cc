// SPDX-License-Identifier: Apache-2.0
#include "ledger/commit_queue.h"

#include <algorithm>
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

}  // namespace

void CommitQueue::submit(Work& work) {
  // All memory that leading takes is there before anybody can wait for this thread: what throws,
  // throws here, and nobody is left waiting.
  std::vector<Work*> batch;
  batch.reserve(kBatchMax);
  std::unique_lock lock(mutex_);
  waiting_.push_back(&work);
  if (std::exchange(has_leader_, true)) {
    lock.unlock();
    work.bell->wait();
    if (work.done) return;
    lock.lock();
  }

  const std::size_t size = std::min(waiting_.size(), kBatchMax);
  const auto end = waiting_.begin() + static_cast<std::ptrdiff_t>(size);
  batch.assign(waiting_.begin(), end);
  waiting_.erase(waiting_.begin(), end);
  lock.unlock();
  // A library may throw (memory ran out). The leader must not leave with the followers waiting.
  try {
    run_batch_(batch);
  } catch (...) {
    for (Work* each : batch) fail(each->result);
  }
  // A follower may be gone as soon as its bell rings, and its work with it.
  for (Work* follower : batch) {
    if (follower == &work) continue;
    const std::shared_ptr<Bell> bell = follower->bell;
    follower->done = true;
    bell->ring();
  }
  lock.lock();
  has_leader_ = !waiting_.empty();
  if (!has_leader_) return;
  const std::shared_ptr<Bell> bell = waiting_.front()->bell;
  lock.unlock();
  bell->ring();
}

}  // namespace discreet::ledger
