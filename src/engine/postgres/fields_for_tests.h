// SPDX-License-Identifier: Apache-2.0
// Fields as no PostgreSQL, or a hostile one, would send them: random bytes, almost right ones,
// numerics of any length and beside the halves of a grid; and how each is read, slowly.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/postgres/binary.h"
#include "engine/postgres/types.h"
#include "engine/quantize.h"
#include "plan/grid.h"
#include "plan/random_for_tests.h"

namespace discreet::engine::postgres {

using namespace plan;

/// How many to try: DISCREET_CASES, if somebody asked for that many.
inline int field_cases(int usual) {
  const char* const asked = std::getenv("DISCREET_CASES");
  return asked == nullptr ? usual : std::atoi(asked);
}

template <class T>
std::string big_endian_bytes(T value) {
  std::string bytes;
  for (int shift = 8 * static_cast<int>(sizeof(T)) - 8; shift >= 0; shift -= 8) {
    bytes += static_cast<char>(static_cast<std::uint64_t>(value) >> shift);
  }
  return bytes;
}

/// A row of a binary COPY.
inline std::string row_of(const std::vector<std::optional<std::string>>& fields) {
  std::string row = big_endian_bytes(static_cast<std::int16_t>(fields.size()));
  for (const std::optional<std::string>& field : fields) {
    row += big_endian_bytes(field ? static_cast<std::int32_t>(field->size()) : -1);
    row += field.value_or("");
  }
  return row;
}

inline std::string random_bytes(Random& random, int most) {
  std::string bytes;
  for (int i = up_to(random, most); i > 0; --i) bytes += static_cast<char>(up_to(random, 255));
  return bytes;
}

struct NumericField {
  std::uint16_t count = 0;
  std::int16_t weight = 0;
  std::uint16_t sign = 0;
  std::uint16_t decimals = 0;
  std::vector<std::uint16_t> digits;

