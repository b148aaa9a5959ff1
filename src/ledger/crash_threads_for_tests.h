// SPDX-License-Identifier: Apache-2.0
// One trial with threads that share commits: several ask at once, the power goes off at a chosen
// operation, and the oracle judges. Who shares a commit with whom is up to the machine, so a point
// is not repeatable; what the oracle holds against the ledger is true in every interleaving.
#pragma once

#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "ledger/crash_trial_for_tests.h"

namespace discreet::ledger {

class ThreadTrial {
 public:
  explicit ThreadTrial(const Point& point)
      : point_(point), disk_(point.script + point.fault.at), vfs_(disk_) {
    witness_ = start_of(point.script % 2 == 0 ? 3 : 1).copy_to(scratch_);
  }

  Verdict run() {
    Verdict verdict;
    oracle_.allow_races();
    disk_.plan(point_.fault);
    if (auto opened = open()) {
      Ledger& ledger = **opened;
      std::vector<std::thread> threads;
      for (int i = 0; i < kThreads; ++i) {
        threads.emplace_back([this, i, &ledger] { ask_all(ledger, i); });
      }
      for (std::thread& thread : threads) thread.join();
      disk_.kill();
    }
    verdict.has_struck = disk_.operations() >= point_.fault.at;
    witness_.power_cut(disk_, point_.survival);
    disk_.power_cut(point_.survival);
    const auto ledger = open();
    if (!ledger) {
      verdict.complaints.push_back("it cannot be opened: " + ledger.error().message);
    } else {
      verdict.complaints = oracle_.complaints(*ledger.value());
    }
    verdict.sent = oracle_.all_sent().size();
    return verdict;
  }

 private:
  static constexpr int kThreads = 5;
  static constexpr int kAsks = 4;

  Result<std::unique_ptr<Ledger>> open() {
    return Ledger::open({.path = scratch_ / "ledger",
                         .key = scratch_ / "key",
                         .witness = scratch_ / "witness",
                         .world = world_on(disk_, vfs_, witness_)});
  }

  void ask_all(Ledger& ledger, int thread) {
    for (int i = 0; i < kAsks; ++i) {
      const std::string id = std::to_string(thread) + "-" + std::to_string(i);
      // Half of the questions are asked by several.
      const Ask ask{id, thread % 2 == 0 ? "ann" : "bob", i % 2 == 0 ? i : 10 * thread + i};
      auto outcome = ledger.charge(ask.charge(), ask.question());
      if (!outcome) {
        const std::lock_guard lock(mutex_);
        if (outcome.error().code != Code::kBudget) oracle_.may_have_charged(ask);
        continue;
      }
      if (const Answer* const answer = std::get_if<Answer>(&outcome.value())) {
        const std::lock_guard lock(mutex_);
        oracle_.repeated(ask, answer->bytes());
        continue;
      }
      {
        const std::lock_guard lock(mutex_);
        oracle_.drew(ask);
      }
      const auto answer = ledger.store(std::get<Paid>(std::move(*outcome)), "noise of " + id);
      const std::lock_guard lock(mutex_);
      if (answer) oracle_.sent(ask, answer->bytes());
    }
  }

  const Point point_;
  const Scratch scratch_{Scratch::Place::kMemory};
  FaultDisk disk_;
  FaultVfs vfs_;
  WitnessOnDisk witness_;
  std::mutex mutex_;
  Oracle oracle_;
};

}  // namespace discreet::ledger
