// SPDX-License-Identifier: Apache-2.0
// The crash tests: every operation of a script of questions is a place for a
// power cut, a full disk, a failed write and a failed sync. `./dev soak ledger`
// tries more scripts.
#include <gtest/gtest.h>

#include <cstdio>

#include "ledger/crash_threads_for_tests.h"
#include "ledger/crash_trial_for_tests.h"

namespace discreet::ledger::crash_test {
namespace {

void expect_none(const Point& point, const Verdict& verdict) {
  EXPECT_TRUE(verdict.complaints.empty())
      << point.name() << ": " << (verdict.complaints.empty() ? "" : verdict.complaints.front());
}

TEST(Crash, AScriptWithoutAFaultGoesThrough) {
  for (const std::uint64_t script : {1, 2, 3, 4, 5}) {
    const Point point{.script = script};
    const Verdict verdict = Trial(point).run();
    expect_none(point, verdict);
    EXPECT_FALSE(verdict.has_struck);
    EXPECT_GE(verdict.sent, 5U);
  }
}

int try_all(std::uint64_t script, const Point& model, std::uint64_t step) {
  int points = 0;
  for (std::uint64_t at = 1;; at += step) {
    Point point = model;
    point.script = script;
    point.fault.at = at;
    const Verdict verdict = Trial(point).run();
    expect_none(point, verdict);
    if (!verdict.has_struck || testing::Test::HasFailure()) break;
    ++points;
  }
  return points;
}

TEST(Crash, NothingThatWasSentIsLostWhereverThePowerGoesOff) {
  int points = 0;
  for (const Survival survival : {Survival::kNothing, Survival::kSomeSectors}) {
    points += try_all(1, {.fault = {Fault::kCrash}, .survival = survival}, 1);
  }
  for (const Survival survival : {Survival::kEverything, Survival::kSomeWrites}) {
    points += try_all(1, {.fault = {Fault::kCrash}, .survival = survival}, 2);
  }
  std::printf("power cuts: %d points\n", points);
  EXPECT_GE(points, 200);
}

TEST(Crash, NorWhenThePowerGoesOffAgainDuringTheRecovery) {
  int points = 0;
  for (std::uint64_t again = 1; again <= 16; again += 5) {
    points += try_all(
        2, {.fault = {Fault::kCrash}, .crash_again = again, .survival = Survival::kSomeSectors}, 5);
  }
  std::printf("power cuts twice: %d points\n", points);
  EXPECT_GE(points, 40);
}

TEST(Crash, NorOnAFullDiskOrAfterAFailedWrite) {
  int points = 0;
  for (const bool is_killed : {false, true}) {
    for (const Fault fault : {Fault::kFull, Fault::kWriteError}) {
      points += try_all(1, {.fault = {fault}, .is_killed = is_killed}, 2);
    }
  }
  std::printf("full disks and failed writes: %d points\n", points);
  EXPECT_GE(points, 100);
}

TEST(Crash, NorAfterAFailedSyncWithAndWithoutAPowerCutSoonAfter) {
  int points = 0;
  for (const std::uint64_t again : {0, 2, 5, 9, 14}) {
    for (const bool is_killed : {false, true}) {
      points +=
          try_all(1, {.fault = {Fault::kSyncError}, .crash_again = again, .is_killed = is_killed},
                  again == 0 ? 3 : 8);
    }
  }
  std::printf("failed syncs: %d points\n", points);
  EXPECT_GE(points, 100);
}

TEST(Crash, NorWhenThreadsShareACommit) {
  int points = 0;
  std::uint64_t sent = 0;
  for (const Survival survival : {Survival::kNothing, Survival::kSomeSectors}) {
    for (std::uint64_t at = 1;; at += 6, ++points) {
      const Point point{.script = at / 6, .fault = {Fault::kCrash, at}, .survival = survival};
      const Verdict verdict = ThreadTrial(point).run();
      expect_none(point, verdict);
      sent += verdict.sent;
      if (!verdict.has_struck || HasFailure()) break;
    }
  }
  std::printf("power cuts with threads: %d points\n", points);
  EXPECT_GE(points, 20);
  EXPECT_GT(sent, 0U);
}

// Nothing can have been charged to a ledger whose creation was not reported as done; it is whole,
// or refused in words.
TEST(Crash, ACreationThatIsCutShortIsWholeOrRefused) {
  int points = 0;
  int refused = 0;
  for (const Survival survival : {Survival::kNothing, Survival::kSomeSectors}) {
    for (std::uint64_t at = 1, last = 0; last == 0; ++at, ++points) {
      const Scratch scratch(Scratch::Place::kMemory);
      FaultDisk disk(at);
      const FaultVfs vfs(disk);
      WitnessOnDisk witness;
      disk.plan({Fault::kCrash, at});
      const World world = world_on(disk, vfs, witness);
      bool is_created = false;
      bool is_named = false;
      {
        const auto created = Ledger::create({.path = scratch / "ledger",
                                             .key = scratch / "key",
                                             .witness = scratch / "witness",
                                             .world = world});
        is_created = created.has_value();
        is_named = is_created && created.value()->add_namespace(patients()).has_value();
      }
      if (!disk.has_struck()) last = at;
      witness.power_cut(disk, survival);
      disk.power_cut(survival);
      const auto opened = Ledger::open({.path = scratch / "ledger",
                                        .key = scratch / "key",
                                        .witness = scratch / "witness",
                                        .world = world});
      if (!opened) {
        ++refused;
        EXPECT_FALSE(is_created) << at << ": " << opened.error().message;
        EXPECT_FALSE(opened.error().message.empty());
        continue;
      }
      EXPECT_TRUE(!is_named || opened.value()->state()->find("patients").has_value()) << at;
    }
  }
  std::printf("creations: %d points, %d refused\n", points, refused);
  EXPECT_GE(points, 30);
  EXPECT_GE(refused, 5);
}

}  // namespace
}  // namespace discreet::ledger::crash_test
