// SPDX-License-Identifier: Apache-2.0
// A daily question killed with SIGKILL before every single call that changes a file: its
// registration and a step. Prints what was tried; fails when something that was paid or released
// is lost or changed.
#include <cstdio>

#include "cli/daily_trial_for_tests.h"

int main() {
  using discreet::cli::DailyTrial;
  DailyTrial trial("build/bench/daily");
  int wrongs = 0;
  int caught = 0;
  const auto tell = [&](const char* what, int nth, const DailyTrial::Wrongs& found) {
    for (const std::string& wrong : found) {
      std::printf("%s, killed before change %d: %s\n", what, nth, wrong.c_str());
      ++wrongs;
    }
  };
  const int registering = trial.moments("register");
  for (int n = 1; n <= registering; ++n) tell("register", n, trial.register_killed_at(n));
  const int stepping = trial.step_moments();
  for (int n = 1; n <= stepping; ++n) {
    tell("step", n, trial.step_killed_at(n));
    caught += trial.step_killed_at(n, true).empty() ? 0 : 1;
  }
  std::printf(
      "register: %d moments, %d had to be paid again; step: %d moments; noise thrown away "
      "on purpose was noticed at %d of them; %d violations\n",
      registering, trial.paid_twice(), stepping, caught, wrongs);
  return wrongs == 0 && caught > 0 ? 0 : 1;
}
