// SPDX-License-Identifier: Apache-2.0
// Tables that are published together, and counts that come every day.
#include <algorithm>

#include "audit/cases.h"
#include "mechanism/prefix_stream.h"
#include "mechanism/prefix_table.h"
#include "mechanism/residual_table.h"
#include "mechanism/saturation.h"

namespace discreet::audit {
namespace {

using Entries = std::vector<std::int64_t>;

int small(std::int64_t x) { return static_cast<int>(std::clamp<std::int64_t>(x, -1000, 1000)); }

/// Two cells: one difference, 2 (x_1 - x_0) + Z_1 - Z_0.
Pair residual_of(const Inputs<Entries>& inputs, const Progress& progress) {
  const auto mechanism =
      mechanism::ResidualTable::make({.axes = {2}, .reach = 1, .rho = Rho::trusted(1)}).value();
  const Rational variance = mechanism.sigma_squared().value();
  const auto theorem = [&](const Entries& x, const Entries& y) -> std::optional<Range> {
    const int moved = small(y[0] - 2 * (x[1] - x[0]));
    Range sum{0, power_of_two(-60)};  // what lies beyond 12 is below
    for (int z = -12; z <= 12; ++z) {
      sum = sum + gaussian_probability(z, variance) * gaussian_probability(z + moved, variance);
    }
    return sum;
  };
  return audit<6>(mechanism, inputs, 28, theorem, progress);
}

Pair residual_table(const Progress& progress) {
  return residual_of({{0, 0}, {1, 0}, "0 0 | 1 0"}, progress);
}

/// Two times a cell is below and beyond the limit of what comes out: only their difference is held
/// there.
Pair residual_table_limit(const Progress& progress) {
  const std::int64_t half = std::int64_t{1} << 61;
  return residual_of({{half - 4, half + 3}, {half - 5, half + 3}, "2^61-4 2^61+3 | 2^61-5 2^61+3"},
                     progress);
}

/// Two places, mixed on a coarse grid: C = (2 0; 1 2).
Pair prefix_of(const Inputs<Entries>& inputs, const Progress& progress) {
  const auto mechanism =
      mechanism::PrefixTable::make({.rows = 1,
                                    .mixing = mechanism::Toeplitz::square_root(2, 1),
                                    .reach = 1,
                                    .rho = Rho::trusted(Rational::ratio(5, 2))})
          .value();
  const Rational variance = mechanism.sigma_squared().value();
  const auto theorem = [&](const Entries& x, const Entries& y) -> std::optional<Range> {
    const int first = small(y[0] - 2 * x[0]);
    return (y[0] == mechanism::kEntryMax ? gaussian_at_least(first, variance)
                                         : gaussian_probability(first, variance)) *
           gaussian_probability(small(y[1] - x[0] - 2 * x[1]), variance);
  };
  return audit<6>(mechanism, inputs, 30, theorem, progress);
}

Pair prefix_table(const Progress& progress) {
  return prefix_of({{0, 0}, {1, 0}, "0 0 | 1 0"}, progress);
}

/// The first place is just below the limit, where its noise is cut.
Pair prefix_table_limit(const Progress& progress) {
  const std::int64_t most = (std::int64_t{1} << 61) - 1;
  return prefix_of({{most, 0}, {most - 1, 0}, "2^61-1 0 | 2^61-2 0"}, progress);
}

/// Two days of a stream on the same grid.
Pair prefix_stream(const Progress& progress) {
  const auto terms =
      mechanism::PrefixStream::Terms::make({.days = 2,
                                            .days_per_unit = 1,
                                            .reach = 1,
                                            .rho = Rho::trusted(Rational::ratio(5, 2)),
                                            .unit_bits = 1})
          .value();
  const Rational variance = terms.sigma_squared().value();
  const auto walk = [&](const Entries& x, int part) {
    const Sensitive<Entries> sealed{Entries(x)};
    const auto walked =
        Walk({.depth = 30, .progress = part_of(progress, part, 2)}).run<6>([&](Tape<6>& tape) {
          return mechanism::PrefixStream::replay(terms, sealed, tape).outcome();
        });
    return distribution(
        walked, [](const Entries& o) { return std::to_string(o[0]) + " " + std::to_string(o[1]); },
        [&](const Entries& o) -> std::optional<Range> {
          const std::int64_t half = o[0] >= 0 ? o[0] / 2 : -((1 - o[0]) / 2);  // floor
          return gaussian_probability(small(o[0] - 2 * x[0]), variance) *
                 gaussian_probability(small(o[1] + half - x[0] - 2 * x[1]), variance);
        });
  };
  const Distribution a = walk({0, 0}, 0);
  return {terms.noise().text, "0 0 | 1 0", terms.cost(), a, walk({1, 0}, 1)};
}

}  // namespace

std::vector<Case> tables_cases() {
  return {{"residual-table", residual_table},
          {"residual-table-limit", residual_table_limit},
          {"prefix-table", prefix_table},
          {"prefix-table-limit", prefix_table_limit},
          {"prefix-stream", prefix_stream}};
}

}  // namespace discreet::audit
