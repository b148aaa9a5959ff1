// SPDX-License-Identifier: Apache-2.0
// IntegerMap: whole steps of one grid to whole steps of another, or to the integers of a
// measurement. Exact, total, and the same in SQL (a registered function) as in our own loops.
//
//   x -> round(slope * x + offset), into [low, high]
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "numeric/int128.h"
#include "numeric/rational.h"

namespace discreet::engine {

enum class Rounding { kNearest, kFloor, kCeiling };  ///< nearest: halves away from zero

class IntegerMap {
 public:
  struct Formula {
    Rational slope = 1;
    Rational offset = 0;
    Rounding rounding = Rounding::kNearest;
    std::int64_t low = std::numeric_limits<std::int64_t>::min();
    std::int64_t high = std::numeric_limits<std::int64_t>::max();
    friend bool operator==(const Formula&, const Formula&) = default;
  };

  IntegerMap() : IntegerMap(Formula{}) {}
  explicit IntegerMap(Formula formula);

  std::int64_t operator()(std::int64_t x) const {
    if (is_shift_) [[likely]] {
      Int128 y = static_cast<Int128>(x) + b_;
      return static_cast<std::int64_t>(y < low_ ? low_ : (y > high_ ? high_ : y));
    }
    std::int64_t y = 0;
    if (is_binary_ && !__builtin_mul_overflow(a_, x, &y) && !__builtin_add_overflow(y, b_, &y)) {
      const std::uint64_t size =
          y < 0 ? -static_cast<std::uint64_t>(y) : static_cast<std::uint64_t>(y);
      const auto rounded = static_cast<std::int64_t>((size + half_) >> shift_);  // below 2^63
      return clamp(y < 0 ? -rounded : rounded);
    }
    return general(x);
  }

  /// Whether it changes nothing in [low, high].
  bool is_identity_on(std::int64_t low, std::int64_t high) const;

  const Formula& formula() const { return formula_; }

 private:
  std::int64_t general(std::int64_t x) const;
  std::int64_t exact(std::int64_t x) const;  // the definition, in rationals; slow
  std::int64_t clamp(Int128 y) const {
    return static_cast<std::int64_t>(y < low_ ? low_ : (y > high_ ? high_ : y));
  }

  Formula formula_;
  // slope * x + offset = (a x + b) / d, all below 2^62; where they are not, is_small_ is false.
  std::int64_t a_ = 1;
  std::int64_t b_ = 0;
  std::int64_t d_ = 1;
  std::int64_t low_;
  std::int64_t high_;
  bool is_small_ = false;
  bool is_shift_ = false;  // slope 1, whole offset
  // d = 2^shift_ > 1, to the nearest: no division. half_ = d / 2.
  bool is_binary_ = false;
  int shift_ = 0;
  std::uint64_t half_ = 0;
};

/// "nearest 1/100*x+0 in 0..500": what explain shows and the registered function reads back.
std::string to_string(const IntegerMap::Formula& formula);
/// Requires: text made by to_string.
IntegerMap::Formula parse_formula(std::string_view text);

}  // namespace discreet::engine
