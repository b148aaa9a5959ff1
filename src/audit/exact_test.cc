// SPDX-License-Identifier: Apache-2.0
// The table itself: every mechanism holds, every mutant is caught.
#include "audit/exact.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "audit/cases.h"
#include "random/rounded_gaussian.h"

namespace discreet::audit::exact_test {
namespace {

class EveryCase : public testing::TestWithParam<std::string> {};

/// A progress bar that fails the test when it is told to go back.
Progress rising(int& last) {
  return [&last](int permille) {
    EXPECT_GE(permille, last);
    EXPECT_LE(permille, 1000);
    last = permille;
  };
}

TEST_P(EveryCase, HoldsWhatItClaims) {
  int last = 0;
  const auto row = run_case(GetParam(), rising(last));
  ASSERT_TRUE(row.has_value());
  EXPECT_TRUE(row->ok) << row->mechanism << ": " << row->verdict;
  EXPECT_EQ(row->verdict, "holds");
  EXPECT_FALSE(row->measured.empty());
  EXPECT_LE(row->left, kUnresolvedMax) << row->unresolved;
  if (row->claimed == "the same distribution") return;
  // Else the pair could not tell this price from a much lower one.
  ASSERT_TRUE(row->used.has_value());
  const bool is_used_up = *row->used >= Rational::ratio(9, 10);
  EXPECT_NE(is_used_up, !row->reason.empty()) << row->measured << " of " << row->claimed;
}

TEST(Exact, FewRowsMayLeaveTheirPriceUnused) {
  const std::vector<Case> cases = all_cases();
  EXPECT_LE(std::count_if(cases.begin(), cases.end(),
                          [](const Case& one) { return !one.reason.empty(); }),
            5);
}

class EveryMutant : public testing::TestWithParam<std::string> {};

TEST_P(EveryMutant, IsCaughtWhereTheCorrectCodePasses) {
  int last = 0;
  const auto row = run_mutant(GetParam(), rising(last));
  ASSERT_TRUE(row.has_value());
  EXPECT_TRUE(row->ok) << row->caught << " / " << row->intact;
  EXPECT_EQ(row->intact, "holds");
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Exact, EveryCase, testing::ValuesIn(case_names()), test_name);
INSTANTIATE_TEST_SUITE_P(Exact, EveryMutant, testing::ValuesIn(mutant_names()), test_name);

// Too much is left for a row (exact.md), but what is finished must not exceed the theorem.
TEST(Exact, RoundedCellsFitAsFarAsTheyAreWalked) {
  const auto fit_of = [](const Rational& drawn) {
    const random::RoundedGaussianFor<Tape<4>> sampler(Variance::trusted(drawn));
    EXPECT_FALSE(sampler.shape().is_direct);
    const auto walked =
        Walk({.depth = 20}).run<4>([&](Tape<4>& tape) { return sampler.draw(tape); });
    EXPECT_LT(walked.unresolved(), Rational::ratio(6, 100));
    return measure_fit(distribution(
        walked, [](Int128 z) { return to_string(z); },
        [](Int128 z) {
          return std::optional(rounded_gaussian_probability(static_cast<int>(z), 9));
        }));
  };
  EXPECT_EQ(fit_of(9).worst, "");
  EXPECT_NE(fit_of(9 * Rational::ratio(3, 4)).worst, "");
}

TEST(Exact, NamesAreDistinct) {
  const auto cases = case_names();
  EXPECT_EQ(std::set<std::string>(cases.begin(), cases.end()).size(), cases.size());
}

TEST(Exact, TellsWhichNamesAreKnown) {
  const auto row = run_case("nonsense");
  ASSERT_FALSE(row.has_value());
  EXPECT_EQ(row.error().code, Code::kNotFound);
  EXPECT_NE(row.error().message.find("permute-and-flip"), std::string::npos);
  const auto mutant = run_mutant("nonsense");
  ASSERT_FALSE(mutant.has_value());
  EXPECT_NE(mutant.error().message.find("dropped-sign-rule"), std::string::npos);
}

}  // namespace
}  // namespace discreet::audit::exact_test
