// SPDX-License-Identifier: Apache-2.0
#include "accounting/shuffle.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "accounting/binomial.h"
#include "accounting/outward.h"
#include "accounting/root.h"
#include "accounting/shuffle_report.h"

namespace discreet::accounting {
namespace {

constexpr const char* kClones = "amplification by shuffling, clones [FMT21]";
constexpr const char* kResponses =
    "shuffled randomized responses [clones of probability 2/(e^epsilon0 + 1)]";

// Numbers of clones within this part of each other are taken together; clones less probable than
// kNegligible count in full.
constexpr double kShuffleBlock = 2e-4;
constexpr double kShuffleNegligible = 1e-32;
// Covers the rounding of up to 10^6 sums of positive numbers.
constexpr double kSums = 0x1p-30;

/// E over C ~ Bin(people - 1, odds) of the delta with C fair clones. That delta falls as C grows
/// (another fair clone is a post-processing), so neighbouring values of C are taken together: the
/// first bounds above, the last below.
Bounds clones_delta(const Shuffle& shuffle, double odds, const Rational& epsilon,
                    const char* theorem) {
  if (epsilon >= shuffle.epsilon0) return {0, 0, theorem};
  const Report report(shuffle.epsilon0, epsilon);
  const Binomial clones(shuffle.people - 1, odds);
  const auto of = [&](std::int64_t c) {
    const auto trials = static_cast<std::uint64_t>(c);
    return report.delta(Binomial(trials, 1), trials, 1);
  };
  Bounds out{0, clones.outside(), theorem};
  double pending = 0;  // the last block's mass, waiting for a delta below its own
  for (std::int64_t c = clones.first(); c <= clones.last();) {
    const auto width = static_cast<std::int64_t>(1 + kShuffleBlock * static_cast<double>(c));
    const std::int64_t end = std::min(c + width, clones.last() + 1);
    MassBracket mass;
    for (std::int64_t i = c; i < end; ++i) {
      const MassBracket one = clones.at(i);
      mass.low += one.low;
      mass.high += one.high;
    }
    if (mass.high < kShuffleNegligible) {
      out.upper += mass.high;
      pending = 0;
    } else {
      const MassBracket here = of(c);
      out.upper += mass.high * here.high;
      out.lower += pending * here.low;
      pending = mass.low;
      if (width == 1) {
        out.lower += pending * here.low;
        pending = 0;
      }
    }
    c = end;
  }
  out.upper = std::min(1.0, out.upper * (1 + kSums));
  out.lower = std::min(out.lower * (1 - kSums), out.upper);
  return out;
}

double clone_odds(const Shuffle& shuffle, int factor) {
  return down(at(factor) / expm1(at(shuffle.epsilon0)));
}

/// The epsilon at which `delta_at` passes delta, on both sides: guessed, moved outward and tested.
Bounds epsilon_by(const Shuffle& shuffle, const Rational& delta,
                  const std::function<Bounds(const Rational&)>& delta_at) {
  DISCREET_CHECK(delta.sign() > 0 && delta < 1);
  const double wanted_low = delta.to_double(Round::kDown);
  const double wanted_high = delta.to_double(Round::kUp);
  const double all = shuffle.epsilon0.to_double(Round::kUp);
  Bounds out = delta_at(0);
  if (out.upper <= wanted_low) return {0, 0, out.theorem};
  const auto guess = [&](double high, double Bounds::* side) {
    return falling_root(0, high, 1e-7, [&](double epsilon) {
      return std::log(std::max(delta_at(exactly(epsilon)).*side, 1e-300) / wanted_low);
    });
  };
  out.upper = guess(all, &Bounds::upper);
  for (double part = 1e-7; delta_at(exactly(out.upper)).upper > wanted_low; part *= 4) {
    out.upper = std::min(out.upper * (1 + part), all);  // at epsilon0 delta is 0
  }
  out.lower = std::min(guess(out.upper, &Bounds::lower), out.upper);
  for (double part = 1e-7; out.lower > 0 && delta_at(exactly(out.lower)).lower < wanted_high;
       part *= 4) {
    out.lower = part < 1 ? out.lower * (1 - part) : 0;
  }
  return out;
}

}  // namespace

Result<void> check(const Shuffle& shuffle) {
  if (shuffle.people < 2 || shuffle.people > 1'000'000'000) {
    return invalid_input("the number of people must be from 2 to 1000000000; got " +
                         std::to_string(shuffle.people));
  }
  if (shuffle.epsilon0 < power_of_two(-40) || shuffle.epsilon0 > power_of_two(10)) {
    return invalid_input("the local epsilon must be between 2^-40 and 2^10; got " +
                         in_quotes(shuffle.epsilon0.to_string()));
  }
  return {};
}

double shuffled_epsilon_closed(const Shuffle& shuffle, const Rational& delta) {
  DISCREET_CHECK(delta.sign() > 0 && delta < 1);
  const double local = shuffle.epsilon0.to_double(Round::kUp);
  const Interval n = at(Rational(static_cast<std::int64_t>(shuffle.people)));
  const Interval e0 = exp(at(shuffle.epsilon0));
  const Interval logarithm = log(at(4) / at(delta));
  if (!certainly_less(at(shuffle.epsilon0), log(n / (at(16) * logarithm)))) return local;
  const Interval inner = at(8) * sqrt(e0 * logarithm / n) + at(8) * e0 / n;
  return std::min(local, up(log(at(1) + (e0 - at(1)) / (e0 + at(1)) * inner)));
}

Bounds shuffled_delta(const Shuffle& shuffle, const Rational& epsilon) {
  return clones_delta(shuffle, clone_odds(shuffle, 1), epsilon, kClones);
}

Bounds shuffled_epsilon(const Shuffle& shuffle, const Rational& delta) {
  return epsilon_by(shuffle, delta,
                    [&](const Rational& epsilon) { return shuffled_delta(shuffle, epsilon); });
}

Bounds clones_of_responses_delta(const Shuffle& shuffle, const Rational& epsilon) {
  return clones_delta(shuffle, clone_odds(shuffle, 2), epsilon, kResponses);
}

Bounds clones_of_responses_epsilon(const Shuffle& shuffle, const Rational& delta) {
  return epsilon_by(shuffle, delta, [&](const Rational& epsilon) {
    return clones_of_responses_delta(shuffle, epsilon);
  });
}

}  // namespace discreet::accounting
