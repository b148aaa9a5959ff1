// SPDX-License-Identifier: Apache-2.0
// One value as PostgreSQL and DuckDB store it and as the reference sees it: with NaN, infinities,
// the ends of types, halves of steps, odd texts.
#pragma once

#include <gmpxx.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "engine/lowering/sql.h"
#include "plan/random_for_tests.h"

namespace discreet::engine::postgres {

using namespace plan;
using lowering::quote_text;

/// One value in both databases' SQL and as the reference sees it.
struct Cell {
  std::string postgres;
  std::string duckdb;
  Value reference;
};

inline Cell null_cell() { return {"NULL", "NULL", null_value()}; }

/// All digits of a number that has at most 50 of them behind the point.
inline std::string digits_of(const Rational& value) {
  std::string digits = Rational(value.abs() * power_of_ten(50)).numerator().get_str();
  if (digits.size() < 51) digits.insert(0, 51 - digits.size(), '0');
  digits.insert(digits.size() - 50, ".");
  while (digits.back() == '0') digits.pop_back();
  if (digits.back() == '.') digits.pop_back();
  return (value.sign() < 0 ? "-" : "") + digits;
}

inline Cell number_cell(const Rational& value) {
  return {"'" + digits_of(value) + "'", "'" + digits_of(value) + "'", decimal_value(value)};
}

inline Rational far(bool negative) {
  const Rational big = power_of_ten(30);
  return negative ? -big : big;
}

inline Cell whole_cell(Random& random, int bits) {
  const Rational most = power_of_two(bits - 1) - Rational(1);
  switch (up_to(random, 9)) {
    case 0:
      return number_cell(most);
    case 1:
      return number_cell(-most - Rational(1));
    default:
      return number_cell(Rational(up_to(random, 240) - 90));
  }
}

inline Cell decimal_cell(Random& random) {
  switch (up_to(random, 7)) {
    case 0:
      return number_cell(power_of_ten(28) - power_of_ten(-10));
    case 1:
      return number_cell(power_of_ten(-10) - power_of_ten(28));
    case 2:  // halves of many steps
      return number_cell(Rational::ratio(up_to(random, 400) * 2 - 401, 200));
    case 3:
      return number_cell(Rational::ratio(up_to(random, 400) - 200, 8));
    default:
      return number_cell(Rational(up_to(random, 2'000'000) - 900'000) * power_of_ten(-4));
  }
}

/// As a numeric of any length, which DuckDB holds as text.
inline Cell numeric_cell(Random& random) {
  switch (up_to(random, 9)) {
    case 0:
      return {"'NaN'", "'NaN'", null_value()};
    case 1:
      return {"'Infinity'", "'1e300'", decimal_value(far(false))};
    case 2:
      return {"'-Infinity'", "'-1e300'", decimal_value(far(true))};
    case 3:
      return number_cell(Rational(up_to(random, 9) - 5) / Rational(2) + power_of_ten(-40));
    case 4:
      return number_cell(power_of_ten(60) * Rational(up_to(random, 2) - 1));
    case 5:
      return number_cell(Rational(up_to(random, 9) - 5) * power_of_ten(-30));
    default:
      return decimal_cell(random);
  }
}

/// Of numeric(9,2).
inline Cell short_decimal_cell(Random& random) {
  switch (up_to(random, 5)) {
    case 0:
      return number_cell(power_of_ten(7) - power_of_ten(-2));
    case 1:
      return number_cell(power_of_ten(-2) - power_of_ten(7));
    case 2:
      return {"'NaN'", "NULL", null_value()};
    default:
      return number_cell(Rational(up_to(random, 60'000) - 20'000) * power_of_ten(-2));
  }
}

inline Cell float_cell(Random& random, bool single) {
  double value = 0;
  switch (up_to(random, 11)) {
    case 0:
      return {"'NaN'", "'NaN'", null_value()};
    case 1:
      return {"'Infinity'", "'inf'", decimal_value(far(false))};
    case 2:
      return {"'-Infinity'", "'-inf'", decimal_value(far(true))};
    case 3:
      value = -0.0;
      break;
    case 4:
      value = one_of_these<double>(random, {1e-40, -1e-44, 5e-324, -5e-324, 1e-310, -1e-60});
      break;
    case 5:
      value = one_of_these<double>(random, {1e38, -3e38, 1e308, -1.7e308});
      if (single) value = std::ldexp(std::copysign(1.0, value), 127);
      break;
    case 6:  // what is nearly a half of a cent
      value = (2 * up_to(random, 2'000) - 2'001) / 200.0;
      break;
    case 7:
      value = (2 * up_to(random, 400) - 401) / 8.0;
      break;
    case 8: {
      std::uint32_t bits = static_cast<std::uint32_t>(random());
      float any = 0;
      std::memcpy(&any, &bits, sizeof any);
      if (std::isfinite(any)) value = any;
      break;
    }
    default:
      value = std::ldexp(static_cast<double>(random()), -25) - 40;
  }
  if (single) value = static_cast<float>(value);
  char text[64];
  std::snprintf(text, sizeof text, "'%.17g'", value);
  const mpq_class exact(value);
  return {text, text, decimal_value(Rational::ratio(exact.get_num(), exact.get_den()))};
}

inline const std::vector<std::string>& odd_texts() {
  static const std::vector<std::string> texts = {"",
                                                 " ",
                                                 "a",
                                                 "A",
                                                 "ä",
                                                 "Ä",
                                                 "a\xCC\x88",
                                                 "ß",
                                                 "SS",
                                                 "İ",
                                                 "日本語",
                                                 "it's",
                                                 "\"q\"",
                                                 "\\",
                                                 "%",
                                                 "a_b",
                                                 "😀",
                                                 "é",
                                                 "e\xCC\x81",
                                                 "z ",
                                                 "z",
                                                 "'; DROP TABLE t; --",
                                                 std::string(300, 'x'),
                                                 std::string(256, 'x') + "y",
                                                 "\n",
                                                 "\xEF\xBF\xBF"};
  return texts;
}

inline Cell text_cell(Random& random) {
  const std::string text = one_of_these(random, odd_texts());
  return {quote_text(text), quote_text(text), text_value(text)};
}

/// Texts in a column that is declared as a number.
inline Cell number_text_cell(Random& random) {
  const std::string text = one_of_these<std::string>(random, {"12",      " 1e1\t",
                                                              "x",       "--1",
                                                              ".5",      "5.",
                                                              "1e1001",  "1e1000",
                                                              "-1e1000", "0x10",
                                                              "1_0",     "\xD9\xA1\xD9\xA2",
                                                              "NaN",     "Infinity",
                                                              "1e-999",  "",
                                                              ".",       "e5",
                                                              "+7.25",   "1 2",
                                                              "1e0999",  "1e00999",
                                                              "7\n",     "\v7",
                                                              "-0.125",  std::string(1001, '1')});
  const auto number = plain_number(text);
  return {quote_text(text), quote_text(text), number ? decimal_value(*number) : null_value()};
}

inline Cell date_cell(Random& random, Type declared) {
  const Rational day_length =
      declared == Type::kTimestamp ? Rational(kMicrosecondsPerDay) : Rational(1);
  const auto made = [&](const std::string& pg, const std::string& dd, const Rational& days) {
    return Cell{"'" + pg + "'", "'" + dd + "'", Value{days * day_length, declared}};
  };
  switch (up_to(random, 7)) {
    case 0:
      return made("infinity", "infinity", Rational(1'000'000'000));
    case 1:
      return made("-infinity", "-infinity", Rational(-1'000'000'000));
    case 2:
      return made("0044-03-15 BC", "0044-03-15 (BC)", Rational(-730'000));
    case 3:
      return made("12345-01-01", "12345-01-01", Rational(3'800'000));
    case 4:
      return made("9999-12-31", "9999-12-31", Rational(kLastDay));
    default: {
      const std::int64_t day = 18'000 + up_to(random, 2'600);
      const Civil civil = civil_of(day);
      char text[64];
      std::snprintf(text, sizeof text, "%04d-%02d-%02d", static_cast<int>(civil.year), civil.month,
                    civil.day);
      return made(text, text, Rational(day));
    }
  }
}

inline Cell moment_cell(Random& random, Type declared) {
  const Cell date = date_cell(random, Type::kDate);
  const bool infinite = date.postgres.find("infinity") != std::string::npos;
  if (infinite || date.postgres.find("BC") != std::string::npos) {
    return {date.postgres, date.duckdb,
            declared == Type::kDate
                ? date.reference
                : Value{date.reference.number() * Rational(kMicrosecondsPerDay), declared}};
  }
  const int second = up_to(random, 86'399);
  const int micro = up_to(random, 2) == 0 ? 0 : up_to(random, 999'999);
  char clock[64];
  std::snprintf(clock, sizeof clock, " %02d:%02d:%02d.%06d'", second / 3600, second / 60 % 60,
                second % 60, micro);
  const auto with = [&](std::string text) {
    text.pop_back();
    return text + clock;
  };
  const Rational moment = date.reference.number() * Rational(kMicrosecondsPerDay) +
                          Rational(std::int64_t{second} * 1'000'000 + micro);
  return {with(date.postgres), with(date.duckdb),
          declared == Type::kDate ? date.reference : Value{moment, declared}};
}

}  // namespace discreet::engine::postgres
