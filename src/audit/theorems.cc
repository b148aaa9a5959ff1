// SPDX-License-Identifier: Apache-2.0
#include "audit/theorems.h"

#include <algorithm>
#include <numeric>

namespace discreet::audit {
namespace {

constexpr int kTheoremPrecision = 192;  // far finer than any depth

Interval wide_of(const Rational& x) { return Interval::around(x, kTheoremPrecision); }

/// e^(-z^2 / 2 variance)
Interval gaussian_weight(int z, const Rational& variance) {
  return exp(wide_of(Rational(-z * z) / (Rational(2) * variance)));
}

/// sum over k >= t of the weights, t >= 1: terms while they matter, then a geometric series, since
/// the ratio of neighbouring weights falls: w(k+1)/w(k) <= e^(-k / variance).
Range gaussian_weight_from(int t, const Rational& variance) {
  Interval sum = wide_of(0);
  int k = t;
  const Rational small = power_of_two(-kTheoremPrecision);
  Interval weight = gaussian_weight(k, variance);
  while (weight.high() > small) {
    sum = sum + weight;
    weight = gaussian_weight(++k, variance);
  }
  const Interval rest = weight / (wide_of(1) - exp(wide_of(Rational(-k) / variance)));
  return {sum.low(), sum.high() + rest.high()};
}

Range gaussian_total(const Rational& variance) {
  const Range side = gaussian_weight_from(1, variance);
  return {1 + 2 * side.low, 1 + 2 * side.high};
}

Range quotient(const Range& a, const Range& b) {
  return {(wide_of(a.low) / wide_of(b.high)).low(), (wide_of(a.high) / wide_of(b.low)).high()};
}

/// Pr[N(0, variance) >= x]
Interval normal_at_least(const Rational& x, const Rational& variance) {
  return erfc(wide_of(x) / sqrt(wide_of(2 * variance))) * wide_of(Rational::ratio(1, 2));
}

/// Minus four times the scores of quantiles.h for 0 ... high, at the fraction quarters/4.
std::vector<std::int64_t> quantile_utilities(const mechanism::Runs& runs, std::int64_t quarters,
                                             std::int64_t high) {
  std::vector<std::int64_t> scores;
  for (std::int64_t u = 0; u <= high; ++u) {
    std::int64_t below = 0;
    std::int64_t upto = 0;
    std::int64_t rows = 0;
    for (const auto& [value, count] : runs) {
      below += value < u ? count : 0;
      upto += value <= u ? count : 0;
      rows += count;
    }
    scores.push_back(-std::max(4 * below - quarters * rows, quarters * rows - 4 * upto));
  }
  return scores;
}

}  // namespace

Range range(const Interval& x) { return {x.low(), x.high()}; }
Range operator+(const Range& a, const Range& b) { return {a.low + b.low, a.high + b.high}; }
Range operator*(const Range& a, const Range& b) { return {a.low * b.low, a.high * b.high}; }
Range complement(const Range& p) { return {1 - p.high, 1 - p.low}; }

Range laplace_probability(int z, const Rational& scale) {
  const Interval q = exp(wide_of(Rational(-1) / scale));
  const Interval power = exp(wide_of(Rational(-std::abs(z)) / scale));
  return range((wide_of(1) - q) / (wide_of(1) + q) * power);
}

Range laplace_at_least(int t, const Rational& scale) {
  if (t <= 0) return complement(laplace_at_least(1 - t, scale));
  const Interval q = exp(wide_of(Rational(-1) / scale));
  return range(exp(wide_of(Rational(-t) / scale)) / (wide_of(1) + q));
}

Range gaussian_probability(int z, const Rational& variance) {
  return quotient(range(gaussian_weight(z, variance)), gaussian_total(variance));
}

Range gaussian_at_least(int t, const Rational& variance) {
  if (t <= 0) return complement(gaussian_at_least(1 - t, variance));
  return quotient(gaussian_weight_from(t, variance), gaussian_total(variance));
}

Range rounded_gaussian_probability(int z, const Rational& variance) {
  // On the right half, where both tails are small and nothing cancels badly.
  const Rational a = Rational(std::abs(z));
  const Rational half = Rational::ratio(1, 2);
  return range(normal_at_least(a - half, variance) - normal_at_least(a + half, variance));
}

Range keep_probability(const Rational& epsilon) {
  return range(wide_of(1) / (wide_of(1) + exp(wide_of(-epsilon))));
}

std::vector<Range> exponential_probabilities(const std::vector<std::int64_t>& scores,
                                             const Rational& weight) {
  std::vector<Interval> weights;
  Interval total = wide_of(0);
  for (const std::int64_t score : scores) {
    weights.push_back(exp(wide_of(weight * Rational(score))));
    total = total + weights.back();
  }
  std::vector<Range> result;
  for (const Interval& one : weights) result.push_back(range(one / total));
  return result;
}

Range quantile_probability(const mechanism::Runs& runs, std::int64_t quarters, std::int64_t high,
                           const Rational& weight, std::int64_t v) {
  return exponential_probabilities(quantile_utilities(runs, quarters, high),
                                   weight / 4)[static_cast<std::size_t>(v)];
}

std::vector<Range> permute_and_flip_probabilities(const std::vector<std::int64_t>& scores,
                                                  const Rational& weight) {
  const std::size_t n = scores.size();
  const std::int64_t best = *std::max_element(scores.begin(), scores.end());
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<Interval> sums(n, wide_of(0));
  int orders = 0;
  do {
    ++orders;
    Interval reached = wide_of(1);
    for (const std::size_t o : order) {
      const Interval take = exp(wide_of(weight * Rational(scores[o] - best)));
      sums[o] = sums[o] + reached * take;
      reached = reached * (wide_of(1) - take);
    }
  } while (std::next_permutation(order.begin(), order.end()));
  std::vector<Range> result;
  for (const Interval& sum : sums) result.push_back(range(sum / wide_of(orders)));
  return result;
}

Range selection_probability(int n, const Rational& epsilon, const Rational& delta) {
  const Interval up = exp(wide_of(epsilon));
  const Interval down = exp(wide_of(-epsilon));
  Range p{0, 0};
  for (int i = 0; i < n; ++i) {
    // Each branch rises with p, so the ends map to the ends.
    const auto next = [&](const Rational& at) {
      const Interval first = up * wide_of(at) + wide_of(delta);
      const Interval second = wide_of(1) - down * wide_of(1 - at - delta);
      return Range{std::min({first.low(), second.low(), Rational(1)}),
                   std::min({first.high(), second.high(), Rational(1)})};
    };
    p = {next(p.low).low, next(p.high).high};
  }
  return p;
}

Range answers_probability(const AboveThresholdTheorem& theorem, const std::vector<bool>& answers) {
  constexpr int kFar = 64;
  Range sum{0, 0};
  for (int r = -kFar; r <= kFar; ++r) {
    Range product = laplace_probability(r, theorem.threshold_scale);
    for (std::size_t i = 0; i < answers.size(); ++i) {
      const Range yes =
          laplace_at_least(theorem.threshold + r - theorem.questions[i], theorem.question_scale);
      product = product * (answers[i] ? yes : complement(yes));
    }
    sum = sum + product;
  }
  const Range beyond = laplace_at_least(kFar + 1, theorem.threshold_scale);
  return {sum.low, sum.high + 2 * beyond.high};
}

Range flipped_quantile_probability(const mechanism::Runs& runs, std::int64_t quarters,
                                   std::int64_t high, const Rational& weight, std::int64_t v) {
  return permute_and_flip_probabilities(quantile_utilities(runs, quarters, high),
                                        weight / 4)[static_cast<std::size_t>(v)];
}

}  // namespace discreet::audit
