// SPDX-License-Identifier: Apache-2.0
#include "mechanism/toeplitz.h"

#include "base/check.h"
#include "numeric/int128.h"

namespace discreet::mechanism {
namespace {

constexpr int kGuardBits = 80;  // the recurrence is carried so much finer

}  // namespace

Toeplitz Toeplitz::square_root(std::int64_t days, int unit_bits) {
  DISCREET_CHECK(days >= 1 && days <= kDaysMax && unit_bits >= 1 && unit_bits <= kUnitBits);
  // b_k = b_{k-1} (2k-1)/(2k), rounded down: each factor is below 1, so the sequence falls.
  std::vector<std::int64_t> out;
  Uint128 b = Uint128{1} << (unit_bits + kGuardBits);
  for (std::int64_t k = 0; k < days; ++k) {
    if (k > 0) b = b / static_cast<Uint128>(2 * k) * static_cast<Uint128>(2 * k - 1);
    out.push_back(static_cast<std::int64_t>(b >> kGuardBits));
  }
  return Toeplitz(days, std::move(out));
}

Toeplitz Toeplitz::identity(std::int64_t days) { return Toeplitz(days, {1}); }

Integer Toeplitz::length_squared(std::int64_t w) const {
  DISCREET_CHECK(w >= 1 && w <= days_);
  // Entry t of the sum of the first w columns: c_t + c_{t-1} + .. + c_{t-w+1}, below 2^36.
  const auto n = static_cast<std::int64_t>(coefficients_.size());
  Uint128 total = 0;  // 2^20 squares below 2^72
  std::int64_t entry = 0;
  for (std::int64_t t = 0; t < days_; ++t) {
    if (t < n) entry += coefficients_[static_cast<std::size_t>(t)];
    if (t >= w && t - w < n) entry -= coefficients_[static_cast<std::size_t>(t - w)];
    total += static_cast<Uint128>(entry) * static_cast<Uint128>(entry);
  }
  return to_integer(static_cast<Int128>(total));
}

}  // namespace discreet::mechanism
