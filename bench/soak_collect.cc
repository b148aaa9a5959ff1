// SPDX-License-Identifier: Apache-2.0
// The long crash test of the collector: the real program, killed with SIGKILL at fresh moments
// while clients send to it. Nothing acknowledged may be lost, nothing counted twice.
//
//   ./dev soak collect [KILLS [SEED]]      200 kills
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "base/clock.h"
#include "cli/collect_kill_for_tests.h"

namespace discreet::cli {
namespace {

int run(std::uint64_t kills, std::uint64_t seed) {
  constexpr std::uint64_t kSettleEvery = 20;  // then everything is sent again and accounted for
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  std::uint64_t violations = 0;
  std::uint64_t acknowledged = 0;
  std::uint64_t torn = 0;
  std::uint64_t done = 0;
  while (done < kills) {
    std::string folder = "build/soak-collect-XXXXXX";
    DISCREET_CHECK(mkdtemp(folder.data()) != nullptr);
    CollectKillTrial trial("build/bin/discreet", folder);
    const auto complain = [&](const std::vector<std::string>& complaints) {
      violations += complaints.size();
      for (const std::string& text : complaints) std::printf("VIOLATION: %s\n", text.c_str());
    };
    for (std::uint64_t i = 0; i < kSettleEvery && done < kills; ++i, ++done) {
      seed = seed * 6364136223846793005 + 1442695040888963407;
      complain(trial.kill_after(std::chrono::microseconds(1'000 + (seed >> 33) % 120'000)));
    }
    complain(trial.settle());
    acknowledged += trial.acknowledged();
    torn += trial.torn();
    std::filesystem::remove_all(folder);
    std::printf("%llu kills, %llu reports acknowledged, %llu torn writes, %llu violations\n",
                static_cast<unsigned long long>(done),
                static_cast<unsigned long long>(acknowledged),
                static_cast<unsigned long long>(torn), static_cast<unsigned long long>(violations));
  }
  return violations == 0 ? 0 : 1;
}

}  // namespace
}  // namespace discreet::cli

int main(int count, char** words) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const auto number = [&](int place, std::uint64_t otherwise) {
    return count > place ? std::strtoull(words[place], nullptr, 10) : otherwise;
  };
  const auto now = static_cast<std::uint64_t>(discreet::system_time_ms());
  return discreet::cli::run(number(1, 200), number(2, now % 1000000));
}
