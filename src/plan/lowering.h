// SPDX-License-Identifier: Apache-2.0
// A measurement's argument as the integers that an engine adds up or ranks. Everything below the
// release is integers: the same bits with any number of threads and in any order.
//
// For a row whose argument is u steps of its shape (its value is u * shape.grid->step):
//   z       = clamp(round((multiply * u - subtract) / divide), low, high)      halves away from 0
//   integer = z, or z^2 for kSquares
// and back: (argument - centre), or its square, is step * integer. No part of it can leave 126
// bits. Rounding happens only where the declared step is so fine that 32 bits (16 for squares)
// cannot hold the range, or the noise would need more than the mechanisms' range: the answer is
// then that of the argument rounded to the coarser step, which `explain` shows.
#pragma once

#include <cstdint>

#include "plan/expression.h"
#include "plan/plan.h"

namespace discreet::plan {

struct Lowered {
  Rational step = 1;  ///< what one unit of the measured integer is worth
  std::int64_t multiply = 1;
  std::int64_t subtract = 0;
  std::int64_t divide = 1;
  std::int64_t low = 0;  ///< of z
  std::int64_t high = 0;
  friend bool operator==(const Lowered&, const Lowered&) = default;
};

/// The range of the measured integer: of z, or of z^2 for kSquares.
struct Range {
  Integer low;
  Integer high;
};
Range range_of(const Measurement& measurement, const Lowered& lowered);

/// `coarser` doublings of the finest step that is exact. Of kRows, kUnits and kDistinct: ones.
/// Fails with: kInvalidInput (not a number, no range, ends in the wrong order).
Result<Lowered> lower(const Measurement& measurement, const Shape& shape, int coarser = 0);

}  // namespace discreet::plan
