// SPDX-License-Identifier: Apache-2.0
// Reconstruction (Dinur and Nissim): answers to many random subset counts that are too accurate
// give the whole secret away.
#include <algorithm>
#include <cmath>

#include "audit/attack/scene.h"
#include "audit/attack/subset_counts.h"
#include "mechanism/laplace.h"

namespace discreet::audit {
namespace {

struct Problem {
  std::vector<std::uint8_t> secret;
  std::vector<Subset> subsets;
  std::vector<int> counts;
};

Problem make_problem(int n, SeededBits& coins) {
  Problem out;
  for (int i = 0; i < n; ++i) out.secret.push_back(static_cast<std::uint8_t>(coins.below(2)));
  for (int q = 0; q < 4 * n; ++q) {
    Subset subset;
    int count = 0;
    for (int i = 0; i < n; ++i) {
      subset.push_back(static_cast<std::uint8_t>(coins.below(2)));
      count += subset.back() & out.secret[static_cast<std::size_t>(i)];
    }
    out.subsets.push_back(std::move(subset));
    out.counts.push_back(count);
  }
  return out;
}

std::uint64_t right_bits(const Problem& problem, const std::vector<double>& answers) {
  const std::vector<std::uint8_t> guess = bits_by_least_squares(problem.subsets, answers);
  std::uint64_t right = 0;
  for (std::size_t i = 0; i < guess.size(); ++i) right += guess[i] == problem.secret[i] ? 1 : 0;
  return right;
}

template <class F>
std::vector<double> answers_of(const Problem& problem, F answer_of) {
  std::vector<double> out;
  for (std::size_t q = 0; q < problem.counts.size(); ++q) out.push_back(answer_of(q));
  return out;
}

}  // namespace

std::vector<std::uint8_t> bits_by_least_squares(const std::vector<Subset>& subsets,
                                                const std::vector<double>& answers) {
  const std::size_t n = subsets.front().size();
  const std::size_t m = subsets.size();
  const auto forward = [&](const std::vector<double>& x) {
    std::vector<double> y(m);
    for (std::size_t q = 0; q < m; ++q) {
      for (std::size_t i = 0; i < n; ++i) y[q] += subsets[q][i] * x[i];
    }
    return y;
  };
  const auto backward = [&](const std::vector<double>& y) {
    std::vector<double> x(n);
    for (std::size_t q = 0; q < m; ++q) {
      for (std::size_t i = 0; i < n; ++i) x[i] += subsets[q][i] * y[q];
    }
    return x;
  };
  // Around 1/2, so that silence means nothing.
  std::vector<double> centred(m);
  for (std::size_t q = 0; q < m; ++q) {
    double half = 0;
    for (const std::uint8_t in : subsets[q]) half += in / 2.0;
    centred[q] = answers[q] - half;
  }
  std::vector<double> x(n);
  std::vector<double> r = backward(centred);
  std::vector<double> d = r;
  double size = 0;
  for (const double v : r) size += v * v;
  for (int round = 0; round < 200 && size > 1e-9; ++round) {
    const std::vector<double> step = backward(forward(d));
    double along = 0;
    for (std::size_t i = 0; i < n; ++i) along += d[i] * step[i];
    const double a = size / along;
    double next = 0;
    for (std::size_t i = 0; i < n; ++i) {
      x[i] += a * d[i];
      r[i] -= a * step[i];
      next += r[i] * r[i];
    }
    for (std::size_t i = 0; i < n; ++i) d[i] = r[i] + next / size * d[i];
    size = next;
  }
  std::vector<std::uint8_t> bits;
  for (const double v : x) bits.push_back(v > 0 ? 1 : 0);
  return bits;
}

Result<AttackRun> attack_reconstruct(const AttackOptions& options) {
  const int n = options.size > 0 ? options.size : 256;
  if (n < 32) {
    return invalid_input("reconstruction needs at least 32 secret bits (--size); got " +
                         std::to_string(n));
  }
  if (n > 4096) return invalid_input("at most 4096 secret bits; got " + std::to_string(n));
  const int trials = options.trials > 0 ? options.trials : 3;
  SeededBits coins(options.seed);
  AttackRun run;
  run.exhibit.title = "Reconstruction: " + std::to_string(n) + " secret bits from " +
                      std::to_string(4 * n) + " counts";
  run.exhibit.sections.push_back(
      {.heading = "The set-up",
       .words = {
           "Each person has one secret bit. The attacker asks how many ones there are among "
           "random halves of the people, four questions for each person, solves the least "
           "squares problem and rounds. Small noise, rounding, and sticky noise (the same noise "
           "for the same question) all leave the answers accurate to far less than the square "
           "root of n, and fall. `discreet` answers all questions under one epsilon: " +
           options.epsilon.to_string() + " in total, epsilon/" + std::to_string(4 * n) +
           " for each, from the kernel's Laplace mechanism."}});
  const auto all = static_cast<std::uint64_t>(n) * static_cast<std::uint64_t>(trials);
  std::uint64_t right[5] = {};
  const int step = std::max(2, n / 50);            // far below the square root of n
  DISCREET_ASSIGN(const auto small, noise_of(1));  // fresh noise of scale 1: epsilon 1 for each
  DISCREET_ASSIGN(const auto ours, noise_of(options.epsilon / Rational(4 * n)));
  int done = 0;
  for (int t = 0; t < trials; ++t) {
    const Problem problem = make_problem(n, coins);
    const auto exact = [&](std::size_t q) { return static_cast<double>(problem.counts[q]); };
    right[0] += right_bits(problem, answers_of(problem, exact));
    right[1] += right_bits(problem, answers_of(problem, [&](std::size_t q) {
                             return step * std::round(exact(q) / step);
                           }));
    right[2] += right_bits(problem, answers_of(problem, [&](std::size_t q) {
                             return static_cast<double>(answer(small, problem.counts[q], coins));
                           }));
    right[3] += right_bits(problem, answers_of(problem, [&](std::size_t q) {
                             SeededBits sticky(0x5eed ^ (q * 7919));
                             return static_cast<double>(answer(small, problem.counts[q], sticky));
                           }));
    right[4] += right_bits(problem, answers_of(problem, [&](std::size_t q) {
                             return static_cast<double>(answer(ours, problem.counts[q], coins));
                           }));
    ++done;
    if (options.progress) options.progress(800 * (t + 1) / trials);
    if (options.stopped && options.stopped()) {
      run.exhibit.partial = true;
      break;
    }
  }
  const std::uint64_t seen =
      all / static_cast<std::uint64_t>(trials) * static_cast<std::uint64_t>(done);
  run.measured = {
      measured("exact counts", right[0], seen),
      measured("rounded to multiples of " + std::to_string(step), right[1], seen),
      measured("fresh noise of scale 1 each", right[2], seen),
      measured("sticky noise of scale 1", right[3], seen),
      measured("discreet, epsilon " + options.epsilon.to_string() + " in total", right[4], seen)};
  for (Measured& one : run.measured) {
    one.chance = 0.5;
    one.beyond = 0.8;  // nearly all of it, whatever the luck
  }
  run.measured.back().ours = true;
  run.measured.back().limit = guess_limit(options.epsilon);

  // The law of information recovery, drawn: bits recovered against the noise of each answer.
  report::Section law{.heading = "The fundamental law, drawn"};
  report::ChartCurve curve{.name = "bits recovered", .points = {}};
  if (!run.exhibit.partial) {
    const Problem problem = make_problem(n, coins);
    for (const int scale : {1, 2, 4, 8, 16, 32, 64, 128, 256, 1024, 4096}) {
      DISCREET_ASSIGN(const auto noise, noise_of(Rational::ratio(1, scale)));
      curve.points.emplace_back(
          scale, static_cast<double>(
                     right_bits(problem, answers_of(problem,
                                                    [&](std::size_t q) {
                                                      return static_cast<double>(
                                                          answer(noise, problem.counts[q], coins));
                                                    }))) /
                     n);
    }
    law.chart = report::Chart{.title = "overly accurate answers to too many questions",
                              .x_label = "scale of the noise in each answer",
                              .y_label = "bits recovered",
                              .x_log = true,
                              .curves = {curve}};
    run.exhibit.sections.push_back(std::move(law));
  }
  conclude(run,
           "Changing one person's bit moves each count by at most 1, and the answers together "
           "are epsilon-DP: each bit is guessed with probability at most e^epsilon / (1 + "
           "e^epsilon). Baselines count as broken above 80 %.");
  return run;
}

}  // namespace discreet::audit
