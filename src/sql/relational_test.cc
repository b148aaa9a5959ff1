// SPDX-License-Identifier: Apache-2.0
// Questions over many tables: nine of TPC-H's shapes, subqueries, and what is refused (S12).
#include <gtest/gtest.h>

#include "plan/checker.h"
#include "sql/clinic_for_tests.h"
#include "sql/tpch_for_tests.h"

namespace discreet::sql::relational_test {
namespace {

const policy::Policy& shop() {
  static const policy::Policy kPolicy = *policy::read_policy(kShop, ".").policy;
  return kPolicy;
}

TEST(Relational, NineOfTpchsQuestionsAreAnswered) {
  for (const ShopQuestion& question : kShopQuestions) {
    const auto query = sql::bind(question.sql, spending(), shop());
    ASSERT_TRUE(query) << question.name << "\n" << query.error().message;
    const auto checked = plan::Checker::check(query->plan, shop(), "request");
    EXPECT_TRUE(checked) << question.name << "\n"
                         << checked.error().message << "\n"
                         << describe(*query);
    EXPECT_EQ(checked->charge().units().name, "customers");
  }
}

// --- Views -----------------------------------------------------------------------------------

policy::Policy with_views(std::map<std::string, std::string> views) {
  policy::Policy policy = clinic();
  policy.views = std::move(views);
  return policy;
}

std::string refusal(const std::string& text, const policy::Policy& policy) {
  const auto query = sql::bind(text, spending(), policy);
  return query ? "accepted" : query.error().message;
}

TEST(Views, AreSubqueriesByAnotherName) {
  const policy::Policy policy =
      with_views({{"adults", "SELECT patient_id, age, cost FROM visits WHERE age >= 18"},
                  {"spenders", "SELECT patient_id, SUM(cost) AS total FROM adults GROUP BY 1"}});
  const auto view = sql::bind("SELECT SUM(cost) FROM adults", spending(), policy);
  ASSERT_TRUE(view) << view.error().message;
  const auto same = sql::bind(
      "SELECT SUM(cost) FROM (SELECT patient_id, age, cost FROM visits WHERE age >= 18) adults",
      spending(), policy);
  ASSERT_TRUE(same) << same.error().message;
  EXPECT_EQ(plan::canonical(view->plan), plan::canonical(same->plan));
  EXPECT_EQ(refusal("SELECT AVG(total) FROM spenders", policy), "accepted");
}

TEST(Views, AreRefusedLikeTheirText) {
  const policy::Policy policy =
      with_views({{"a", "SELECT patient_id FROM b"},
                  {"b", "SELECT patient_id FROM a"},
                  {"broken", "SELECT FROM WHERE"},
                  {"mixed", "SELECT city, COUNT(*) FROM visits GROUP BY 1"},
                  {"gone", "DELETE FROM visits"}});
  const auto says = [&](const std::string& view, const std::string& part) {
    const std::string said = refusal("SELECT COUNT(*) FROM " + view, policy);
    EXPECT_NE(said.find(part), std::string::npos) << said;
    EXPECT_NE(said.find("view '" + view + "'"), std::string::npos) << said;
  };
  says("a", "refers to itself");
  says("broken", "syntax");
  says("mixed", "within one unit");
  says("gone", "one SELECT");
}

// --- Bounds on what a unit adds up to -----------------------------------------------------------

TEST(Totals, ARaceShowsTheBestLowerEndAndCoversTheWhole) {
  const auto query = sql::bind(
      "SELECT SUM(cost, contribution_bounds_per_group => auto) FROM visits", spending(), clinic());
  ASSERT_TRUE(query) << query.error().message;
  ASSERT_EQ(query->plan.measurements.size(), 10U);
  const auto checked = plan::Checker::check(query->plan, clinic(), "r");
  ASSERT_TRUE(checked) << checked.error().message;
  // A unit has one row, its total; each runner's noise is for its own bound, half of the last.
  Rational last = 0;
  for (const plan::Step& step : checked->steps()) {
    const auto& noise = std::get<mechanism::LaplaceVector>(step.noise);
    const Rational reach = noise.sensitivity().value() * step.lowered.step;
    if (last != Rational(0)) {
      EXPECT_GE(reach, last / Rational(2));
      EXPECT_LT(reach, last / Rational(2) + Rational(1));
    }
    last = reach;
  }
  // 20,000 at full length; the bounds below 100 cut it.
  const std::vector<double> values = {20'500, 19'900, 20'050, 20'010, 19'990,
                                      15'000, 9'000,  5'000,  2'500,  1'250};
  const Readings readings = [&](const Post& runner, std::size_t shares) {
    const std::size_t i = runner.index;
    EXPECT_EQ(shares, 10U);
    const double width = 4'000.0 / static_cast<double>(1 << i);
    return Number{values[i], values[i] - width, values[i] + width};
  };
  const auto cell = std::get<Number>(evaluate(query->outputs[0].post, {}, readings));
  EXPECT_DOUBLE_EQ(cell.value, 19'990 - 250);
  EXPECT_DOUBLE_EQ(cell.low, cell.value);
  EXPECT_DOUBLE_EQ(cell.high, 24'500);
}

TEST(Totals, ACountsBoundsRaceFromThePolicysDownToOne) {
  const auto query = sql::bind("SELECT COUNT(*, contribution_bounds_per_group => auto) FROM visits",
                               spending(), clinic());
  ASSERT_TRUE(query) << query.error().message;
  const auto checked = plan::Checker::check(query->plan, clinic(), "r");
  ASSERT_TRUE(checked) << checked.error().message;
  std::vector<Rational> reaches;
  for (const plan::Step& step : checked->steps()) {
    const auto& noise = std::get<mechanism::LaplaceVector>(step.noise);
    reaches.push_back(noise.sensitivity().value() * step.lowered.step);
  }
  EXPECT_EQ(reaches, (std::vector<Rational>{4, 2, 1}));
  // The race is won by the second: nobody has more than two rows.
  const std::vector<double> values = {905, 899, 500};
  const Readings readings = [&](const Post& runner, std::size_t shares) {
    EXPECT_EQ(shares, 3U);
    const double width = 40.0 / static_cast<double>(1 << runner.index);
    return Number{values[runner.index], values[runner.index] - width, values[runner.index] + width};
  };
  const auto cell = std::get<Number>(evaluate(query->outputs[0].post, {}, readings));
  EXPECT_DOUBLE_EQ(cell.value, 879);
  EXPECT_DOUBLE_EQ(cell.low, 879);
  EXPECT_DOUBLE_EQ(cell.high, 945);
}

TEST(Totals, AUnitsSumIsBoundedNotItsRows) {
  const auto query =
      sql::bind("SELECT SUM(cost, contribution_bounds_per_group => (0, 900)), COUNT(*) FROM visits",
                spending(), clinic());
  ASSERT_TRUE(query) << query.error().message;
  const auto checked = plan::Checker::check(query->plan, clinic(), "r");
  ASSERT_TRUE(checked) << checked.error().message;
  const auto reach = [&](std::size_t i) {
    const plan::Step& step = checked->steps()[i];
    return std::get<mechanism::LaplaceVector>(step.noise).sensitivity().value() * step.lowered.step;
  };
  EXPECT_EQ(reach(0), Rational(900));  // not 4 rows of 900 each
  EXPECT_EQ(reach(1), Rational(4));
}

// --- Limits ------------------------------------------------------------------------------------

TEST(Relational, NamesOfWithCannotDoubleForEver) {
  std::string text = "WITH a0 AS (SELECT patient_id, age FROM visits)";
  for (int i = 1; i < 20; ++i) {
    const std::string before = "a" + std::to_string(i - 1);
    text += ", a" + std::to_string(i) + " AS (SELECT x.patient_id, x.age FROM " + before +
            " x JOIN " + before + " y ON x.patient_id = y.patient_id)";
  }
  EXPECT_NE(refusal(text + " SELECT SUM(age) FROM a19", clinic()).find("at most 64 subqueries"),
            std::string::npos);
}

TEST(Relational, TwoPeoplesRowsAreLimitedByTheQuestionOrThePolicy) {
  const auto limits = [](const std::string& options) {
    const auto query =
        sql::bind("SELECT " + options + " COUNT(*) FROM visits a JOIN visits b ON a.city = b.city",
                  spending(), clinic());
    EXPECT_TRUE(query) << query.error().message;
    EXPECT_EQ(query->notes.size(), 1U);
    return *query->plan.source.tables[0].limits;
  };
  EXPECT_EQ(limits(""), (plan::PairLimits{12, 12}));
  EXPECT_EQ(limits("WITH DIFFERENTIAL_PRIVACY OPTIONS(max_rows_contributed = 2, "
                   "max_rows_per_join_key = 5)"),
            (plan::PairLimits{2, 5}));
}

}  // namespace
}  // namespace discreet::sql::relational_test
