// SPDX-License-Identifier: Apache-2.0
// A handful of real kills; `./dev soak ledger` does a hundred.
#include <gtest/gtest.h>

#include <cstdio>

#include "ledger/crash_kill_for_tests.h"
#include "ledger/ledger_for_tests.h"

namespace discreet::ledger::crash_kill_test {
namespace {

TEST(Kill, NothingThatAKilledProcessSentIsLost) {
  for (const std::uint64_t seed : {1, 2}) {
    const Scratch scratch;
    KillTrial trial(seed, fixture::place_in(scratch, "ledger"));
    for (const int processes : {1, 2}) {
      for (const std::string& wrong : trial.kill(processes)) ADD_FAILURE() << wrong;
    }
    EXPECT_EQ(trial.kills(), 3U);
    EXPECT_GT(trial.sent(), 0U);
    std::printf("kills: 3, answers sent: %d\n", static_cast<int>(trial.sent()));
  }
}

}  // namespace
}  // namespace discreet::ledger::crash_kill_test
