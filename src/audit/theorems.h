// SPDX-License-Identifier: Apache-2.0
// What the theorems say: the probability of each outcome, as a range that surely contains it. These
// formulas are written from the contracts alone and share no code with the samplers that they
// judge.
#pragma once

#include <cstddef>
#include <vector>

#include "mechanism/groups.h"
#include "numeric/interval.h"

namespace discreet::audit {

/// A number that lies between low and high.
struct Range {
  Rational low;
  Rational high;
};

Range range(const Interval& x);
Range operator+(const Range& a, const Range& b);
/// Requires: both are probabilities.
Range operator*(const Range& a, const Range& b);
/// 1 - p
Range complement(const Range& p);

/// (1-q)/(1+q) q^|z|, q = e^(-1/scale).
Range laplace_probability(int z, const Rational& scale);
/// Pr[Z >= t] of the same.
Range laplace_at_least(int t, const Rational& scale);
/// e^(-z^2 / 2 variance), over its sum.
Range gaussian_probability(int z, const Rational& variance);
/// Pr[Z >= t] of the same.
Range gaussian_at_least(int t, const Rational& variance);
/// Pr[round(N(0, variance)) = z].
Range rounded_gaussian_probability(int z, const Rational& variance);

/// e^epsilon / (1 + e^epsilon).
Range keep_probability(const Rational& epsilon);

/// e^(weight * score), over their sum.
std::vector<Range> exponential_probabilities(const std::vector<std::int64_t>& scores,
                                             const Rational& weight);
/// That the exponential mechanism draws v from 0 ... high at the fraction quarters/4 of the runs,
/// with `weight` for each row: quantiles.h.
Range quantile_probability(const mechanism::Runs& runs, std::int64_t quarters, std::int64_t high,
                           const Rational& weight, std::int64_t v);
/// The same for permute-and-flip.
Range flipped_quantile_probability(const mechanism::Runs& runs, std::int64_t quarters,
                                   std::int64_t high, const Rational& weight, std::int64_t v);
/// Visiting in a uniform order, candidate o is taken with probability e^(weight * (u(o) - max u)).
std::vector<Range> permute_and_flip_probabilities(const std::vector<std::int64_t>& scores,
                                                  const Rational& weight);

/// p(0) = 0, p(n+1) = min(e^epsilon p(n) + delta, 1 - e^-epsilon (1 - p(n) - delta), 1).
Range selection_probability(int n, const Rational& epsilon, const Rational& delta);

/// The probability that above-threshold gives exactly these answers (before it ends).
struct AboveThresholdTheorem {
  Rational threshold_scale;
  Rational question_scale;
  int threshold;
  std::vector<int> questions;
};
Range answers_probability(const AboveThresholdTheorem& theorem, const std::vector<bool>& answers);

}  // namespace discreet::audit
