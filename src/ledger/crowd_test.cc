// SPDX-License-Identifier: Apache-2.0
// Many at once: a cap for ten admits exactly ten, whoever they are and however they come.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <iostream>
#include <thread>

#include "ledger/ledger_for_tests.h"

namespace discreet::ledger::crowd_test {
namespace {

using namespace fixture;
using fixture::Ask;

constexpr int kCrowd = 64;
constexpr int kPlaces = 10;

/// A cap for ten charges of a tenth.
NamespaceTerms for_ten() {
  return {.name = "patients", .cap = price("1"), .analysts = {{"ann", price("2")}}};
}

Ask number(int i) {
  const std::string n = std::to_string(i);
  return {.id = n, .key = n, .lines = {line("0.1")}};
}

TEST(Crowd, OfSixtyFourProcessesExactlyTenSucceed) {
  Home home;
  home.create(for_ten()).reset();
  std::vector<pid_t> children;
  for (int i = 0; i < kCrowd; ++i) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      auto ledger = home.try_open();
      if (!ledger) {
        std::cerr << ledger.error().message << '\n';
        _exit(3);
      }
      const auto answer = ask_and_store(**ledger, number(i), "answer");
      ledger->reset();
      _exit(answer ? 0 : (answer.error().code == Code::kBudget ? 1 : 2));
    }
    children.push_back(child);
  }
  std::vector<int> outcomes(4);
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status));
    ++outcomes.at(static_cast<std::size_t>(WEXITSTATUS(status)));
  }
  EXPECT_EQ(outcomes, (std::vector<int>{kPlaces, kCrowd - kPlaces, 0, 0}));
  EXPECT_EQ(spent(*home.open()), "1 1");
  EXPECT_TRUE(home.open()->verify());
}

TEST(Crowd, OfSixtyFourThreadsOnTwoHandlesExactlyTenSucceed) {
  Home home;
  auto one = home.create(for_ten());
  auto two = home.open();
  std::atomic<int> answered = 0;
  std::atomic<int> refused = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < kCrowd; ++i) {
    threads.emplace_back([&, i] {
      const auto answer = ask_and_store(i % 2 == 0 ? *one : *two, number(i), "answer");
      if (answer) ++answered;
      if (!answer && answer.error().code == Code::kBudget) ++refused;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(answered, kPlaces);
  EXPECT_EQ(refused, kCrowd - kPlaces);
  EXPECT_EQ(spent(*one), "1 1");
  EXPECT_EQ(spent(*two), "1 1");
}

TEST(Crowd, ThreadsThatAskTheSameGetTheSameBytes) {
  Home home;
  auto ledger = home.create({.name = "patients",
                             .cap = price("1000"),
                             .analysts = {{"ann", price("1000")}, {"press", price("1000")}}});
  std::mutex mutex;
  std::vector<std::string> seen;
  std::vector<std::thread> threads;
  for (int i = 0; i < 16; ++i) {
    threads.emplace_back([&, i] {
      for (int n = 0; n < 20; ++n) {
        const auto answer = ask_and_store(*ledger,
                                          {.analyst = i % 2 == 0 ? "ann" : "press",
                                           .id = "i" + std::to_string(i),
                                           .key = "everybody's question"},
                                          "drawn by " + std::to_string(i));
        ASSERT_TRUE(answer) << answer.error().message;
        const std::lock_guard lock(mutex);
        seen.push_back(answer->bytes());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(std::count(seen.begin(), seen.end(), seen[0]), 16 * 20);
}

TEST(CommitQueue, RunsEveryWorkOnceAndGathersThoseThatWait) {
  std::atomic<int> batches = 0;
  std::atomic<int> running = 0;
  CommitQueue queue([&](const std::vector<CommitQueue::Work*>& works) {
    EXPECT_EQ(++running, 1);
    ++batches;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // so that others gather
    for (CommitQueue::Work* work : works) work->result = work->run();
    --running;
  });
  std::atomic<int> done = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 16; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 25; ++n) {
        CommitQueue::Work work;
        work.run = [&]() -> Result<void> {
          ++done;
          return Error{Code::kBudget, std::to_string(n)};
        };
        queue.submit(work);
        EXPECT_EQ(work.result.error().message, std::to_string(n));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(done, 16 * 25);
  EXPECT_LT(batches, 16 * 25);
}

}  // namespace
}  // namespace discreet::ledger::crowd_test
