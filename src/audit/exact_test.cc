// SPDX-License-Identifier: Apache-2.0
// The table itself: every mechanism holds, every mutant is caught.
#include "audit/exact.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "audit/compare.h"

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

/// How much of its claim a row must certify, so that a walk that runs out of depth, or has too few
/// outcomes to see anything, fails. Where the pair cannot use up the claim, the share is what it
/// does use, rounded down.
struct Tightness {
  std::string_view name;
  const char* claim;  ///< the number that `certified` is held against
  int percent;
};

constexpr Tightness kTightness[] = {
    {"randomized-response", "1", 99},
    {"randomized-response-bias", "1.6094", 99},
    {"almost-random", "1.0986", 99},
    {"randomized-responses", "1", 99},
    {"laplace", "0.5", 98},
    {"laplace-rational", "1.5", 98},
    {"laplace-vector", "2", 98},
    {"grid-laplace", "1", 98},
    {"geometric", "1", 98},
    {"mean-of-bits", "1", 98},
    {"gaussian", "0.5", 90},
    {"gaussian-vector", "2", 70},      // the rest is in the unresolved tail
    {"rounded-gaussian", "0.05", 19},  // tight before rounding, which hides the rest
    {"rounded-gaussian-vector", "0.05", 15},
    {"clipped-sums", "4", 80},
    {"clipped-sums-sampled", "0.025", 15},
    {"residual-table", "2", 60},  // the rest is in the unresolved tail
    {"prefix-table", "5", 45},
    {"prefix-stream", "5", 45},
    {"exponential", "1", 74},       // four candidates: ln of a ratio of finite sums
    {"permute-and-flip", "1", 97},  // the same
    {"top-k", "2", 40},             // the same, in each round
    {"quantiles", "1", 66},         // four points, likewise
    {"quantiles-flipped", "1", 80},
    {"quantiles-several", "1", 35},  // its worst pair is rare
    {"key-selection", "0.1", 97},    // 1 - (1 - 0.05)^2
    {"partition-selection", "0.05", 99},
    {"partition-selection-rare", "0.05", 99},
    {"partition-selection-known", "0.05", 99},
    {"thresholded-laplace", "0.05", 71},       // tau is whole
    {"thresholded-laplace-known", "0.05", 0},  // its delta is 0: the noise pays epsilon in full
    {"thresholded-gaussian", "0.05", 8},       // at epsilon = rho
    {"thresholded-groups", "0.05", 60},        // tau is whole
    {"thresholded-groups-new", "0.05", 71},    // tau is whole
    {"above-threshold", "12", 39},             // two questions; its theorem is judged too
    {"local-response", "1", 99},
    {"local-unary", "1", 99},
    {"local-hash", "1", 99},
    {"local-hadamard", "1", 99},
    {"local-subset", "1", 99},
    {"local-projective", "1", 99},
    {"local-piecewise", "1", 99},
    {"local-laplace", "1", 99},
    {"local-rappor", "1", 99},
    {"local-tree", "1", 99},
    {"sv-laplace", "1", 82},        // on fair coins; the claim is for bent ones
    {"reference-laplace", "0", 0},  // a claim of equality
};

const Tightness* tightness_of(const std::string& name) {
  const auto* const found =
      std::find_if(std::begin(kTightness), std::end(kTightness),
                   [&](const Tightness& tightness) { return tightness.name == name; });
  return found == std::end(kTightness) ? nullptr : found;
}

TEST_P(EveryCase, HoldsWhatItClaims) {
  int last = 0;
  const auto row = run_case(GetParam(), rising(last));
  ASSERT_TRUE(row.has_value());
  EXPECT_TRUE(row->ok) << row->mechanism << ": " << row->verdict;
  EXPECT_EQ(row->verdict, "holds");
  EXPECT_FALSE(row->measured.empty());
  EXPECT_LE(row->left, kUnresolvedMax) << row->unresolved;
  const Tightness* const tightness = tightness_of(GetParam());
  ASSERT_NE(tightness, nullptr) << "state in kTightness how much of its claim it certifies";
  EXPECT_GE(row->certified,
            Rational::parse(tightness->claim).value() * Rational::ratio(tightness->percent, 100))
      << row->measured;
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
