// SPDX-License-Identifier: Apache-2.0
#include "ledger/commit_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <new>
#include <thread>
#include <vector>

namespace discreet::ledger::commit_queue_test {
namespace {

TEST(CommitQueue, LeavesNobodyWaitingWhenABatchThrows) {
  std::atomic<int> batches{0};
  CommitQueue queue([&](const std::vector<CommitQueue::Work*>& batch) {
    if (++batches % 2 == 1) throw std::bad_alloc();
    for (CommitQueue::Work* work : batch) work->result = work->run();
  });
  std::atomic<int> failed{0};
  std::atomic<int> done{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        CommitQueue::Work work;
        work.run = [] { return Result<void>{}; };
        queue.submit(work);
        ++(work.result.has_value() ? done : failed);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();  // would wait for ever otherwise
  EXPECT_EQ(done + failed, 400);
  EXPECT_GT(failed.load(), 0);
  EXPECT_GT(done.load(), 0);
}

TEST(CommitQueue, FailsEveryWorkOfABatchThatThrew) {
  CommitQueue queue([](const std::vector<CommitQueue::Work*>&) { throw std::bad_alloc(); });
  CommitQueue::Work work;
  work.run = [] { return Result<void>{}; };
  queue.submit(work);
  ASSERT_FALSE(work.result.has_value());
  EXPECT_EQ(work.result.error().code, Code::kStorage);
}

}  // namespace
}  // namespace discreet::ledger::commit_queue_test
