// SPDX-License-Identifier: Apache-2.0
// Two worlds: what one analyst is shown while others act, and while nobody does, over HTTP and
// PostgreSQL's protocol, byte for byte and tick for tick (src/server/api/worlds_for_tests.h).
//
//   ./dev soak worlds [INTERLEAVINGS [SEED]]      5,000
//
// Each script of the analyst's is played once alone and twenty times among others; a third of them
// over PostgreSQL's protocol too. Three quarters have reserved caps; where namespaces close, a
// quarter has shared ones, which are compared up to the closing, and looked at behind it.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>

#include "base/clock.h"
#include "server/api/worlds_script_for_tests.h"

namespace discreet::server::api::worlds {
namespace {

constexpr std::uint64_t kOthersPerScript = 20;
constexpr std::uint64_t kShown = 20;  // differences that are printed

int run(std::uint64_t interleavings, std::uint64_t seed) {
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  Ground ground;
  const auto start = std::chrono::steady_clock::now();
  std::set<std::string> asked;
  std::uint64_t bytes = 0;
  std::uint64_t differences = 0;
  std::uint64_t closings = 0;
  Told alone;
  Script script;
  for (std::uint64_t i = 0; i < interleavings; ++i) {
    const std::uint64_t group = i / kOthersPerScript;
    const Rules rules{.is_shared = group % 4 == 3, .has_postgres = group % 3 == 0};
    if (i % kOthersPerScript == 0) {
      script = draw_script(seed * 1'000'003 + group, rules);
      alone = play(ground, rules, script);
    }
    const std::uint64_t own = seed * 1'000'003 + 500'009 + i;
    const Told among = play(ground, rules, script, draw_others(own, script.size(), rules));
    asked.insert(among.routes.begin(), among.routes.end());
    bytes += among.bytes;
    closings += among.closed_at == kNever ? 0 : 1;
    const std::string found = difference(alone, among) + among.complaint;
    if (!found.empty() && ++differences <= kShown) {
      std::printf("DIFFERENCE, script %llu, others %llu, %s caps: %s\n",
                  static_cast<unsigned long long>(seed * 1'000'003 + group),
                  static_cast<unsigned long long>(own), rules.is_shared ? "shared" : "reserved",
                  found.c_str());
    }
    if ((i + 1) % 100 == 0 || i + 1 == interleavings) {
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
      std::printf(
          "%llu interleavings in %.0f s, %llu bytes compared, %zu of %zu routes asked, %llu "
          "closings, %llu differences\n",
          static_cast<unsigned long long>(i + 1), took.count(),
          static_cast<unsigned long long>(bytes), asked.size(), routes().size(),
          static_cast<unsigned long long>(closings), static_cast<unsigned long long>(differences));
    }
  }
  return differences == 0 && !testing::Test::HasFailure() ? 0 : 1;
}

}  // namespace
}  // namespace discreet::server::api::worlds

int main(int count, char** words) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  testing::InitGoogleTest();
  const auto number = [&](int place, std::uint64_t otherwise) {
    return count > place ? std::strtoull(words[place], nullptr, 10) : otherwise;
  };
  const auto now = static_cast<std::uint64_t>(discreet::system_time_ms());
  return discreet::server::api::worlds::run(number(1, 5000), number(2, now % 1000000));
}
