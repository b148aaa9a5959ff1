// SPDX-License-Identifier: Apache-2.0
// Every family of models under canaries and under questions of membership: what was measured stays
// below the claim, and is far above it where clipping was removed.
#include "audit/one_run.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "audit/learned.h"
#include "learn/course.h"
#include "mechanism/receipt_for_tests.h"

namespace discreet::audit::one_run_test {
namespace {

// Numbers of the paper's own program (its appendix D).
TEST(OneRun, BoundsAsTheTheoremDoes) {
  EXPECT_EQ(one_run_epsilon({20, 40, 80}, 0.05), 0);
  // 40 of 40: p^40 = 0.05 at p = 0.9279, epsilon 2.55.
  EXPECT_NEAR(one_run_epsilon({40, 40, 80}, 0.05), 2.554, 0.001);
  EXPECT_LT(one_run_epsilon({38, 40, 80}, 0.05), one_run_epsilon({40, 40, 80}, 0.05));
  // With a delta right guesses say less, and the more canaries there are.
  EXPECT_NEAR(one_run_epsilon({40, 40, 80}, 0.05, 1e-4), 2.531, 0.001);
  EXPECT_NEAR(one_run_epsilon({40, 40, 80}, 0.05, 1e-3), 2.309, 0.001);
  EXPECT_NEAR(one_run_epsilon({38, 40, 80}, 0.05, 1e-3), 1.625, 0.001);
  EXPECT_LT(one_run_epsilon({40, 40, 800}, 0.05, 1e-3), 2.2);
  const Guesses guesses = guess_by_score({3, -1, 2, -5}, {true, false, true, false});
  EXPECT_EQ(guesses.right, 2u);
  EXPECT_EQ(guesses.all, 2u);
  EXPECT_EQ(guesses.canaries, 4u);
}

Result<learn::Sums> open(const plan::Training& training,
                         const Sensitive<mechanism::UnitRows>& rows) {
  DISCREET_ASSIGN(const auto terms, plan::terms_of(training, Neighbours::kAddRemove));
  DISCREET_ASSIGN(auto series, mechanism::ClippedSums::open(
                                   terms, cli::OwnValues::mint(terms.noise(), terms.cost())));
  return learn::Sums(std::move(series), rows);
}

class OneRunOf : public testing::TestWithParam<std::string> {};

// The same rule for both. 55 right guesses of 60 are a violation, which a sound model that told all
// that epsilon allows would reach once in a thousand runs; these tell far less (about 30 right, 55
// would be once in 10^10). Without clipping nearly all are right, 57 or more in 100 runs; but the
// noise of a model is drawn anew in each, and one in a few hundred is so unlucky that it tells too
// little (45 right were seen). So one of three must be caught: all three fail once in 10^6 at most.
TEST_P(OneRunOf, IsBelowTheClaimAndFarAboveItWithoutClipping) {
  const auto sound = audit_learned(GetParam(), {}, open);
  ASSERT_TRUE(sound.has_value()) << sound.error().message;
  EXPECT_EQ(sound->guesses.all, 60u);
  EXPECT_FALSE(sound->violated) << sound->guesses.right;
  EXPECT_TRUE(sound->ok);
  auto broken = audit_learned(GetParam(), {.clipping_removed = true}, open);
  for (int again = 0; again < 2 && broken.has_value() && !broken->ok; ++again) {
    broken = audit_learned(GetParam(), {.clipping_removed = true}, open);
  }
  ASSERT_TRUE(broken.has_value()) << broken.error().message;
  EXPECT_TRUE(broken->violated) << broken->guesses.right;
  EXPECT_TRUE(broken->ok);
  EXPECT_GT(broken->measured, 1.5);
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string out = info.param;
  std::erase_if(out, [](char c) { return c == ' ' || c == '-'; });
  return out;
}

INSTANTIATE_TEST_SUITE_P(Families, OneRunOf, testing::ValuesIn(learned_names()), test_name);

TEST(OneRun, KnowsEveryTaskOfLearning) {
  const std::vector<std::string> names = learned_names();
  for (const std::string& task : learn::tasks()) {
    for (const char* attack : {" canaries", " membership"}) {
      EXPECT_EQ(std::ranges::count(names, task + attack), 1) << task << attack;
    }
  }
  const auto unknown = audit_learned("regres canaries", {}, open);
  ASSERT_FALSE(unknown.has_value());
  EXPECT_NE(unknown.error().message.find("regress canaries"), std::string::npos);
  EXPECT_EQ(learned_names_of("regress").value(),
            (std::vector<std::string>{"regress canaries", "regress membership"}));
  EXPECT_EQ(learned_names_of("cluster")->size(), 4u);
  for (const char* wrong : {"", "regress canaries", "regres"}) {
    const auto none = learned_names_of(wrong);
    ASSERT_FALSE(none.has_value()) << wrong;
    EXPECT_EQ(none.error().code, Code::kNotFound);
  }
}

}  // namespace
}  // namespace discreet::audit::one_run_test
