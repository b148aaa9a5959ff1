// SPDX-License-Identifier: Apache-2.0
// Some of the moments at which a daily question may be killed; `./dev soak daily` goes through all.
#include <gtest/gtest.h>

#include "cli/daily_trial_for_tests.h"

namespace discreet::cli {
namespace {

constexpr int kTried = 6;  // of each command

TEST(DailyKilled, KeepsWhatWasPaidAndReleased) {
  DailyTrial trial(::testing::TempDir() + "daily_killed_" + std::to_string(::getpid()));
  const int registering = trial.moments("register");
  ASSERT_GT(registering, kTried);
  for (int i = 0; i < kTried; ++i) {
    const int nth = 1 + i * registering / kTried;
    for (const std::string& wrong : trial.register_killed_at(nth)) ADD_FAILURE() << nth << wrong;
  }
  // From the end: that is where a step's own files are changed.
  const int stepping = trial.step_moments();
  ASSERT_GT(stepping, kTried);
  bool caught = false;
  for (int i = 0; i < kTried; ++i) {
    const int nth = stepping - i * 3;
    for (const std::string& wrong : trial.step_killed_at(nth)) ADD_FAILURE() << nth << wrong;
    caught = caught || !trial.step_killed_at(nth, true).empty();
  }
  EXPECT_TRUE(caught) << "noise that was thrown away did not show";
}

}  // namespace
}  // namespace discreet::cli
