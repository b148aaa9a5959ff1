// SPDX-License-Identifier: Apache-2.0
#include "engine/quantize.h"

#include <bit>
#include <string>

#include "base/check.h"

namespace discreet::engine {
namespace {

constexpr int kScaleMax = 38;  // of a decimal in any database's fixed width
constexpr std::uint64_t kPartLimit = std::uint64_t{1} << 62;

std::int64_t whole(const Rational& value) {
  DISCREET_CHECK(value.denominator() == 1 && value.numerator().fits_slong_p());
  return value.numerator().get_si();
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

/// How many of the first characters are digits.
std::size_t digits(std::string_view text) {
  std::size_t n = 0;
  while (n < text.size() && is_digit(text[n])) ++n;
  return n;
}

int width(std::uint64_t value) { return static_cast<int>(std::bit_width(value)); }

/// Whether text without its sign is digits, perhaps with a point, perhaps with an exponent.
bool is_plain_number(std::string_view text) {
  std::size_t before = digits(text);
  text.remove_prefix(before);
  std::size_t after = 0;
  if (!text.empty() && text.front() == '.') {
    text.remove_prefix(1);
    after = digits(text);
    text.remove_prefix(after);
  }
  if (before + after == 0) return false;
  if (text.empty()) return true;
  if (text.front() != 'e' && text.front() != 'E') return false;
  text.remove_prefix(1);
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  return !text.empty() && digits(text) == text.size();
}

}  // namespace

Quantizer::Quantizer(const policy::Grid& grid)
    : step_(grid.step), low_(whole(grid.low / grid.step)), high_(whole(grid.high / grid.step)) {
  DISCREET_CHECK(grid.step.sign() > 0 && low_ <= high_);
  Integer p = grid.step.numerator();
  Integer q = grid.step.denominator();
  if (p < Integer(kPartLimit) && q < Integer(kPartLimit)) {
    p_ = p.get_ui();
    q_ = q.get_ui();
  }
  step_is_one_ = p_ == 1 && q_ == 1;
  Integer power = 1;
  for (int scale = 0; scale <= kScaleMax && p == 1 && step_scale_ < 0; ++scale, power *= 10) {
    if (power == q) step_scale_ = scale;
  }
  is_fine_ = p_ == 1 && q_ < (std::uint64_t{1} << 10);
}

std::int64_t Quantizer::clamp(bool negative, Uint128 steps) const {
  if (steps > (Uint128{1} << 63)) return negative ? low_ : high_;
  Int128 value = negative ? -static_cast<Int128>(steps) : static_cast<Int128>(steps);
  return static_cast<std::int64_t>(value < low_ ? low_ : (value > high_ ? high_ : value));
}

std::int64_t Quantizer::exact(const Rational& value) const {
  Integer steps = (value / step_).round();
  if (steps < Integer(low_)) return low_;
  if (steps > Integer(high_)) return high_;
  return steps.get_si();
}

std::int64_t Quantizer::ratio(bool negative, Uint128 magnitude, Uint128 divisor) const {
  Uint128 quotient = 0;
  Uint128 rest = 0;
  if (divisor == 1) return clamp(negative, magnitude);
  if ((magnitude >> 64) == 0 && (divisor >> 64) == 0) {  // the hardware's division
    auto small = static_cast<std::uint64_t>(magnitude);
    quotient = small / static_cast<std::uint64_t>(divisor);
    rest = small % static_cast<std::uint64_t>(divisor);
  } else {
    quotient = magnitude / divisor;
    rest = magnitude % divisor;
  }
  return clamp(negative, quotient + (rest >= divisor - rest ? 1 : 0));
}

std::int64_t Quantizer::from_decimal(Int128 value, int scale) const {
  bool negative = value < 0;
  Uint128 magnitude = negative ? -static_cast<Uint128>(value) : static_cast<Uint128>(value);
  Uint128 divisor = p_;
  bool overflow = p_ == 0 || __builtin_mul_overflow(magnitude, Uint128{q_}, &magnitude);
  for (int i = 0; i < scale && !overflow; ++i) {
    overflow = __builtin_mul_overflow(divisor, Uint128{10}, &divisor);
  }
  if (!overflow) return ratio(negative, magnitude, divisor);
  Integer power = 1;
  for (int i = 0; i < scale; ++i) power *= 10;
  return exact(Rational::ratio(to_integer(value), power));
}

std::int64_t Quantizer::from_parts(bool negative, std::uint64_t mantissa, int exponent) const {
  if (p_ == 0) {
    Rational value = Rational(Integer(mantissa)) * power_of_two(exponent);
    return exact(negative ? -value : value);
  }
  if (mantissa == 0) return clamp(false, 0);
  if (exponent >= 0) {
    // The ends are below 2^63 steps of less than 2^62 each.
    if (width(mantissa) + exponent > 126) return negative ? low_ : high_;
    auto value = static_cast<Int128>(Uint128{mantissa} << exponent);
    return from_decimal(negative ? -value : value, 0);
  }
  Uint128 magnitude = Uint128{mantissa} * q_;
  int shift = -exponent;
  if (p_ == 1 && shift < 127) {
    Uint128 half = Uint128{1} << (shift - 1);
    return clamp(negative, (magnitude + half) >> shift);  // below 2^115 + 2^126
  }
  if (shift + width(p_) > 126) return clamp(false, 0);  // below 2^115 / 2^125: nearest to 0
  return ratio(negative, magnitude, Uint128{p_} << shift);
}

std::optional<std::int64_t> Quantizer::general_binary64(std::uint64_t bits) const {
  bool negative = (bits >> 63) != 0;
  int exponent = static_cast<int>((bits >> 52) & 0x7ff);
  std::uint64_t mantissa = bits & ((std::uint64_t{1} << 52) - 1);
  if (exponent == 0x7ff) {
    if (mantissa != 0) return std::nullopt;
    return negative ? low_ : high_;
  }
  if (exponent == 0) return from_parts(negative, mantissa, -1074);
  return from_parts(negative, mantissa | (std::uint64_t{1} << 52), exponent - 1075);
}

std::optional<std::int64_t> Quantizer::from_binary32(std::uint32_t bits) const {
  bool negative = (bits >> 31) != 0;
  int exponent = static_cast<int>((bits >> 23) & 0xff);
  std::uint32_t mantissa = bits & ((std::uint32_t{1} << 23) - 1);
  if (exponent == 0xff) {
    if (mantissa != 0) return std::nullopt;
    return negative ? low_ : high_;
  }
  if (exponent == 0) return from_parts(negative, mantissa, -149);
  return from_parts(negative, mantissa | (std::uint32_t{1} << 23), exponent - 150);
}

std::optional<std::int64_t> Quantizer::from_text(std::string_view text) const {
  if (text.size() > 1000) return std::nullopt;
  text = without_blanks(text);
  bool negative = !text.empty() && text.front() == '-';
  if (negative || (!text.empty() && text.front() == '+')) text.remove_prefix(1);
  if (!is_plain_number(text)) return std::nullopt;
  if (text.size() <= 18 && text.find_first_of("eE") == text.npos) {
    std::int64_t value = 0;
    int scale = 0;
    bool after_point = false;
    for (char c : text) {
      if (c == '.') {
        after_point = true;
        continue;
      }
      value = value * 10 + (c - '0');
      scale += after_point ? 1 : 0;
    }
    return from_decimal(negative ? -value : value, scale);
  }
  Result<Rational> value = Rational::parse(text);
  if (!value.has_value()) return std::nullopt;  // an exponent beyond 1,000
  return exact(negative ? -*value : *value);
}

}  // namespace discreet::engine
