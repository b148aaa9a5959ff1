// SPDX-License-Identifier: Apache-2.0
#include "engine/postgres/binary.h"

#include <algorithm>
#include <cstdlib>

#include "engine/postgres/types.h"

namespace discreet::engine::postgres {
namespace {

constexpr std::uint16_t kNegative = 0x4000;
constexpr std::uint16_t kNan = 0xC000;
constexpr std::uint16_t kInfinity = 0xD000;
constexpr std::uint16_t kMinusInfinity = 0xF000;

/// The sum of digits[i] * 10000^(weight - i).
struct Numeric {
  int count;
  int weight;
  std::uint16_t sign;
  const char* digits;

  explicit Numeric(std::string_view bytes) {
    DISCREET_CHECK(bytes.size() >= 8);
    count = big_endian<std::int16_t>(bytes.data());
    weight = big_endian<std::int16_t>(bytes.data() + 2);
    sign = big_endian<std::uint16_t>(bytes.data() + 4);
    digits = bytes.data() + 8;
    DISCREET_CHECK(count >= 0 && bytes.size() >= 8 + 2 * static_cast<std::size_t>(count));
  }
  int digit(int i) const { return i < count ? big_endian<std::int16_t>(digits + 2 * i) : 0; }
  bool negative() const { return sign == kNegative; }

  Rational rational() const {
    Integer value = 0;
    for (int i = 0; i < count; ++i) value = value * 10'000 + digit(i);
    Integer scale;
    const int places = weight - count + 1;
    mpz_ui_pow_ui(scale.get_mpz_t(), 10'000, static_cast<unsigned long>(std::abs(places)));
    if (negative()) value = -value;
    return places >= 0 ? Rational(Integer(value * scale)) : Rational::ratio(value, scale);
  }
};

constexpr int kDigitsMax = 9;  // of base 10,000: below 2^120

constexpr std::int64_t kDays = 10'957;  // from 1970 to 2000
constexpr std::int64_t kMicroseconds = 946'684'800'000'000;

}  // namespace

std::optional<std::int64_t> numeric_steps(std::string_view bytes, const Quantizer& quantizer) {
  const Numeric number(bytes);
  switch (number.sign) {
    case kNan:
      return std::nullopt;
    case kInfinity:
      return quantizer.high();
    case kMinusInfinity:
      return quantizer.low();
    default:
      break;
  }
  // As an integer and 4 decimals for each digit behind the point.
  const int behind = std::max(0, number.count - 1 - number.weight);
  const int all = number.weight + 1 + behind;
  if (number.weight < -1 || all > kDigitsMax) return quantizer.from_rational(number.rational());
  Int128 value = 0;
  for (int i = 0; i < all; ++i) {
    value = value * 10'000 + number.digit(i);
  }
  return quantizer.from_decimal(number.negative() ? -value : value, 4 * behind);
}

Int128 numeric_integer(std::string_view bytes) {
  const Numeric number(bytes);
  Int128 value = 0;
  for (int i = 0; i <= number.weight; ++i) value = value * 10'000 + number.digit(i);
  return number.negative() ? -value : value;
}

std::optional<std::int64_t> stored_steps(unsigned int type, std::string_view bytes,
                                         const Quantizer& quantizer) {
  switch (type) {
    case kInt2:
      return quantizer.from_integer(big_endian<std::int16_t>(bytes.data()));
    case kInt4:
      return quantizer.from_integer(big_endian<std::int32_t>(bytes.data()));
    case kInt8:
      return quantizer.from_integer(big_endian<std::int64_t>(bytes.data()));
    case kFloat4:
      return quantizer.from_binary32(big_endian<std::uint32_t>(bytes.data()));
    case kFloat8:
      return quantizer.from_binary64(big_endian<std::uint64_t>(bytes.data()));
    case kNumeric:
      return numeric_steps(bytes, quantizer);
    case kDate:  // infinities are its ends
      return quantizer.from_integer(Int128{big_endian<std::int32_t>(bytes.data())} + kDays);
    case kTimestamp:
    case kTimestamptz:
      return quantizer.from_integer(Int128{big_endian<std::int64_t>(bytes.data())} + kMicroseconds);
    default:
      DISCREET_CHECK(false);
  }
}

}  // namespace discreet::engine::postgres
