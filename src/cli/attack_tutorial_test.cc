// SPDX-License-Identifier: Apache-2.0
// The tutorial's commands work as they are printed: each box that is not marked slow is run.
// `./dev soak tutorial` runs all of them.
#include <gtest/gtest.h>

#include "cli/process_for_tests.h"

namespace discreet::cli::attack_tutorial_test {
namespace {

TEST(Tutorial, EveryQuickCommandWorks) {
  const std::string script = std::string(DISCREET_SOURCE_DIR) + "/examples/tutorial.sh";
  const Finished run = shell("'" + script + "' \"$D\"");
  EXPECT_EQ(run.status, 0) << run.out << run.err;
  const std::size_t at = run.out.find(" boxes, all of them work");
  ASSERT_NE(at, std::string::npos) << run.out;
  EXPECT_GE(std::stoi(run.out.substr(run.out.rfind('\n', at) + 1)), 15);
  EXPECT_EQ(run.out.find(".slow"), std::string::npos);
}

}  // namespace
}  // namespace discreet::cli::attack_tutorial_test
