// SPDX-License-Identifier: Apache-2.0
// Raw numbers to whole steps of a declared grid: the nearest step, halves away from zero, then into
// [low, high]. One rule for every way in which a file may hold a number, exact, and total:
//
//   NaN, and text that is no number     NULL
//   infinities, and all that is beyond  the nearer end
//   -0.0, subnormals                    0, or the end that is nearest
//
// Binary floating-point numbers are taken apart as bits: no arithmetic is done in them, so neither
// their rounding nor the time that subnormals take can tell anything (FP-6, A2).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "numeric/int128.h"
#include "policy/policy.h"

namespace discreet::engine {

class Quantizer {
 public:
  /// Requires: the ends, in steps, fit 63 bits.
  explicit Quantizer(const policy::Grid& grid);

  std::int64_t low() const { return low_; }
  std::int64_t high() const { return high_; }

  std::int64_t from_integer(Int128 value) const {
    if (step_is_one_)
      return value < low_ ? low_ : value > high_ ? high_ : static_cast<std::int64_t>(value);
    return from_decimal(value, 0);
  }
  /// Whether 10^-scale is the step: from_decimal then only brings a value into the range.
  bool reads_steps(int scale) const { return scale == step_scale_; }
  /// value * 10^-scale.
  std::int64_t from_decimal(Int128 value, int scale) const;
  /// The 64 bits of an IEEE 754 binary64, or the 32 bits of a binary32.
  std::optional<std::int64_t> from_binary64(std::uint64_t bits) const {
    // The usual: a step of 1/q, a number with a fraction. All in 64 bits.
    const int shift = 1075 - static_cast<int>((bits >> 52) & 0x7ff);
    if (is_fine_ && shift > 0 && shift < 64) [[likely]] {
      const std::uint64_t mantissa =
          (bits & ((std::uint64_t{1} << 52) - 1)) | (std::uint64_t{1} << 52);
      const auto steps = static_cast<std::int64_t>(
          (mantissa * q_ + (std::uint64_t{1} << (shift - 1))) >> shift);  // below 2^63 + 2^63
      const std::int64_t value = (bits >> 63) != 0 ? -steps : steps;
      return value < low_ ? low_ : (value > high_ ? high_ : value);
    }
    return general_binary64(bits);
  }
  std::optional<std::int64_t> from_binary32(std::uint32_t bits) const;
  std::int64_t from_rational(const Rational& value) const { return exact(value); }
  /// Blanks, a sign, digits with at most one point among them, an exponent, blanks; at most 1,000
  /// characters. Anything else is no number.
  std::optional<std::int64_t> from_text(std::string_view text) const;

 private:
  std::optional<std::int64_t> general_binary64(std::uint64_t bits) const;
  /// (-1)^negative * mantissa * 2^exponent.
  std::int64_t from_parts(bool negative, std::uint64_t mantissa, int exponent) const;
  /// (-1)^negative * magnitude / divisor, in units of 1/q.
  std::int64_t ratio(bool negative, Uint128 magnitude, Uint128 divisor) const;
  std::int64_t exact(const Rational& value) const;  // the rule itself; slow
  std::int64_t clamp(bool negative, Uint128 steps) const;

  Rational step_;
  std::int64_t low_ = 0;
  std::int64_t high_ = 0;
  std::uint64_t p_ = 0;  // step = p/q when both are below 2^62; else 0, and everything is slow
  std::uint64_t q_ = 0;
  bool step_is_one_ = false;
  int step_scale_ = -1;   // step = 10^-step_scale_, if there is one
  bool is_fine_ = false;  // p = 1, q < 2^10: a mantissa times q is below 2^63
};

}  // namespace discreet::engine
