// SPDX-License-Identifier: Apache-2.0
#include "engine/postgres/binary.h"

#include <algorithm>

#include "engine/postgres/types.h"

namespace discreet::engine::postgres {
namespace {

constexpr int kBase = 10'000;
constexpr int kDecimals = 4;  // of a digit

}  // namespace

/// A numeric as PostgreSQL sends it (numeric_send): how many digits, the first one's place, the
/// sign, how many decimals it shows, the digits. Its value is the sum of digit(k) * 10000^k.
class Numeric {
 public:
  enum class Sign { kPositive, kNegative, kNan, kInfinity, kMinusInfinity };

  /// Nothing for bytes that are not such a number.
  static std::optional<Numeric> parse(std::string_view bytes);

  Sign sign() const { return sign_; }
  bool negative() const { return sign_ == Sign::kNegative; }
  /// The places of its first digit, which is not 0, and of its last one. Of 0: 0 and 1.
  int first() const { return first_; }
  int last() const { return first_ + 1 - static_cast<int>(digits_.size() / 2); }
  /// 0 outside of these.
  int digit(int place) const;

 private:
  static std::optional<Sign> sign_of(std::uint16_t word);

  Sign sign_ = Sign::kPositive;
  int first_ = 0;
  std::string_view digits_;
};

std::optional<Numeric::Sign> Numeric::sign_of(std::uint16_t word) {
  switch (word) {
    case 0x0000:
      return Sign::kPositive;
    case 0x4000:
      return Sign::kNegative;
    case 0xC000:
      return Sign::kNan;
    case 0xD000:
      return Sign::kInfinity;
    case 0xF000:
      return Sign::kMinusInfinity;
    default:
      return std::nullopt;
  }
}

std::optional<Numeric> Numeric::parse(std::string_view bytes) {
  constexpr std::size_t kHead = 8;
  if (bytes.size() < kHead) return std::nullopt;
  const std::size_t count = big_endian<std::uint16_t>(bytes.data());
  const std::optional<Sign> sign = sign_of(big_endian<std::uint16_t>(bytes.data() + 4));
  std::string_view digits = bytes.substr(kHead);
  if (!sign || digits.size() != 2 * count) return std::nullopt;
  bool fine = true;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    fine &= big_endian<std::uint16_t>(digits.data() + i) < kBase;
  }
  if (!fine) return std::nullopt;
  int first = big_endian<std::int16_t>(bytes.data() + 2);
  for (; !digits.empty() && digits[0] == 0 && digits[1] == 0; --first) digits.remove_prefix(2);
  Numeric number;
  number.sign_ = *sign;
  number.first_ = digits.empty() ? 0 : first;
  number.digits_ = digits;
  return number;
}

int Numeric::digit(int place) const {
  if (place > first_ || place < last()) return 0;
  return big_endian<std::uint16_t>(digits_.data() + 2 * static_cast<std::size_t>(first_ - place));
}

namespace {

constexpr int kDigitsMax = 9;    // of base 10,000: below 2^120
constexpr int kFirstLeast = -2;  // so that a scale stays small

/// The least n with 10000^n >= value.
int places_above(const Rational& value) {
  int places = 0;
  for (Integer power = 1; Rational(power) < value; power *= kBase) ++places;
  return places;
}

constexpr std::int64_t kDays = 10'957;  // from 1970 to 2000
constexpr std::int64_t kMicroseconds = 946'684'800'000'000;

}  // namespace

std::optional<std::string_view> FieldReader::next() {
  constexpr std::size_t kLength = 4;
  if (rest_.size() < kLength) {
    rest_ = {};
    return std::nullopt;
  }
  const auto size = big_endian<std::int32_t>(rest_.data());
  rest_.remove_prefix(kLength);
  if (size < 0) return std::nullopt;
  if (rest_.size() < static_cast<std::size_t>(size)) {
    rest_ = {};
    return std::nullopt;
  }
  const std::string_view field = rest_.substr(0, static_cast<std::size_t>(size));
  rest_.remove_prefix(field.size());
  return field;
}

std::optional<Int128> numeric_integer(std::optional<std::string_view> field) {
  constexpr int kPlacesMost = 10;  // 10^40 is above 2^126
  const std::optional<Numeric> number = field ? Numeric::parse(*field) : std::nullopt;
  if (!number || number->first() >= kPlacesMost) return std::nullopt;
  if (number->sign() != Numeric::Sign::kPositive && !number->negative()) return std::nullopt;
  for (int place = std::min(-1, number->first()); place >= number->last(); --place) {
    if (number->digit(place) != 0) return std::nullopt;
  }
  constexpr Int128 kLimit = Int128{1} << 126;
  Int128 value = 0;
  for (int place = number->first(); place >= 0; --place) {
    if (value > kLimit / kBase) return std::nullopt;
    value = value * kBase + number->digit(place);
  }
  if (value >= kLimit) return std::nullopt;
  return number->negative() ? -value : value;
}

