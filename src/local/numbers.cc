// SPDX-License-Identifier: Apache-2.0
#include "local/numbers.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "local/aggregate.h"

namespace discreet::local {
namespace {

double number(std::uint64_t n) { return static_cast<double>(n); }

// The distribution of y given the window's offset, by its first two moments.
struct Moments {
  double mean, variance;
};

// Sum and sum of squares of from .. from + count - 1.
double sum(double from, double count) { return count * (from + (count - 1) / 2); }
double squares(double from, double count) {
  const double m = count - 1;
  return count * from * from + from * m * count + m * count * (2 * m + 1) / 6;
}

Moments piecewise_moments(const Parameters& p, double offset) {
  const double weight = number(p.odds) / number(kUnit);
  const double w = number(p.width);
  const double n = number(p.domain);
  const double total = w * weight + n - w;
  const double mean = ((weight - 1) * sum(offset, w) + sum(0, n)) / total;
  const double square = ((weight - 1) * squares(offset, w) + squares(0, n)) / total;
  return {mean, square - mean * mean};
}

}  // namespace

NumberRule number_rule(const Parameters& p) {
  if (p.mechanism == Mechanism::kLaplace) {
    return {1 / number(p.domain), -number(p.width) / number(p.domain)};
  }
  DISCREET_CHECK(p.mechanism == Mechanism::kPiecewise);
  // E[y | offset] is linear in the offset, and the offset is x (N - w) on average.
  const double last = number(p.domain - p.width);
  const double low = piecewise_moments(p, 0).mean;
  const double high = piecewise_moments(p, last).mean;
  return {1 / (high - low), -low / (high - low)};
}

Spread number_spread(const Parameters& p) {
  const NumberRule rule = number_rule(p);
  if (p.mechanism == Mechanism::kLaplace) {
    const double r = number(kUnit) / number(p.odds);
    const double noise = 2 * r / ((1 - r) * (1 - r));
    // Rounding to a level adds at most a quarter of a step squared; clamping only takes away.
    return {0, (noise + 0.25) * rule.slope * rule.slope,
            number(p.domain + 2 * p.width) * rule.slope};
  }
  const double last = number(p.domain - p.width);
  double most = 0;
  double least = HUGE_VAL;
  for (const double offset : {0.0, last / 2, last}) {
    const double variance = piecewise_moments(p, offset).variance;
    most = std::max(most, variance);
    least = std::min(least, variance);
  }
  // The variance is a parabola of the offset with its largest values at the ends, its least in the
  // middle; rounding the offset adds at most a quarter step through the slope of the mean.
  const double scale = rule.slope * rule.slope;
  return {least * scale, most * scale + 0.25 / (last * last), number(p.domain - 1) * rule.slope};
}

Result<MeanEstimate> estimate_mean(const Aggregate& aggregate, double beta) {
  const Survey& survey = aggregate.survey();
  const double n = number(aggregate.tally().counted);
  if (n == 0) return invalid_input("there are no reports to estimate from");
  const NumberRule rule = number_rule(survey.parameters);
  const Spread spread = number_spread(survey.parameters);
  const double range = static_cast<double>(survey.high - survey.low) * 1e-6;
  const double low = static_cast<double>(survey.low) * 1e-6;
  const double mean = rule.slope * (static_cast<double>(aggregate.sum()) / n) + rule.offset;
  // Laplace: clamping moves the mean by less than e^-28 of the bound.
  const double half = half_width(n, spread, beta);
  return MeanEstimate{low + range * mean,
                      {low + range * (mean - half), low + range * (mean + half)},
                      range * std::sqrt(spread.most / n)};
}

}  // namespace discreet::local
