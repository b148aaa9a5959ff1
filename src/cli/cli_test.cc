// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdlib>
#include <string>

#include "base/suggest.h"
#include "cli/candidates.h"
#include "cli/draws.h"
#include "cli/price.h"
#include "numeric/rational.h"
#include "report/number.h"

namespace discreet::cli::cli_test {
namespace {

std::string line(std::int64_t draw, const LineForm& form = {}) {
  char buffer[kLineMax];
  return {buffer, put_line(buffer, draw, form)};
}

TEST(PutLine, WritesTheLimits) {
  EXPECT_EQ(line(0), "0\n");
  EXPECT_EQ(line(-7), "-7\n");
  EXPECT_EQ(line(INT64_MAX), "9223372036854775807\n");
  EXPECT_EQ(line(INT64_MIN), "-9223372036854775808\n");
  EXPECT_EQ(line(-5, {.low = 0, .high = 3, .factor = 1, .decimals = 0}), "0\n");
  EXPECT_EQ(line(5, {.low = 0, .high = 3, .factor = 1, .decimals = 0}), "3\n");
  LineForm widest;
  widest.factor = INT64_MAX;
  widest.decimals = 18;
  EXPECT_LE(line(INT64_MIN, widest).size(), kLineMax);
}

RC_GTEST_PROP(PutLineLaws, WritesTheExactDecimal, (std::int64_t draw, std::int32_t factor)) {
  RC_PRE(factor > 0);
  LineForm form;
  form.factor = factor;
  form.decimals = *rc::gen::inRange(0, 19);
  Integer scale;
  mpz_ui_pow_ui(scale.get_mpz_t(), 10, static_cast<unsigned long>(form.decimals));
  const Rational exact =
      Rational(draw) * Rational::ratio(Integer(static_cast<long>(factor)), scale);
  RC_ASSERT(line(draw, form) ==
            report::fixed(exact, form.decimals, report::Toward::kNearest) + "\n");
}

TEST(Nearest, ForgivesASlipAndNoMore) {
  const std::vector<std::string> known = {"noise", "local", "choose", "audit"};
  EXPECT_EQ(nearest("nosie", known), "noise");
  EXPECT_EQ(nearest("noises", known), "noise");
  EXPECT_EQ(nearest("chose", known), "choose");
  EXPECT_EQ(nearest("zebra", known), "");
  EXPECT_EQ(nearest(std::string(1000, 'n'), known), "");
  EXPECT_EQ(one_of(known), "noise, local, choose or audit");
}

TEST(TotalPrice, IsThatOfAllUses) {
  EXPECT_EQ(total_price(pure_cost(Epsilon::parse("1/3").value()), 6), "epsilon 2");
  EXPECT_EQ(total_price({.epsilon = std::nullopt,
                         .rho = Rho::parse("0.1").value(),
                         .delta = Delta::parse("1e-6").value()},
                        10'000'000'000),
            "rho 1000000000, delta 10000");
}

TEST(Candidates, BringScoresToOneDenominator) {
  const auto got = read_candidates("a,0.5\nb,1/3\nc,-2\n").value();
  EXPECT_EQ(got.unit, 6);
  EXPECT_EQ(got.scores, (std::vector<std::int64_t>{3, 2, -12}));
  EXPECT_EQ(got.names, (std::vector<std::string>{"a", "b", "c"}));
}

RC_GTEST_PROP(CandidatesLaws, ScoresComeBackExactly, (const std::vector<std::int32_t>& cents)) {
  RC_PRE(!cents.empty());
  std::string text;
  for (std::size_t i = 0; i < cents.size(); ++i) {
    text += "n" + std::to_string(i) + "," +
            Rational::ratio(Integer(static_cast<long>(cents[i])), 100).to_string() + "\n";
  }
  const auto got = read_candidates(text).value();
  for (std::size_t i = 0; i < cents.size(); ++i) {
    RC_ASSERT(Rational::ratio(Integer(static_cast<long>(got.scores[i])), got.unit) ==
              Rational::ratio(Integer(static_cast<long>(cents[i])), 100));
  }
}

}  // namespace
}  // namespace discreet::cli::cli_test
