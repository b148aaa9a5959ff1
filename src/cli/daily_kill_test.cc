// SPDX-License-Identifier: Apache-2.0
// Some of the moments at which a daily question may be killed; `./dev soak daily` goes through all.
#include <gtest/gtest.h>

#include "cli/daily_trial_for_tests.h"

namespace discreet::cli::daily_kill_test {
namespace {

TEST(DailyKilled, KeepsWhatWasPaidAndReleased) {
  DailyTrial trial(::testing::TempDir() + "daily_killed_" + std::to_string(::getpid()));
  // From the end: that is where a command's own files are changed.
  const int registering = trial.moments("register");
  ASSERT_GT(registering, 20);
  for (const std::string& wrong : trial.register_killed_at(registering - 5)) {
    ADD_FAILURE() << wrong;
  }
  const int stepping = trial.step_moments();
  ASSERT_GT(stepping, 20);
  for (const std::string& wrong : trial.step_killed_at(stepping - 8)) ADD_FAILURE() << wrong;
  EXPECT_FALSE(trial.step_killed_at(stepping - 8, true).empty())
      << "noise that was thrown away did not show";
}

}  // namespace
}  // namespace discreet::cli::daily_kill_test
