// SPDX-License-Identifier: Apache-2.0
#include "privacy/shown.h"

#include <gtest/gtest.h>

#include <random>

namespace discreet::shown_test {
namespace {

Rational exact(const std::string& text) { return Rational::parse(text).value(); }

TEST(Shown, HasNoDust) {
  struct Row {
    const char* amount;
    const char* up;
    const char* down;
  };
  for (const Row& row :
       std::vector<Row>{{"1.9999999999986", "2", "1.99999999"},
                        {"0.9999999999983", "1", "0.999999999"},
                        {"0.333333333333", "0.333333334", "0.333333333"},
                        {"98.0000000000014", "98.0000001", "98"},
                        {"2", "2", "2"},
                        {"0", "0", "0"},
                        {"0.1", "0.1", "0.1"},
                        {"0.000001", "0.000001", "0.000001"},
                        {"1000", "1000", "1000"},
                        {"1099511627776", "1099511627776", "1099511627776"},
                        {"123456.7890125", "123456.789013", "123456.789012"},
                        {"1/3", "0.333333334", "0.333333333"},
                        {"0.000000000000000001", "0.000000000000000001", "0.000000000000000001"}}) {
    EXPECT_EQ(shown(exact(row.amount), Round::kUp), row.up);
    EXPECT_EQ(shown(exact(row.amount), Round::kDown), row.down);
  }
}

// Prices as questions have them: sums of shares of a round epsilon, each rounded down somewhere.
TEST(Shown, IsNeverBelowAPriceNorAboveWhatIsLeft) {
  std::mt19937_64 random(20);
  const auto below = [&](std::uint64_t n) { return static_cast<std::int64_t>(random() % n); };
  for (int i = 0; i < 20'000; ++i) {
    const Rational asked = Rational::ratio(1 + below(1000), 1 + below(1000)) *
                           Rational::ratio(1, i % 3 == 0 ? 1 : 1'000'000);
    Rational price = 0;
    const std::int64_t parts = 1 + below(9);
    const Rational unit = Rational::parse(i % 2 == 0 ? "1e-12" : "1e-18").value();
    for (std::int64_t part = 0; part < parts; ++part) {
      price = price + Rational((asked / Rational(parts) / unit).floor()) * unit;
    }
    const std::string up = shown(price, Round::kUp);
    const std::string down = shown(price, Round::kDown);
    EXPECT_GE(exact(up), price);
    EXPECT_LE(exact(down), price);
    EXPECT_LE(exact(up) - exact(down), price / Rational(100'000'000)) << price.to_string();
    // What was asked in few digits is what is shown.
    const bool is_short = asked.to_string().size() <= 9 && asked.to_string().find('/') == up.npos;
    const bool is_near = asked - price < asked / Rational(std::int64_t{10'000'000'000});
    if (is_short && is_near) {
      EXPECT_EQ(up, asked.to_string());
    }
    EXPECT_EQ(shown(exact(up), Round::kUp), up);
    EXPECT_EQ(shown(exact(up), Round::kDown), up);
  }
}

}  // namespace
}  // namespace discreet::shown_test
