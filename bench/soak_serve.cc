// SPDX-License-Identifier: Apache-2.0
// The long crash test of the server: the real program, killed with SIGKILL at fresh moments while
// analysts ask. Whatever a client saw must be charged, and the same when it is asked for again.
//
//   ./dev soak serve [KILLS [SEED]]      100 kills
#include <cstdio>
#include <cstdlib>

#include "base/clock.h"
#include "cli/serve_for_tests.h"

namespace discreet::cli {
namespace {

int run(std::uint64_t kills, std::uint64_t seed) {
  constexpr std::uint64_t kSettleEvery = 10;
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  std::uint64_t violations = 0;
  std::uint64_t answered = 0;
  std::uint64_t asked = 0;
  std::uint64_t done = 0;
  while (done < kills) {
    std::string folder = "build/soak-serve-XXXXXX";
    DISCREET_CHECK(mkdtemp(folder.data()) != nullptr);
    ServeKillTrial trial("build/bin/discreet", folder);
    const auto complain = [&](const std::vector<std::string>& complaints) {
      violations += complaints.size();
      for (const std::string& text : complaints) std::printf("VIOLATION: %s\n", text.c_str());
    };
    for (std::uint64_t i = 0; i < kSettleEvery && done < kills; ++i, ++done) {
      seed = seed * 6364136223846793005 + 1442695040888963407;
      complain(trial.kill_after(std::chrono::microseconds(5'000 + (seed >> 33) % 500'000)));
    }
    complain(trial.settle());
    answered += trial.answered();
    asked += trial.asked();
    std::filesystem::remove_all(folder);
    std::printf("%llu kills, %llu questions, %llu answers seen, %llu violations\n",
                static_cast<unsigned long long>(done), static_cast<unsigned long long>(asked),
                static_cast<unsigned long long>(answered),
                static_cast<unsigned long long>(violations));
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
  return discreet::cli::run(number(1, 100), number(2, now % 1000000));
}
