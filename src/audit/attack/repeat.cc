// SPDX-License-Identifier: Apache-2.0
// Averaging and differencing: the attacks that need no cleverness.
#include <cmath>

#include "audit/attack/scene.h"

namespace discreet::audit {
namespace {

bool stopped(const AttackOptions& options, int done, int all) {
  if (options.progress) options.progress(static_cast<int>(1000LL * done / all));
  return options.stopped && options.stopped();
}

}  // namespace

/// Is the person in the count (1000) or not (999)? A coin decides; the attacker asks `asked` times.
Result<AttackRun> attack_average(const AttackOptions& options) {
  const int trials = options.trials > 0 ? options.trials : 400;
  constexpr int kAskedMost = 4096;
  SeededBits coins(options.seed);
  DISCREET_ASSIGN(const auto fresh, noise_of(options.epsilon));
  AttackRun run;
  run.exhibit.title = "Averaging: the same question, again and again";
  run.exhibit.sections.push_back(
      {.heading = "The set-up",
       .words = {"A count is 999 without the person and 1000 with; a coin decides which. A server "
                 "without a budget draws fresh noise of epsilon " +
                 options.epsilon.to_string() +
                 " for every repetition; the attacker averages. `discreet` stores the answer and "
                 "gives the same one again, free; asked in other words, it charges again, so "
                 "that k questions under one budget get epsilon/k each."}});
  report::Section curve{.heading = "How the guess improves"};
  report::ChartCurve naive{.name = "fresh noise, no budget", .points = {}};
  report::ChartCurve ours{.name = "discreet: epsilon/k for each", .points = {}};
  std::uint64_t naive_last = 0;
  std::uint64_t ours_last = 0;
  std::uint64_t repeat_right = 0;
  int done = 0;
  for (int asked = 1; asked <= kAskedMost && !run.exhibit.partial; asked *= 8) {
    DISCREET_ASSIGN(const auto shared, noise_of(options.epsilon / Rational(asked)));
    std::uint64_t right[2] = {0, 0};
    repeat_right = 0;
    for (int t = 0; t < trials; ++t) {
      const int truth = 999 + static_cast<int>(coins.below(2));
      double sums[2] = {0, 0};
      Int128 stored = 0;
      for (int i = 0; i < asked; ++i) {
        const Int128 first = answer(fresh, truth, coins);
        if (i == 0) stored = first;
        sums[0] += static_cast<double>(first);
        sums[1] += static_cast<double>(answer(shared, truth, coins));
      }
      for (int side = 0; side < 2; ++side) {
        const double mean = sums[side] / asked;
        right[side] += (mean > 999.5 ? 1000 : 999) == truth ? 1 : 0;
      }
      repeat_right += (stored > 999 ? 1000 : 999) == truth ? 1 : 0;
    }
    naive.points.emplace_back(asked, static_cast<double>(right[0]) / trials);
    ours.points.emplace_back(asked, static_cast<double>(right[1]) / trials);
    naive_last = right[0];
    ours_last = right[1];
    run.exhibit.partial = stopped(options, ++done, 5);
  }
  report::ChartCurve limit{.name = "limit", .points = {}, .bound = true};
  for (const auto& point : ours.points) {
    limit.points.emplace_back(point.first, guess_limit(options.epsilon));
  }
  curve.chart = report::Chart{.title = "the attacker is right",
                              .x_label = "questions",
                              .y_label = "probability",
                              .x_log = true,
                              .curves = {naive, ours, limit}};
  run.exhibit.sections.push_back(std::move(curve));
  const auto all = static_cast<std::uint64_t>(trials);
  run.measured = {measured("fresh noise each time", naive_last, all),
                  measured("discreet, repeated: the stored answer", repeat_right, all),
                  measured("discreet, in other words: epsilon/k each", ours_last, all)};
  for (Measured& one : run.measured) one.chance = 0.5;
  for (std::size_t i = 1; i < 3; ++i) {
    run.measured[i].ours = true;
    run.measured[i].limit = guess_limit(options.epsilon);
  }
  conclude(run,
           "The person's presence moves the odds by at most e^epsilon over all answers "
           "together: from even odds the guess is right with probability at most "
           "e^epsilon / (1 + e^epsilon).");
  return run;
}

/// Everyone, and everyone but one: is the one's bit set?
Result<AttackRun> attack_difference(const AttackOptions& options) {
  const int trials = options.trials > 0 ? options.trials : 4000;
  SeededBits coins(options.seed);
  DISCREET_ASSIGN(const auto half, noise_of(options.epsilon * Rational::ratio(1, 2)));
  std::uint64_t exact = 0;
  std::uint64_t rounded = 0;
  std::uint64_t suppressed = 0;
  std::uint64_t ours = 0;
  AttackRun run;
  int done = 0;
  for (; done < trials && !run.exhibit.partial; ++done) {
    const auto others = static_cast<int>(200 + coins.below(800));
    const auto bit = static_cast<int>(coins.below(2));
    const int everyone = others + bit;
    exact += everyone - others == bit ? 1 : 0;
    // Rounded to fives: the attacker adds people whose bits are known until the rounding jumps.
    int helpers = 0;
    const auto to_five = [](int x) { return (x + 2) / 5 * 5; };
    while (helpers < 5 && to_five(others + 1 + helpers) == to_five(others + helpers)) ++helpers;
    rounded += (to_five(everyone + helpers) != to_five(others + helpers) ? 1 : 0) == bit ? 1 : 0;
    suppressed += everyone - others == bit ? 1 : 0;  // both counts are large: nothing is hidden
    const Int128 a = answer(half, everyone, coins);
    const Int128 b = answer(half, others, coins);
    const Int128 gap = a - b;
    const int guess = gap > 0 ? 1 : (gap < 0 ? 0 : static_cast<int>(coins.below(2)));
    ours += guess == bit ? 1 : 0;
    if (done % 256 == 0) run.exhibit.partial = stopped(options, done, trials);
  }
  const auto all = static_cast<std::uint64_t>(done);
  run.exhibit.title = "Differencing: everyone, and everyone but one";
  run.exhibit.sections.push_back(
      {.heading = "The set-up",
       .words = {
           "`How many have the illness?` and `how many have it, not counting the one born on "
           "that day?`: the difference of two harmless counts is one person's bit. Small counts "
           "are suppressed below 10 and others rounded to fives in two baselines; neither "
           "helps, because the counts are large, and because the attacker may count known "
           "people in until the rounding jumps."}});
  run.measured = {
      measured("exact counts", exact, all), measured("counts below 10 suppressed", suppressed, all),
      measured("counts rounded to fives", rounded, all),
      measured("discreet, both answers under epsilon " + options.epsilon.to_string(), ours, all)};
  for (Measured& one : run.measured) one.chance = 0.5;
  run.measured.back().ours = true;
  run.measured.back().limit = guess_limit(options.epsilon);
  conclude(run,
           "Both answers together are epsilon-DP (composition), so the odds of the one bit "
           "move by at most e^epsilon.");
  return run;
}

}  // namespace discreet::audit
