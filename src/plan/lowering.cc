// SPDX-License-Identifier: Apache-2.0
#include "plan/lowering.h"

#include <algorithm>

#include "plan/grid.h"
#include "plan/shape_rules.h"

namespace discreet::plan {
namespace {

constexpr int kSumBits = 32;
constexpr int kSquareBits = 16;  // of z; its square has twice as many
constexpr int kRankBits = 62;

struct Ends {
  Rational low;
  Rational high;
};

bool is_number_needed(MeasureKind kind) {
  return kind == MeasureKind::kSum || kind == MeasureKind::kSquares;
}

Result<void> check_argument(const Measurement& measurement, const Shape& shape) {
  if (is_number_needed(measurement.kind) && !is_number(shape)) {
    return invalid_input("sums, averages and variances need numbers, not " +
                         policy::to_string(shape.type));
  }
  if (!shape.grid) {
    return invalid_input("quantiles need numbers or dates, not " + policy::to_string(shape.type));
  }
  if (!shape.declared && !measurement.clamp) {
    return invalid_input(
        "it has no declared range: the owner can add 'range' to its columns in the policy, or the "
        "question can give contribution bounds");
  }
  if (measurement.clamp && measurement.clamp->low > measurement.clamp->high) {
    return invalid_input(
        "contribution bounds are in the wrong order: " + measurement.clamp->low.to_string() +
        " is above " + measurement.clamp->high.to_string());
  }
  if (measurement.kind == MeasureKind::kQuantile && measurement.centre.sign() != 0) {
    return invalid_input("a quantile has no centre");
  }
  return {};
}

// Where the clamped argument lies.
Ends ends_of(const Measurement& measurement, const Grid& grid) {
  if (!measurement.clamp) return {grid.low, grid.high};
  const Rational& low = measurement.clamp->low;
  const Rational& high = measurement.clamp->high;
  return {std::clamp(grid.low, low, high), std::clamp(grid.high, low, high)};
}

// The coarsest step on which the argument, its ends and the centre lie.
Rational exact_step(const Measurement& measurement, const Grid& grid, const Ends& ends) {
  Rational step = grid.step;
  for (const Rational& value : {ends.low, ends.high, measurement.centre}) {
    if (value.sign() != 0) step = common_step(step, value);
  }
  return step;
}

bool fits_word(const Rational& value) { return value.abs() < power_of_two(62); }

}  // namespace

Range range_of(const Measurement& measurement, const Lowered& lowered) {
  const Integer low(lowered.low);
  const Integer high(lowered.high);
  if (measurement.kind != MeasureKind::kSquares) return {low, high};
  const Integer a = low * low;
  const Integer b = high * high;
  return {low <= 0 && high >= 0 ? Integer(0) : std::min(a, b), std::max(a, b)};
}

Result<Lowered> lower(const Measurement& measurement, const Shape& shape, int coarser) {
  const bool squares = measurement.kind == MeasureKind::kSquares;
  if (!is_number_needed(measurement.kind) && measurement.kind != MeasureKind::kQuantile) {
    return Lowered{.low = 0, .high = 1};
  }
  DISCREET_TRY(check_argument(measurement, shape));
  const Ends ends = ends_of(measurement, *shape.grid);
  const auto z = [&](const Rational& end, const Rational& step) {
    return Rational(((end - measurement.centre) / step).round());
  };
  Rational step = exact_step(measurement, *shape.grid, ends);
  const Rational limit = power_of_two(squares                                      ? kSquareBits
                                      : measurement.kind == MeasureKind::kQuantile ? kRankBits
                                                                                   : kSumBits);
  const auto too_wide = [&] {
    return z(ends.low, step).abs() >= limit || z(ends.high, step).abs() >= limit;
  };
  while (too_wide()) step = step * Rational(2);
  for (int i = 0; i < coarser; ++i) step = step * Rational(2);

  const Rational slope = shape.grid->step / step;
  const Rational offset = measurement.centre / step;
  const Rational divide = Rational(lcm(slope.denominator(), offset.denominator()));
  if (!fits_word(slope * divide) || !fits_word(offset * divide) || !fits_word(divide)) {
    return invalid_input("its bounds or its centre are too fine; choose rounder ones");
  }
  return Lowered{.step = squares ? step * step : step,
                 .multiply = Rational(slope * divide).numerator().get_si(),
                 .subtract = Rational(offset * divide).numerator().get_si(),
                 .divide = divide.numerator().get_si(),
                 .low = z(ends.low, step).numerator().get_si(),
                 .high = z(ends.high, step).numerator().get_si()};
}

}  // namespace discreet::plan
