// SPDX-License-Identifier: Apache-2.0
// Floating-point noise (Mironov 2012): the set of doubles that x + noise can reach depends on x, so
// the low bits of an answer tell x however much noise there is.
#include <cmath>

#include "audit/attack/scene.h"
#include "mechanism/grid_laplace.h"
#include "mechanism/laplace.h"

namespace discreet::audit {
namespace {

constexpr double kUnit = 0x1p-53;

/// The textbook sampler: a uniform double, its logarithm, a sign.
double naive(double x, double scale, std::uint64_t k, bool negative) {
  const double noise = scale * std::log(static_cast<double>(k) * kUnit);
  return x + (negative ? noise : -noise);
}

/// Whether some uniform double gives exactly this answer from x.
bool reachable(double answer, double x, double scale) {
  const bool negative = answer < x;
  const double size = std::abs(answer - x);
  const double k = std::exp(-size / scale) / kUnit;
  const double around = 64;
  const double from = std::max(1.0, std::floor(k - around));
  const double to = std::min(0x1p53 - 1, std::ceil(k + around));
  for (double at = from; at <= to; at += 1) {
    if (naive(x, scale, static_cast<std::uint64_t>(at), negative) == answer) return true;
  }
  return false;
}

/// How many low bits of the answer are zero; more than that of any double here: 0.
int trailing_zeros(double x) {
  int exponent = 0;
  const double mantissa = std::frexp(x, &exponent);
  auto bits = static_cast<std::uint64_t>(std::ldexp(std::abs(mantissa), 53));
  int zeros = 0;
  while (bits != 0 && (bits & 1) == 0) {
    bits >>= 1;
    ++zeros;
  }
  return zeros;
}

}  // namespace

Result<AttackRun> attack_floating_point(const AttackOptions& options) {
  const int trials = options.trials > 0 ? options.trials : 4000;
  SeededBits coins(options.seed);
  DISCREET_ASSIGN(const auto ours, noise_of(options.epsilon));
  const double scale = 1 / options.epsilon.to_double(Round::kDown);
  AttackRun run;
  run.exhibit.title = "Floating point: the low bits of the noise";
  run.exhibit.sections.push_back(
      {.heading = "The set-up",
       .words = {"The count is 0 or 1; a coin decides. The baseline adds scale times the logarithm "
                 "of a uniform double, as textbooks do. The attacker asks which of the two values "
                 "could have produced exactly this double, trying the uniforms around the one that "
                 "fits; if only one can, the noise hid nothing. `discreet` draws integers on a "
                 "declared grid: both values reach the same answers."}});
  std::uint64_t naive_right = 0;
  std::uint64_t naive_certain = 0;
  std::uint64_t ours_right = 0;
  std::uint64_t zeros[2] = {0, 0};
  std::uint64_t counts[2] = {0, 0};
  int done = 0;
  for (; done < trials && !run.exhibit.partial; ++done) {
    const auto bit = static_cast<int>(coins.below(2));
    const std::uint64_t k = 1 + coins.below((std::uint64_t{1} << 53) - 1);
    const double released = naive(bit, scale, k, coins.below(2) == 1);
    const bool from0 = reachable(released, 0, scale);
    const bool from1 = reachable(released, 1, scale);
    zeros[bit] += static_cast<std::uint64_t>(trailing_zeros(released));
    ++counts[bit];
    const int guess = from0 == from1 ? (released > 0.5 ? 1 : 0) : (from1 ? 1 : 0);
    naive_right += guess == bit ? 1 : 0;
    naive_certain += from0 != from1 ? 1 : 0;
    const Int128 integer = answer(ours, bit, coins);
    ours_right += (integer > 0 ? 1 : 0) == bit ? 1 : 0;
    if (done % 256 == 0) {
      if (options.progress) options.progress(1000 * done / trials);
      run.exhibit.partial = options.stopped && options.stopped();
    }
  }
  const auto all = static_cast<std::uint64_t>(done);
  run.exhibit.sections.push_back(
      {.heading = "What the low bits say",
       .words = {"The baseline's answer could come from one value only in " +
                 percent(static_cast<double>(naive_certain) / static_cast<double>(done)) +
                 " of the runs. Zero bits at the low end of the double, on average: " +
                 shown(static_cast<double>(zeros[0]) / static_cast<double>(counts[0] + 1)) +
                 " when the count is 0 and " +
                 shown(static_cast<double>(zeros[1]) / static_cast<double>(counts[1] + 1)) +
                 " when it is 1. Ours has no such bits: an answer is an integer."}});
  run.measured = {measured("double-precision Laplace", naive_right, all),
                  measured("discreet, epsilon " + options.epsilon.to_string(), ours_right, all)};
  for (Measured& one : run.measured) one.chance = 0.5;
  run.measured[0].beyond = guess_limit(options.epsilon);  // it must beat what it claims
  run.measured[1].ours = true;
  run.measured[1].limit = guess_limit(options.epsilon);
  conclude(run,
           "An epsilon-DP answer moves the odds of 0 against 1 by at most e^epsilon. The "
           "baseline claims the same epsilon and counts as broken beyond its limit only.");
  return run;
}

}  // namespace discreet::audit
