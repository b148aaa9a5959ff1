// SPDX-License-Identifier: Apache-2.0
#include "mechanism/verbs.h"

#include <algorithm>

namespace discreet::mechanism {

Result<Bounds> Bounds::make(const Ends& ends) {
  if (ends.low > ends.high) {
    return invalid_input("the low bound, " + std::to_string(ends.low) +
                         ", must not exceed the high bound, " + std::to_string(ends.high));
  }
  return Bounds(ends);
}

Int128 Bounds::stability(Neighbours neighbours) const {
  const Int128 low = ends_.low;
  const Int128 high = ends_.high;
  if (neighbours == Neighbours::kReplaceOne) return high - low;
  return std::max(low < 0 ? -low : low, high < 0 ? -high : high);
}

Result<void> check_sum_bound(const SumBound& bound) {
  if (bound.rows_max < 0 || bound.magnitude < 0) {
    return invalid_input("a bound on rows and a bound on their size must not be negative");
  }
  if (Rational(Integer(bound.rows_max * bound.magnitude)) >= power_of_two(126)) {
    return invalid_input(
        "the largest number of rows times the largest size of a value must stay below 2^126: "
        "lower the declared bounds or the number of rows, or use a coarser step");
  }
  return {};
}

Sensitive<Int128> Verbs::clamp_and_sum(const Sensitive<std::vector<std::int64_t>>& rows,
                                       const Bounds& bounds) {
  Int128 sum = 0;
  for (const std::int64_t row : rows.reveal(Unseal())) {
    sum += std::clamp(row, bounds.low(), bounds.high());
  }
  return Sensitive<Int128>(sum);
}

Sensitive<Int128> Verbs::count(const Sensitive<std::vector<std::int64_t>>& rows) {
  return Sensitive<Int128>(static_cast<Int128>(rows.reveal(Unseal()).size()));
}

Sensitive<Int128> Verbs::count_ones(const Sensitive<std::vector<std::uint8_t>>& bits) {
  Int128 ones = 0;
  for (const std::uint8_t bit : bits.reveal(Unseal())) ones += bit != 0 ? 1 : 0;
  return Sensitive<Int128>(ones);
}

}  // namespace discreet::mechanism
