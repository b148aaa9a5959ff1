// SPDX-License-Identifier: Apache-2.0
#include "mechanism/above_threshold.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <map>
#include <thread>

#include "base/children_for_tests.h"
#include "mechanism/brackets_for_tests.h"
#include "mechanism/receipt_for_tests.h"

namespace discreet::mechanism::above_threshold_test {
namespace {

using Questions = std::vector<Int128>;
using Answers = std::vector<bool>;

AboveThreshold::Options options(const char* epsilon, std::size_t above_max, Int128 threshold = 0,
                                const char* sensitivity = "1") {
  return {.epsilon = *Epsilon::parse(epsilon),
          .sensitivity = *Sensitivity::parse(sensitivity),
          .threshold = threshold,
          .above_max = above_max};
}

Result<AboveThreshold> open(const AboveThreshold::Options& wanted) {
  return AboveThreshold::open(
      wanted, cli::OwnValues::mint(AboveThreshold::noise(wanted), AboveThreshold::cost(wanted)));
}

bool ask(AboveThreshold& mechanism, Int128 q) {
  return mechanism.ask(Sensitive<Int128>(q))->value();
}

Tabulated<Answers> table(const AboveThreshold::Options& wanted, const Questions& questions) {
  return tabulate<1>(18, [&](auto& tape) {
    return AboveThreshold::replay(wanted, Sensitive<Questions>(questions), tape)->outcome();
  });
}

/// The mechanism as a formula, with the two scales as they are given.
struct Formula {
  Rational threshold_scale;
  Rational question_scale;

  static Interval base(const Rational& scale) { return exp(interval(-1 / scale)); }
  static Interval power(const Rational& scale, Int128 t) {
    return exp(interval(-Rational(to_integer(t)) / scale));
  }
  /// Pr[Z = z]
  static Interval mass(const Rational& scale, Int128 z) {
    return (interval(1) - base(scale)) / (interval(1) + base(scale)) * power(scale, z < 0 ? -z : z);
  }
  /// Pr[Z >= t]
  static Interval tail(const Rational& scale, Int128 t) {
    if (t >= 1) return power(scale, t) / (interval(1) + base(scale));
    return interval(1) - power(scale, 1 - t) / (interval(1) + base(scale));
  }

