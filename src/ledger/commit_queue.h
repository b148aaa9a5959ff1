// SPDX-License-Identifier: Apache-2.0
// Group commit: threads that want to write join a batch; the first of it, the leader, does the work
// of all in one transaction, so that they share one sync of the disk.
//
// Order is that of arrival. While a leader works, new arrivals gather in the next batch, whose
// leader waits for that moment. A thread that is alone leads at once. Threads that were served
// together tend to come back together: so a leader waits for as many as were served before it, but
// no longer than an eighth of the time that serving them took, and never more than a millisecond.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "base/result.h"

namespace discreet::ledger {

class CommitQueue {
 public:
  struct Work {
    std::function<Result<void>()> run;
    bool may_repeat = false;  ///< whether `run` may be called again after it was undone
    Result<void> result = {};
  };
  /// Fills in every result, in the thread of the leader; never called twice at once. If it throws,
  /// every work of the batch fails with kStorage and the queue goes on.
  using RunBatch = std::function<void(const std::vector<Work*>&)>;

  explicit CommitQueue(RunBatch run_batch) : run_batch_(std::move(run_batch)) {}

  /// Returns when the work is done.
  void submit(Work& work);

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t kBatchMax = 256;
  static constexpr Clock::duration kPatienceMax = std::chrono::milliseconds(1);

  /// Outlives its leader, for the followers that have yet to see that it is done.
  struct Batch {
    std::vector<Work*> works;
    std::shared_ptr<Batch> before;  // nothing once its leader has waited for it
    enum Progress : int { kRuns, kIsAwaited, kIsDone };
    std::atomic<int> progress = kRuns;  // once it is done nobody but their threads uses the works

    void wait();
    /// A batch that nobody waits for wakes nobody.
    void end();
  };
  void lead(Batch& batch);
  void gather(Batch& batch);

  const RunBatch run_batch_;
  std::mutex mutex_;  // guards all below, and the works of a batch that is open
  std::condition_variable has_enough_;
  std::shared_ptr<Batch> newest_;  // it may be done
  bool is_open_ = false;           // whether the newest one takes more
  std::size_t enough_ = 1;         // how many the last batch had
  Clock::duration patience_ = {};
};

}  // namespace discreet::ledger