StoredForm::StoredForm(unsigned int type, const policy::Grid& grid)
    : type_(type), quantizer_(grid) {
  const Integer p = grid.step.numerator();
  most_ =
      std::max(Integer(abs(Integer(quantizer_.low()))), Integer(abs(Integer(quantizer_.high()))));
  reach_ = places_above(Rational(Integer(most_ + 1)) * grid.step);
  behind_ = places_above(Rational(1) / grid.step);
  twice_q_ = 2 * grid.step.denominator();
  Integer scale;
  mpz_ui_pow_ui(scale.get_mpz_t(), kBase, static_cast<unsigned long>(behind_));
  half_ = p * scale;
}

std::optional<std::int64_t> StoredForm::steps(std::string_view bytes) const {
  switch (type_) {
    case kInt2:
      return whole<std::int16_t>(bytes, 0);
    case kInt4:
      return whole<std::int32_t>(bytes, 0);
    case kInt8:
      return whole<std::int64_t>(bytes, 0);
    case kFloat4: {
      const auto bits = fixed<std::uint32_t>(bytes);
      return bits ? quantizer_.from_binary32(*bits) : std::nullopt;
    }
    case kFloat8: {
      const auto bits = fixed<std::uint64_t>(bytes);
      return bits ? quantizer_.from_binary64(*bits) : std::nullopt;
    }
    case kNumeric: {
      const std::optional<Numeric> number = Numeric::parse(bytes);
      return number ? numeric(*number) : std::nullopt;
    }
    case kDate:  // infinities are its ends
      return whole<std::int32_t>(bytes, kDays);
    case kTimestamp:
    case kTimestamptz:
      return whole<std::int64_t>(bytes, kMicroseconds);
    default:  // not fetched as it is
      return std::nullopt;
  }
}

template <class T>
std::optional<std::int64_t> StoredForm::whole(std::string_view bytes, std::int64_t later) const {
  const std::optional<T> value = fixed<T>(bytes);
  if (!value) return std::nullopt;
  return quantizer_.from_integer(Int128{*value} + later);
}

std::optional<std::int64_t> StoredForm::numeric(const Numeric& number) const {
  switch (number.sign()) {
    case Numeric::Sign::kNan:
      return std::nullopt;
    case Numeric::Sign::kInfinity:
      return quantizer_.high();
    case Numeric::Sign::kMinusInfinity:
      return quantizer_.low();
    case Numeric::Sign::kPositive:
    case Numeric::Sign::kNegative:
      break;
  }
  // As an integer and 4 decimals for each digit behind the point.
  const int behind = std::max(0, -number.last());
  if (number.first() < kFirstLeast || number.first() + behind >= kDigitsMax) {
    return long_numeric(number);
  }
  Int128 value = 0;
  for (int place = number.first(); place >= -behind; --place) {
    value = value * kBase + number.digit(place);
  }
  return quantizer_.from_decimal(number.negative() ? -value : value, kDecimals * behind);
}

// Where the number is beyond the grid its first place says so. Else |x| = X + f, where X are the
// digits down to the place -behind_, at which a one is at most a step. X is rounded:
//   round(x q/p) = floor((2 q x + p) / 2p),
// and whether f reaches the next whole number is found digit by digit: it has to be gap / 2q in
// units of that place, which is more than all that may follow as soon as gap >= 2q.
std::int64_t StoredForm::long_numeric(const Numeric& number) const {
  const std::int64_t end = number.negative() ? quantizer_.low() : quantizer_.high();
  if (number.first() > reach_) return end;
  Integer taken = 0;  // X 10000^behind_
  for (int place = std::max(number.first(), -behind_); place >= -behind_; --place) {
    taken = taken * kBase + number.digit(place);
  }
  const Integer above = twice_q_ * taken + half_;
  const Integer divisor = 2 * half_;
  Integer steps = above / divisor;
  Integer gap = divisor - above % divisor;
  for (int place = -behind_ - 1; place >= number.last() && gap < twice_q_; --place) {
    gap = gap * kBase - twice_q_ * number.digit(place);
    if (gap > 0) continue;
    ++steps;
    break;
  }
  if (steps > most_) return end;
  const std::int64_t value = number.negative() ? -steps.get_si() : steps.get_si();
  return std::clamp(value, quantizer_.low(), quantizer_.high());
}

}  // namespace discreet::engine::postgres
