// SPDX-License-Identifier: Apache-2.0
// The tutorial's commands work as they are printed: each box that is not marked slow is run, line
// by line, in one folder.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "cli/process_for_tests.h"

namespace discreet::cli {
namespace {

struct Box {
  bool slow = false;
  std::vector<std::string> lines;
};

std::vector<Box> boxes() {
  std::ifstream in(std::string(DISCREET_SOURCE_DIR) + "/docs/tutorial.md");
  std::vector<Box> out;
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("```")) {
      if (!inside) out.push_back({line == "```sh slow", {}});
      inside = !inside;
      continue;
    }
    if (inside) out.back().lines.push_back(line);
  }
  return out;
}

TEST(Tutorial, EveryQuickCommandWorks) {
  std::string pattern = testing::TempDir() + "/discreet-tutorial-XXXXXX";
  const std::string folder = mkdtemp(pattern.data());
  int ran = 0;
  int slow = 0;
  for (const Box& box : boxes()) {
    for (const std::string& line : box.lines) {
      if (box.slow) {
        ++slow;
        continue;
      }
      const Finished run =
          shell("cd '" + folder + "'; discreet() { \"$D\" \"$@\"; }; set -o pipefail; " + line);
      EXPECT_EQ(run.status, 0) << line << "\n" << run.err;
      ++ran;
    }
  }
  std::filesystem::remove_all(folder);
  EXPECT_GE(ran, 25);
  EXPECT_GE(slow, 5);
}

}  // namespace
}  // namespace discreet::cli
