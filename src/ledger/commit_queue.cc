// SPDX-License-Identifier: Apache-2.0
#include "ledger/commit_queue.h"

#include <algorithm>
#include <utility>

namespace discreet::ledger {

void CommitQueue::submit(Work& work) {
  std::unique_lock lock(mutex_);
  waiting_.push_back(&work);
  if (has_leader_) work.wake.wait(lock, [&] { return work.done || work.leads; });
  if (work.done) return;

  has_leader_ = true;
  const std::size_t size = std::min(waiting_.size(), kBatchMax);
  const auto end = waiting_.begin() + static_cast<std::ptrdiff_t>(size);
  const std::vector<Work*> batch(waiting_.begin(), end);
  waiting_.erase(waiting_.begin(), end);
  lock.unlock();
  // A library may throw (memory ran out). The leader must not leave with the followers waiting.
  try {
    run_batch_(batch);
  } catch (...) {
    for (Work* each : batch) {
      each->result = Error{Code::kStorage,
                           "the ledger could not write; what was charged stays charged. Open it "
                           "again"};
    }
  }
  lock.lock();

  // A follower may be gone as soon as it is woken, so it is woken under the lock and then not
  // touched any more.
  for (Work* follower : batch) {
    follower->done = true;
    if (follower != &work) follower->wake.notify_one();
  }
  has_leader_ = !waiting_.empty();
  if (has_leader_) {
    waiting_.front()->leads = true;
    waiting_.front()->wake.notify_one();
  }
}

}  // namespace discreet::ledger
