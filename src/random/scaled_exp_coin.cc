// SPDX-License-Identifier: Apache-2.0
#include "random/scaled_exp_coin.h"

#include <array>

#include "random/bernoulli.h"
#include "random/exp_bracket.h"

namespace discreet::random {
namespace {

/// floor(2^64 t ln 2), t = 0 ... 64.
const std::array<Int128, ScaledExpCoin::kShiftMax + 1>& logarithms() {
  static const auto table = [] {
    std::array<Int128, ScaledExpCoin::kShiftMax + 1> out{};
    for (int t = 1; t <= ScaledExpCoin::kShiftMax; ++t) {
      const Integer digits = floor_scaled(
          [t](int precision) {
            return Interval::around(t, precision) * log(Interval::around(2, precision));
          },
          64);
      out[static_cast<std::size_t>(t)] = to_int128(digits);
    }
    return out;
  }();
  return table;
}

}  // namespace

ScaledExpCoin::ScaledExpCoin(const Rational& rate)
    : rate_(rate),
      is_small_(fits_uint64(rate.numerator()) && fits_uint64(rate.denominator())),
      numerator_(is_small_ ? rate.numerator().get_ui() : 0),
      denominator_(is_small_ ? rate.denominator().get_ui() : 1) {}

Real ScaledExpCoin::chance(Int128 d, int t) const {
  return [x = -rate_ * Rational(to_integer(d)), scale = power_of_two(t)](int precision) {
    return exp(Interval::around(x, precision)) * Interval::around(scale, precision);
  };
}

Bracket ScaledExpCoin::bracket(Int128 d, int t) const {
  const auto exactly = [&] {
    const std::uint64_t digits = digits_of(chance(d, t), 64).get_ui();
    return Bracket{digits, digits};
  };
  Uint128 product = 0;
  if (!is_small_ ||
      __builtin_mul_overflow(Uint128{numerator_}, static_cast<Uint128>(d), &product)) {
    return exactly();
  }
  constexpr int kWholeMax = 64;  // t ln 2 < 45, and the rest must stay below one
  const Uint128 whole = product / denominator_;
  if (whole > kWholeMax) return exactly();
  const Uint128 rest = product - whole * denominator_;
  // With x = rate d:  scaled <= 2^64 x < scaled + 1  and  log <= 2^64 t ln 2 < log + 1, so that
  // 2^64 (x - t ln 2) lies between scaled - log - 1 and scaled - log + 1; and it is not negative.
  const auto scaled = static_cast<Int128>((whole << 64) + (rest << 64) / denominator_);
  const Int128 below = scaled - logarithms()[static_cast<std::size_t>(t)] - 1;
  if (below > Int128{~std::uint64_t{0}}) return exactly();
  return exp_bracket(static_cast<std::uint64_t>(below < 0 ? 0 : below), 2);
}

}  // namespace discreet::random