  std::string bytes() const {
    std::string out = big_endian_bytes(count) + big_endian_bytes(weight) + big_endian_bytes(sign) +
                      big_endian_bytes(decimals);
    for (const std::uint16_t digit : digits) out += big_endian_bytes(digit);
    return out;
  }
};

/// The first `places` digits of base 10,000 behind the point of a number, and all before it;
/// `more` is added to the last one.
inline NumericField numeric_near(const Rational& value, int places, int more) {
  Integer scale;
  mpz_ui_pow_ui(scale.get_mpz_t(), 10'000, static_cast<unsigned long>(places));
  Integer rest = Rational(value.abs() * Rational(scale)).floor() + more;
  NumericField field;
  field.sign = value.sign() < 0 ? 0x4000 : 0;
  if (rest <= 0) return field;
  std::string text = rest.get_str();
  text.insert(0, (4 - text.size() % 4) % 4, '0');
  for (std::size_t i = 0; i < text.size(); i += 4) {
    field.digits.push_back(static_cast<std::uint16_t>(std::stoi(text.substr(i, 4))));
  }
  field.count = static_cast<std::uint16_t>(field.digits.size());
  field.weight = static_cast<std::int16_t>(static_cast<int>(field.digits.size()) - 1 - places);
  field.decimals = static_cast<std::uint16_t>(4 * places);
  return field;
}

inline NumericField random_numeric(Random& random, const Grid& grid) {
  const std::int64_t span = ((grid.high - grid.low) / grid.step).numerator().get_si();
  const Rational low = grid.low - Rational(2) * grid.step;
  const auto most = static_cast<int>(std::min<std::int64_t>(span + 4, 1'000'000));
  const Rational half = low + Rational(2 * up_to(random, most) + 1) * grid.step / Rational(2);
  const int places = up_to(random, 9) == 0 ? up_to(random, 400) : up_to(random, 12);
  if (up_to(random, 1) == 0) return numeric_near(half, places, up_to(random, 2) - 1);
  NumericField field;
  field.sign =
      one_of_these<std::uint16_t>(random, {0, 0, 0, 0x4000, 0x4000, 0xC000, 0xD000, 0xF000});
  for (int i = places; i > 0; --i) {
    field.digits.push_back(static_cast<std::uint16_t>(
        up_to(random, 3) == 0 ? one_of_these<int>(random, {0, 0, 9'999}) : up_to(random, 9'999)));
  }
  field.count = static_cast<std::uint16_t>(field.digits.size());
  field.weight = static_cast<std::int16_t>(up_to(random, 9) == 0 ? up_to(random, 65'535) - 32'768
                                                                 : up_to(random, 12) - 6);
  field.decimals = static_cast<std::uint16_t>(up_to(random, 65'535));
  return field;
}

/// Bytes for a field of this type; about half of them are of its form.
inline std::string random_field(Random& random, unsigned int type, const Grid& grid) {
  std::string bytes;
  switch (type) {
    case kNumeric:
      bytes = random_numeric(random, grid).bytes();
      break;
    case kInt2:
      bytes = big_endian_bytes(static_cast<std::uint16_t>(random()));
      break;
    case kInt4:
    case kFloat4:
    case kDate:
      bytes = big_endian_bytes(static_cast<std::uint32_t>(random()));
      break;
    default:
      bytes = big_endian_bytes(static_cast<std::uint64_t>(random()) << 32 | random());
  }
  switch (up_to(random, 9)) {
    case 0:
      return random_bytes(random, 40);
    case 1:
      return bytes.substr(0,
                          static_cast<std::size_t>(up_to(random, static_cast<int>(bytes.size()))));
    case 2:
      return bytes + random_bytes(random, 3);
    case 3:
    case 4:
      if (!bytes.empty()) {
        bytes[static_cast<std::size_t>(up_to(random, static_cast<int>(bytes.size()) - 1))] =
            static_cast<char>(up_to(random, 255));
      }
      return bytes;
    default:
      return bytes;
  }
}

/// A numeric's value, by the definition; nothing for what is not one, NaN and infinities.
inline std::optional<Rational> numeric_value(std::string_view bytes) {
  const auto word = [&](std::size_t i) {
    return static_cast<std::uint8_t>(bytes[2 * i]) * 256 +
           static_cast<std::uint8_t>(bytes[2 * i + 1]);
  };
  if (bytes.size() < 8 || bytes.size() != 8 + 2 * static_cast<std::size_t>(word(0))) return {};
  const int sign = word(2);
  if (sign != 0 && sign != 0x4000) return {};
  Integer value = 0;
  for (std::size_t i = 4; i < bytes.size() / 2; ++i) {
    if (word(i) > 9'999) return {};
    value = value * 10'000 + word(i);
  }
  const int weight = static_cast<std::int16_t>(word(1));
  const int places = weight + 1 - word(0);
  Integer scale;
  mpz_ui_pow_ui(scale.get_mpz_t(), 10'000, static_cast<unsigned long>(std::abs(places)));
  if (sign != 0) value = -value;
  return places >= 0 ? Rational(Integer(value * scale)) : Rational::ratio(value, scale);
}

/// What StoredForm should say, from numbers of any size.
inline std::optional<std::int64_t> slow_steps(unsigned int type, std::string_view bytes,
                                              const Grid& grid) {
  const Quantizer quantizer(grid);
  std::uint64_t bits = 0;
  for (const char c : bytes) bits = bits << 8 | static_cast<std::uint8_t>(c);
  const auto whole = [&](std::size_t size, std::int64_t value,
                         std::int64_t later) -> std::optional<std::int64_t> {
    if (bytes.size() != size) return std::nullopt;
    return quantizer.from_rational(Rational(value) + Rational(later));
  };
  const auto real = [&](double value) -> std::optional<std::int64_t> {
    if (std::isnan(value)) return std::nullopt;
    if (std::isinf(value)) return value > 0 ? quantizer.high() : quantizer.low();
    const mpq_class exact(value);
    return quantizer.from_rational(Rational::ratio(exact.get_num(), exact.get_den()));
  };
  switch (type) {
    case kInt2:
      return whole(2, static_cast<std::int16_t>(bits), 0);
    case kInt4:
      return whole(4, static_cast<std::int32_t>(bits), 0);
    case kInt8:
      return whole(8, static_cast<std::int64_t>(bits), 0);
    case kDate:
      return whole(4, static_cast<std::int32_t>(bits), 10'957);
    case kTimestamp:
    case kTimestamptz:
      return whole(8, static_cast<std::int64_t>(bits), 946'684'800'000'000);
    case kFloat4:
      if (bytes.size() != 4) return std::nullopt;
      return real(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    case kFloat8:
      if (bytes.size() != 8) return std::nullopt;
      return real(std::bit_cast<double>(bits));
    default:
      break;
  }
  if (const std::optional<Rational> value = numeric_value(bytes)) {
    return quantizer.from_rational(*value);
  }
  // An infinity has a form too.
  if (bytes.size() < 8) return std::nullopt;
  std::string finite(bytes);
  const std::string sign = finite.substr(4, 2);
  finite[4] = finite[5] = '\0';
  if (!numeric_value(finite)) return std::nullopt;
  if (sign == std::string("\xD0\0", 2)) return quantizer.high();
  if (sign == std::string("\xF0\0", 2)) return quantizer.low();
  return std::nullopt;
}

}  // namespace discreet::engine::postgres
