// SPDX-License-Identifier: Apache-2.0
#include "local/support.h"

#include <algorithm>

#include "base/check.h"
#include "local/aggregate.h"
#include "local/client/field.h"

namespace discreet::local {
namespace {

double as_number(std::uint64_t n) { return static_cast<double>(n); }

// Points of a projective space of dimension t - cut, as a number; 0 below dimension 1.
double points(const Parameters& p, std::uint64_t cut) {
  return p.depth > cut ? as_number(projective_points(p.width, p.depth - cut)) : 0;
}

// Pr[supports x' and x''] for two choices that the sender does not hold, at most.
double pair_probability(const Parameters& p, double weight) {
  const double k = as_number(p.domain);
  switch (p.mechanism) {
    case Mechanism::kSubset: {
      const double d = as_number(p.width);
      if (p.domain < 3) return 0;
      const double in = d * weight / (d * weight + k - d);
      return (in * (d - 1) * (d - 2) + (1 - in) * d * (d - 1)) / ((k - 1) * (k - 2));
    }
    case Mechanism::kProjective: {
      const double inside = points(p, 1);
      const double total = inside * weight + points(p, 0) - inside;
      return (points(p, 3) * weight + points(p, 2) - points(p, 3)) / total;
    }
    default:
      return 0;
  }
}

}  // namespace

Support support_of(const Parameters& p) {
  const double weight = as_number(p.odds) / as_number(kUnit);
  const double k = as_number(p.domain);
  switch (p.mechanism) {
    case Mechanism::kResponse:
      return {weight / (weight + k - 1), 1 / (weight + k - 1)};
    case Mechanism::kUnary:
      return {0.5, as_number(unary_threshold(p.odds)) / as_number(kUnit)};
    case Mechanism::kHash:
      return {weight / (weight + as_number(p.width) - 1), 1 / as_number(p.width)};
    case Mechanism::kHadamard:
      return {weight / (weight + 1), 0.5};
    case Mechanism::kSubset: {
      const double d = as_number(p.width);
      const double in = d * weight / (d * weight + k - d);
      return {in, (in * (d - 1) + (1 - in) * d) / (k - 1)};
    }
    case Mechanism::kProjective: {
      const double inside = points(p, 1);
      const double shared = points(p, 2);
      const double total = inside * weight + points(p, 0) - inside;
      return {inside * weight / total, (shared * weight + inside - shared) / total};
    }
    default:
      break;
  }
  DISCREET_CHECK(false);
}

double sum_variance(const Parameters& p, std::uint64_t members) {
  const Support s = support_of(p);
  const double m = as_number(members);
  const double single = std::max(s.variance(0), s.variance(1));
  if (p.mechanism == Mechanism::kHash) return m * m * single;
  const double scale = (s.p - s.q) * (s.p - s.q);
  double extra = 0;  // of each member: what it may gain from all others together
  if (p.mechanism == Mechanism::kHadamard) {
    extra = s.p / 2 - 0.25;  // one partner completes a line with what the sender holds
  } else if (p.mechanism == Mechanism::kProjective) {
    const double weight = as_number(p.odds) / as_number(kUnit);
    const double inside = points(p, 1);
    const double total = inside * weight + points(p, 0) - inside;
    const double on_line = points(p, 2) * weight / total - s.q * s.q;
    const double partners = std::min(as_number(p.width) - 1, m - 1);
    extra = partners * std::max(0.0, on_line) +
            (m - 1) * std::max(0.0, pair_probability(p, weight) - s.q * s.q);
  } else if (p.mechanism == Mechanism::kSubset) {
    const double weight = as_number(p.odds) / as_number(kUnit);
    extra = (m - 1) * std::max(0.0, pair_probability(p, weight) - s.q * s.q);
  }
  const double first = std::max(s.p * (1 - s.p), s.q * (1 - s.q));
  return (first + (m - 1) * s.q * (1 - s.q) + m * extra) / scale;
}

void hadamard_transform(std::vector<double>& values) {
  for (std::size_t half = 1; half < values.size(); half *= 2) {
    for (std::size_t block = 0; block < values.size(); block += 2 * half) {
      for (std::size_t i = block; i < block + half; ++i) {
        const double a = values[i];
        const double b = values[i + half];
        values[i] = a + b;
        values[i + half] = a - b;
      }
    }
  }
}

std::vector<double> hyperplane_sums(const Parameters& p, const std::vector<std::uint64_t>& counts) {
  const ProjectiveSpace space(p.width, p.depth);
  const Field& field = space.field();
  const std::size_t q = field.order();
  const std::size_t t = space.dimension();
  // Step j turns coordinate j of the outputs into coordinate j of the choice: at[v, z] sums what
  // has inner product z so far. Sizes stay q^t times q.
  std::vector<double> at(space.power(t) * q);
  const auto slot = [&](const ProjectiveSpace::Vector& vector) {
    std::size_t index = 0;
    for (std::size_t i = 0; i < t; ++i) index = index * q + vector[i];
    return index * q;
  };
  for (std::uint64_t i = 0; i < space.points(); ++i) {
    at[slot(space.point(i))] = as_number(counts[i]);
  }
  std::vector<double> next(at.size());
  for (std::size_t j = 0; j < t; ++j) {
    std::fill(next.begin(), next.end(), 0.0);
    const std::size_t stride = space.power(t - 1 - j);
    for (std::size_t v = 0; v < space.power(t); ++v) {
      const std::size_t digit = v / stride % q;
      for (std::size_t u = 0; u < q; ++u) {
        const std::size_t moved = v + u * stride - digit * stride;
        const std::uint32_t shift =
            field.times(static_cast<std::uint32_t>(u), static_cast<std::uint32_t>(digit));
        for (std::size_t z = 0; z < q; ++z) {
          next[moved * q + field.add(static_cast<std::uint32_t>(z), shift)] += at[v * q + z];
        }
      }
    }
    at.swap(next);
  }
  std::vector<double> sums(p.domain);
  for (std::uint64_t x = 0; x < p.domain; ++x) sums[x] = at[slot(space.point(x))];
  return sums;
}

std::vector<double> supports(const Aggregate& aggregate) {
  const Parameters& p = aggregate.survey().parameters;
  const std::vector<std::uint64_t> cells = aggregate.cells();
  std::vector<double> counts(cells.begin(), cells.end());
  if (p.mechanism == Mechanism::kProjective) return hyperplane_sums(p, cells);
  if (p.mechanism != Mechanism::kHadamard) return counts;
  hadamard_transform(counts);
  std::vector<double> even(p.domain);
  for (std::size_t x = 0; x < even.size(); ++x) even[x] = (counts[0] + counts[x + 1]) / 2;
  return even;
}

}  // namespace discreet::local
