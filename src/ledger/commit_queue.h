// SPDX-License-Identifier: Apache-2.0
// Group commit: threads that want to write wait in a queue; one of them, the leader, does the work
// of all that wait in one transaction, so that they share one sync of the disk.
//
// Order is that of arrival. While a leader works, new arrivals gather for the next batch. A thread
// that is alone leads at once, at the price of one uncontended lock. A leader wakes its followers
// before it lets the next one lead, so that those who come back at once share the next batch.
#pragma once

#include <semaphore.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "base/result.h"

namespace discreet::ledger {

class CommitQueue {
  /// Outlives the thread that waits for it, which may be gone before whoever wakes it is back.
  class Bell {
   public:
    Bell() { sem_init(&semaphore_, 0, 0); }
    Bell(const Bell&) = delete;
    Bell& operator=(const Bell&) = delete;
    ~Bell() { sem_destroy(&semaphore_); }
    void ring() { sem_post(&semaphore_); }
    void wait() {
      while (sem_wait(&semaphore_) != 0) {
      }  // a signal woke it
    }

   private:
    sem_t semaphore_;
  };

 public:
  struct Work {
    std::function<Result<void>()> run;
    bool may_repeat = false;  ///< whether `run` may be called again after it was undone
    Result<void> result = {};

   private:
    friend class CommitQueue;
    const std::shared_ptr<Bell> bell = std::make_shared<Bell>();
    bool done = false;  // when the bell rings; else it leads
  };
  /// Fills in every result, in the thread of the leader; never called twice at once. If it throws,
  /// every work of the batch fails with kStorage and the queue goes on.
  using RunBatch = std::function<void(const std::vector<Work*>&)>;

  explicit CommitQueue(RunBatch run_batch) : run_batch_(std::move(run_batch)) {}

  /// Returns when the work is done.
  void submit(Work& work);

 private:
  static constexpr std::size_t kBatchMax = 256;

  const RunBatch run_batch_;
  std::mutex mutex_;
  bool has_leader_ = false;
  std::vector<Work*> waiting_;
};

}  // namespace discreet::ledger
