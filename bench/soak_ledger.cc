// SPDX-License-Identifier: Apache-2.0
// The long crash test of the ledger: scripts that the default tests do not try, a fault of every
// kind at every operation, and real processes killed with SIGKILL. Fresh scripts in every run; the
// first one is printed, and a failed point names its own.
//
//   ./dev soak ledger [POINTS [KILLS [FIRST_SCRIPT]]]      10,000 points, 100 kills
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/clock.h"
#include "ledger/crash_kill_for_tests.h"
#include "ledger/crash_threads_for_tests.h"
#include "ledger/crash_trial_for_tests.h"

namespace discreet::ledger {
namespace {

struct Counts {
  std::uint64_t points = 0;
  std::uint64_t of_kind[5] = {};
  std::uint64_t with_threads = 0;
  std::uint64_t sent = 0;
  std::uint64_t kills = 0;
  std::uint64_t violations = 0;
};

void show_progress(const Counts& counts, std::uint64_t points, std::uint64_t kills) {
  if (isatty(STDERR_FILENO) == 0) return;
  std::fprintf(
      stderr, "\r%llu of %llu points, %llu of %llu kills, %llu violations ",
      static_cast<unsigned long long>(counts.points), static_cast<unsigned long long>(points),
      static_cast<unsigned long long>(counts.kills), static_cast<unsigned long long>(kills),
      static_cast<unsigned long long>(counts.violations));
}

void complain(Counts& counts, const std::string& where, const std::string& what) {
  ++counts.violations;
  std::printf("VIOLATION: %s: %s\n", where.c_str(), what.c_str());
}

// All operations of one script, in turn with one kind of fault and its
// circumstances.
void try_script(std::uint64_t script, std::uint64_t points, Counts& counts) {
  constexpr Fault kFaults[] = {Fault::kCrash,     Fault::kCrash,    Fault::kCrash,
                               Fault::kCrash,     Fault::kFull,     Fault::kWriteError,
                               Fault::kSyncError, Fault::kSyncError};
  for (std::uint64_t at = 1; counts.points < points; ++at) {
    bool is_past_the_end = false;
    std::mt19937_64 random(script * 1000 + at);
    for (const Fault fault : kFaults) {
      Point point{.script = script, .fault = {fault, at}};
      point.survival = static_cast<Survival>(random() % 4);
      point.is_killed = random() % 2 == 0;
      point.crash_again = random() % 2 == 0 ? 0 : 1 + random() % 24;
      if (fault == Fault::kCrash) point.is_killed = false;
      const Verdict verdict = Trial(point).run();
      for (const std::string& what : verdict.complaints) complain(counts, point.name(), what);
      if (!verdict.has_struck) {
        is_past_the_end = is_past_the_end || fault == Fault::kCrash;
        continue;
      }
      ++counts.points;
      ++counts.of_kind[static_cast<int>(fault)];
      counts.sent += verdict.sent;
      if (counts.points >= points) break;
    }
    if (at % 4 == 0) {
      const Point point{.script = script,
                        .fault = {Fault::kCrash, at},
                        .survival = static_cast<Survival>(random() % 4)};
      const Verdict verdict = ThreadTrial(point).run();
      for (const std::string& what : verdict.complaints) {
        complain(counts, "threads, " + point.name(), what);
      }
      if (verdict.has_struck) {
        ++counts.points;
        ++counts.with_threads;
        counts.sent += verdict.sent;
      }
    }
    if (is_past_the_end) return;
  }
}

void kill_processes(std::uint64_t seed, std::uint64_t kills, Counts& counts) {
  KillTrial trial(seed);
  for (int round = 0; round < 10 && counts.kills < kills; ++round) {
    const int processes = 1 + round % 3;
    for (const std::string& what : trial.kill(processes)) {
      complain(counts, "kill -9, trial " + std::to_string(seed), what);
    }
    counts.kills += static_cast<std::uint64_t>(processes);
  }
  counts.sent += trial.sent();
}

int run(std::uint64_t points, std::uint64_t kills, std::uint64_t first_script) {
  const auto start = std::chrono::steady_clock::now();
  std::printf("%llu points and %llu kills, from script %llu\n",
              static_cast<unsigned long long>(points), static_cast<unsigned long long>(kills),
              static_cast<unsigned long long>(first_script));
  Counts counts;
  for (std::uint64_t script = first_script; counts.points < points; ++script) {
    try_script(script, points, counts);
    show_progress(counts, points, kills);
  }
  for (std::uint64_t seed = first_script; counts.kills < kills; ++seed) {
    kill_processes(seed, kills, counts);
    show_progress(counts, points, kills);
  }
  if (isatty(STDERR_FILENO) != 0) std::fprintf(stderr, "\n");
  const auto seconds =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - start);
  std::printf(
      "points: %llu (power cuts %llu, with threads %llu, full disks %llu, failed writes "
      "%llu, failed syncs %llu)\n"
      "kills: %llu\nanswers sent and found again: %llu\nviolations: "
      "%llu\nseconds: %lld\n",
      static_cast<unsigned long long>(counts.points),
      static_cast<unsigned long long>(counts.of_kind[1]),
      static_cast<unsigned long long>(counts.with_threads),
      static_cast<unsigned long long>(counts.of_kind[2]),
      static_cast<unsigned long long>(counts.of_kind[3]),
      static_cast<unsigned long long>(counts.of_kind[4]),
      static_cast<unsigned long long>(counts.kills), static_cast<unsigned long long>(counts.sent),
      static_cast<unsigned long long>(counts.violations), static_cast<long long>(seconds.count()));
  return counts.violations == 0 ? 0 : 1;
}

}  // namespace
}  // namespace discreet::ledger

int main(int count, char** words) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const auto number = [&](int place, std::uint64_t otherwise) {
    return count > place ? std::strtoull(words[place], nullptr, 10) : otherwise;
  };
  const auto now = static_cast<std::uint64_t>(discreet::system_time_ms());
  return discreet::ledger::run(number(1, 10000), number(2, 100), number(3, now % 1000000 + 100));
}