  /// Pr[answers] for threshold 0; what R contributes beyond 200 scales is below 2^-280.
  Interval probability(const Questions& questions, const Answers& answers) const {
    const Int128 wide = to_int128((threshold_scale * 200).ceil());
    Interval sum = interval(0);
    for (Int128 z = -wide; z <= wide; ++z) {
      Interval term = mass(threshold_scale, z);
      std::map<Int128, Interval> yes;  // by question: most are asked many times
      for (std::size_t i = 0; i < answers.size(); ++i) {
        const Int128 q = questions[i];
        if (!yes.contains(q)) yes.emplace(q, tail(question_scale, z - q));
        term = term * (answers[i] ? yes.at(q) : interval(1) - yes.at(q));
      }
      sum = sum + term;
    }
    return sum;
  }
};

/// The scales of the header for epsilon, c and sensitivity 1.
Formula formula(const Rational& epsilon, long c, long r) {
  return {Rational(1 + r) / epsilon, 2 * Rational(c) * Rational(1 + r) / (Rational(r) * epsilon)};
}

TEST(AboveThreshold, AllTapesGiveTheFormula) {
  const auto wanted = options("4", 1);
  const Formula truth = formula(4, 1, 1);
  for (const Questions& questions : {Questions{0}, Questions{0, 1}, Questions{-1, 1}}) {
    const auto seen = table(wanted, questions);
    EXPECT_LT(seen.cut_off, ratio(1, 5));
    for (const Answers& answers : {Answers{true}, {false}, {false, true}, {false, false}}) {
      const bool possible = answers.size() == questions.size() || answers.back();
      if (!possible || answers.size() > questions.size()) continue;
      EXPECT_TRUE(agrees(seen, answers, truth.probability(questions, answers)));
    }
    EXPECT_EQ(seen.mass.count({true, true}), 0u);  // it ends after the first yes
  }
}

TEST(AboveThreshold, AThresholdOffByOneIsCaught) {
  const auto seen = table(options("4", 1), {0});
  EXPECT_FALSE(agrees(seen, {true}, formula(4, 1, 1).probability({-1}, {true})));
  EXPECT_FALSE(agrees(seen, {true}, formula(4, 1, 1).probability({1}, {true})));
}

TEST(AboveThreshold, CompiledNeighboursStayWithinEpsilon) {
  const auto wanted = options("4", 1);
  const auto a = table(wanted, {0, 0});
  const auto b = table(wanted, {1, -1});
  EXPECT_EQ(delta_between(a, b, wanted.epsilon), Rational(0));
  EXPECT_GT(delta_between(a, b, *Epsilon::parse("1/2")), Rational(0));
}

/// Pr[a]/Pr'[a] for k noes and then c yeses, on the neighbours that the proof's inequalities name.
Interval loss(const Formula& truth, long c, int noes) {
  Answers answers(static_cast<std::size_t>(noes), false);
  Questions here(answers.size(), 0);
  Questions there(answers.size(), 1);
  for (long i = 0; i < c; ++i) {
    answers.push_back(true);
    here.push_back(0);
    there.push_back(-1);
  }
  return log(truth.probability(here, answers) / truth.probability(there, answers));
}

TEST(AboveThreshold, NoSeriesOfAnswersExceedsEpsilon) {
  for (const long c : {1, 2, 4}) {
    const long r = c == 1 ? 1 : (c == 2 ? 2 : 4);  // floor((2c)^(2/3))
    for (const int noes : {0, 1, 5, 40}) {
      const Formula truth = formula(1, c, r);
      EXPECT_FALSE(certainly_less(interval(1), loss(truth, c, noes))) << c << ' ' << noes;
    }
  }
}

// Two of the published wrong variants [Lyu-Su-Li 2017]: the same comparison catches them.
TEST(AboveThreshold, NoiseThatDoesNotGrowWithTheYesesIsCaught) {
  Formula mutant = formula(1, 4, 4);
  mutant.question_scale = mutant.question_scale / 4;
  EXPECT_TRUE(certainly_less(interval(1), loss(mutant, 4, 40)));
}

TEST(AboveThreshold, QuestionsWithoutNoiseAreCaught) {
  // At scale 1/1000 the noise of a question is all but absent; the loss explodes.
  Formula mutant = formula(1, 1, 1);
  mutant.question_scale = ratio(1, 1000);
  const Interval here = mutant.probability({0, 1}, {false, true});
  const Interval there = mutant.probability({1, 0}, {false, true});
  EXPECT_TRUE(certainly_less(interval(100), log(here / there)));
}

TEST(AboveThreshold, AnswersClearQuestionsAndEndsAfterTheYesesPaidFor) {
  auto alarm = open(options("1", 2, 1000));
  ASSERT_TRUE(alarm);
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(ask(*alarm, -1'000'000));
  EXPECT_TRUE(ask(*alarm, 1'000'000));
  EXPECT_FALSE(ask(*alarm, kInt128Min));
  EXPECT_EQ(alarm->yeses_left(), 1u);
  EXPECT_TRUE(ask(*alarm, kInt128Max));
  const auto ended = alarm->ask(Sensitive<Int128>(5));
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, Code::kBudget);
  EXPECT_NE(ended.error().message.find("open and pay for another"), std::string::npos);
}

TEST(AboveThreshold, GivesNoMoreYesesToManyThreadsThanWerePaidFor) {
  for (int run = 0; run < 50; ++run) {
    auto alarm = open(options("1", 2, 1000));
    std::atomic<int> yeses = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (int k = 0; k < 5; ++k) {
          const auto answer = alarm->ask(Sensitive<Int128>(Int128{1} << 60));
          if (answer && answer->value()) ++yeses;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(yeses, 2);
    EXPECT_EQ(alarm->yeses_left(), 0u);
  }
}

TEST(AboveThreshold, RefusesAForkedChildWhichWouldCountAgain) {
  expect_children_refused([] {
    const auto alarm = std::make_shared<AboveThreshold>(open(options("1", 1, 1000)).value());
    return [alarm] {
      const auto answer = alarm->ask(Sensitive<Int128>(-(Int128{1} << 60)));
      return !answer && answer.error().code == Code::kRefused;
    };
  });
}

TEST(AboveThresholdDeathTest, IsSpentOnceMovedFrom) {
  auto alarm = open(options("1", 1));
  const AboveThreshold moved = std::move(*alarm);
  EXPECT_EQ(moved.yeses_left(), 1u);
  EXPECT_EXIT((void)alarm->ask(Sensitive<Int128>(5)), testing::ExitedWithCode(70), "memory_");
}

TEST(AboveThreshold, AnswersCarryThePriceOfTheWholeSeries) {
  const auto wanted = options("1/2", 3);
  auto alarm = open(wanted);
  const auto answer = alarm->ask(Sensitive<Int128>(-1'000'000));
  EXPECT_EQ(answer->provenance().cost.epsilon->value(), ratio(1, 2));
  EXPECT_EQ(answer->provenance().cost.rho->value(), ratio(1, 8));
  EXPECT_EQ(answer->provenance().receipt_id, "unaccounted");
  EXPECT_EQ(answer->provenance().noise.text,
            "above-threshold(epsilon=0.5,sensitivity=1,above_max=3)");
}

TEST(AboveThreshold, TakesOnlyItsOwnReceipt) {
  const auto wanted = options("1", 2);
  const auto cheaper = options("1/2", 2);
  auto refused = AboveThreshold::open(
      wanted, cli::OwnValues::mint(AboveThreshold::noise(cheaper), AboveThreshold::cost(cheaper)));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kRefused);
}

TEST(AboveThreshold, RefusesBadOptions) {
  EXPECT_FALSE(open(options("1", 0)));
  EXPECT_FALSE(open(options("1", 1, kInt128Max)));
  EXPECT_FALSE(open(options("1", 1, 0, "1/2")));
  EXPECT_FALSE(open(options("1", 1, 0, "1e30")));
  EXPECT_FALSE(open(options("1e-30", 1)));
  EXPECT_TRUE(open(options("1", 1, 0, "3")));
}

struct Outputs : Recorder {
  std::vector<std::string> all;
  void record(Recording recording) override { all.push_back(recording.output); }
};

TEST(AboveThreshold, TellsTheRecorder) {
  auto alarm = open(options("1", 1));
  Outputs outputs;
  EXPECT_TRUE(alarm->ask(Sensitive<Int128>(-1'000'000), &outputs));
  EXPECT_TRUE(alarm->ask(Sensitive<Int128>(1'000'000), &outputs));
  EXPECT_EQ(outputs.all, (std::vector<std::string>{"no", "yes"}));
}

// Hoeffding: 20,000 fresh runs stray by more than 0.024 from Pr[yes] with probability below 1e-9.
TEST(AboveThreshold, TheProductDrawsTheSameDistribution) {
  const auto wanted = options("1", 1);
  constexpr int kRuns = 20'000;
  int yes = 0;
  for (int i = 0; i < kRuns; ++i) {
    auto alarm = open(wanted);
    yes += ask(*alarm, 1);
  }
  const Rational seen = ratio(yes, kRuns);
  const auto distance = [&](Int128 q) {
    return (seen - formula(1, 1, 1).probability({q}, {true}).low()).abs();
  };
  EXPECT_LT(distance(1), ratio(24, 1000));
  EXPECT_GT(distance(0), ratio(24, 1000));  // the planted off-by-one
}

TEST(AboveThreshold, MarginGrowsSlowlyWithTheNumberOfQuestions) {
  const auto wanted = options("1", 1, 100);
  const auto confidence = default_confidence();
  const Integer one = *AboveThreshold::margin(wanted, 1, confidence);
  const Integer million = *AboveThreshold::margin(wanted, 1'000'000, confidence);
  EXPECT_EQ(one, 22);  // scales 2 and 4, failure 1/40 each: 7 + 15
  EXPECT_LT(million, 4 * one);
  EXPECT_FALSE(AboveThreshold::margin(wanted, 0, confidence));
}

}  // namespace
}  // namespace discreet::mechanism::above_threshold_test
