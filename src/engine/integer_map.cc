// SPDX-License-Identifier: Apache-2.0
#include "engine/integer_map.h"

#include <bit>
#include <sstream>
#include <utility>

#include "base/check.h"

namespace discreet::engine {
namespace {

/// Below 2^62 in size.
bool is_small(const Integer& value) { return mpz_sizeinbase(value.get_mpz_t(), 2) <= 62; }

Int128 divide(Int128 n, Int128 d, Rounding rounding) {  // d > 0
  Int128 quotient = 0;
  Int128 rest = 0;
  if (n == static_cast<std::int64_t>(n) && d == static_cast<std::int64_t>(d)) {
    quotient = static_cast<std::int64_t>(n) / static_cast<std::int64_t>(d);
    rest = static_cast<std::int64_t>(n) % static_cast<std::int64_t>(d);
  } else {
    quotient = n / d;
    rest = n % d;
  }
  Int128 size = rest < 0 ? -rest : rest;
  switch (rounding) {
    case Rounding::kNearest:
      return quotient + (size >= d - size ? (n < 0 ? -1 : 1) : 0);
    case Rounding::kFloor:
      return quotient - (rest < 0 ? 1 : 0);
    case Rounding::kCeiling:
      return quotient + (rest > 0 ? 1 : 0);
  }
  DISCREET_CHECK(false);
}

constexpr std::pair<Rounding, std::string_view> kNames[] = {
    {Rounding::kNearest, "nearest"}, {Rounding::kFloor, "floor"}, {Rounding::kCeiling, "ceiling"}};

/// Up to and without the next `mark`, or all that is left.
std::string_view take_until(std::string_view& text, std::string_view mark) {
  std::size_t at = std::min(text.find(mark), text.size());
  std::string_view front = text.substr(0, at);
  text.remove_prefix(std::min(at + mark.size(), text.size()));
  return front;
}

Rational number(std::string_view text) {
  Result<Rational> value = Rational::parse(text);
  DISCREET_CHECK(value.has_value());
  return *value;
}

std::string fraction(const Rational& value) { return value.mpq().get_str(); }

}  // namespace

IntegerMap::IntegerMap(Formula formula)
    : formula_(std::move(formula)), low_(formula_.low), high_(formula_.high) {
  DISCREET_CHECK(low_ <= high_);
  Integer d = lcm(formula_.slope.denominator(), formula_.offset.denominator());
  Integer a = (formula_.slope * Rational(d)).numerator();
  Integer b = (formula_.offset * Rational(d)).numerator();
  is_small_ = is_small(a) && is_small(b) && is_small(d);
  if (!is_small_) return;
  a_ = a.get_si();
  b_ = b.get_si();
  d_ = d.get_si();
  is_shift_ = a_ == 1 && d_ == 1;
  const auto divisor = static_cast<std::uint64_t>(d_);
  is_binary_ = d_ > 1 && std::has_single_bit(divisor) && formula_.rounding == Rounding::kNearest;
  shift_ = std::countr_zero(divisor);
  half_ = divisor / 2;
}

std::int64_t IntegerMap::general(std::int64_t x) const {
  if (!is_small_) return exact(x);
  Int128 y = static_cast<Int128>(a_) * x + b_;  // below 2^62 * 2^63 + 2^62
  return clamp(divide(y, d_, formula_.rounding));
}

std::int64_t IntegerMap::exact(std::int64_t x) const {
  Rational y = formula_.slope * Rational(x) + formula_.offset;
  Integer whole = formula_.rounding == Rounding::kNearest ? y.round()
                  : formula_.rounding == Rounding::kFloor ? y.floor()
                                                          : y.ceil();
  if (whole < Integer(low_)) return low_;
  if (whole > Integer(high_)) return high_;
  return whole.get_si();
}

bool IntegerMap::is_identity_on(std::int64_t low, std::int64_t high) const {
  return is_shift_ && b_ == 0 && low_ <= low && high <= high_;
}

std::string to_string(const IntegerMap::Formula& formula) {
  std::ostringstream out;
  for (const auto& [rounding, name] : kNames) {
    if (rounding == formula.rounding) out << name << ' ';
  }
  out << fraction(formula.slope) << "*x+" << fraction(formula.offset) << " in " << formula.low
      << ".." << formula.high;
  return out.str();
}

IntegerMap::Formula parse_formula(std::string_view text) {
  IntegerMap::Formula formula;
  std::string_view rounding = take_until(text, " ");
  for (const auto& [value, name] : kNames) {
    if (name == rounding) formula.rounding = value;
  }
  formula.slope = number(take_until(text, "*x+"));
  formula.offset = number(take_until(text, " in "));
  auto whole = [](std::string_view digits) {
    Integer value = number(digits).numerator();
    DISCREET_CHECK(value.fits_slong_p());
    return static_cast<std::int64_t>(value.get_si());
  };
  formula.low = whole(take_until(text, ".."));
  formula.high = whole(text);
  return formula;
}

}  // namespace discreet::engine
