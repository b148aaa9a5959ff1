// SPDX-License-Identifier: Apache-2.0
#include "sql/query.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "plan/checker.h"
#include "sql/clinic_for_tests.h"

namespace discreet::sql::query_test {
namespace {

Query bound(const std::string& question, const Options& options = spending()) {
  auto query = sql::bind(question, options, clinic());
  EXPECT_TRUE(query) << question << "\n" << (query ? "" : query.error().message);
  return query ? *query : Query{};
}

std::string canonical(const std::string& question) { return plan::canonical(bound(question).plan); }

TEST(Bind, TextsThatAskTheSameAreOneQuestion) {
  const std::vector<std::vector<std::string>> same = {
      {"SELECT COUNT(*) FROM visits", "select count( * ) as n from VISITS v;",
       "SELECT /* a */ COUNT(1) -- b\nFROM \"visits\"", "SELECT COUNT(cost) FROM visits",
       "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon=1) COUNT(*) FROM visits"},
      {"SELECT AVG(age) FROM visits WHERE age > 5 AND smoker",
       "SELECT AVG(v.age) FROM visits AS v WHERE v.smoker AND 5 < v.age",
       "SELECT AVG(age) FROM visits WHERE (smoker) AND NOT age <= 5"},
      {"SELECT clinic, COUNT(*) FROM visits GROUP BY clinic",
       "SELECT clinic AS c, COUNT(*) FROM visits GROUP BY c",
       "SELECT COUNT(*), clinic FROM visits GROUP BY 2"},
      {"SELECT COUNT(*) FROM visits v JOIN patients p ON v.patient_id = p.id",
       "SELECT COUNT(*) FROM visits, patients WHERE patients.id = visits.patient_id"},
      {"SELECT COUNT(*) FROM visits WHERE cost > 5", "SELECT COUNT(*) FROM visits WHERE cost > 5.0",
       "SELECT COUNT(*) FROM visits WHERE cost > '5'"},
      {"SELECT COUNT(*) FROM visits WHERE day >= '2024-01-01'",
       "SELECT COUNT(*) FROM visits WHERE day >= DATE '2024-01-01'",
       "SELECT COUNT(*) FROM visits WHERE CAST('2024-01-01' AS date) <= day"},
      {"SELECT COUNT(*) FROM visits WHERE age BETWEEN 5 AND 7",
       "SELECT COUNT(*) FROM visits WHERE age >= 5 AND age <= 7"},
      {"SELECT COUNT(*) FROM visits WHERE at > DATE '2024-01-01'",
       "SELECT COUNT(*) FROM visits WHERE at > TIMESTAMP '2024-01-01 00:00:00'"}};
  for (const auto& texts : same) {
    for (const std::string& text : texts) EXPECT_EQ(canonical(text), canonical(texts[0])) << text;
  }
  for (std::size_t i = 1; i < same.size(); ++i) {
    EXPECT_NE(canonical(same[i][0]), canonical(same[i - 1][0]));
  }
}

RC_GTEST_PROP(Bind, IntegersKeepTheirSign, (std::int32_t n)) {
  const std::string digits = std::to_string(n);
  const Query query = bound("SELECT COUNT(*) FROM visits WHERE age > " + digits);
  RC_ASSERT(query.plan.filter->args[0].value.number() == Rational(std::int64_t{n}));
  const Query twice = bound("SELECT COUNT(*) FROM visits WHERE age > - /* - */ (" + digits + ")");
  RC_ASSERT(twice.plan.filter->args[0].value.number() == Rational(-std::int64_t{n}));
}

TEST(Bind, ExpressionsReadBackFromTheirText) {
  for (const char* condition :
       {"age > -5 AND NOT smoker", "city LIKE 'a%' OR city ILIKE '_b'", "cost IN (1.5, -2, 3)",
        "CASE WHEN age < 3 THEN 'x' ELSE city END = 'it''s'", "COALESCE(age, 0) + 1 * 2 - 3 > 4",
        "EXTRACT(year FROM day) = 2024", "DATE_TRUNC('month', day) = DATE '2024-01-01'",
        "LOWER(TRIM(city)) || 'x' <> ''", "SUBSTRING(city, 2, 3) = 'a'", "age % 2 = 1",
        "ABS(cost) / 3 > 2", "ROUND(cost, 1) = 2.5", "(age IS NULL) = TRUE",
        "at < TIMESTAMP '2024-01-01 12:00:00'", "-age < 0"}) {
    const Query query = bound("SELECT COUNT(*) FROM visits WHERE " + std::string(condition));
    const std::string text = plan::to_string(*query.plan.filter, {"visits"});
    const Query again = bound("SELECT COUNT(*) FROM visits WHERE " + text);
    EXPECT_EQ(plan::canonical(query.plan), plan::canonical(again.plan)) << text;
  }
}

TEST(Bind, BigQuerysOptionsAreTheQuestionsOwn) {
  Options none;
  const Query query = bound(
      "SELECT WITH DIFFERENTIAL_PRIVACY\n OPTIONS(epsilon = 0.5, delta = 1e-7, "
      "max_groups_contributed = 2, max_rows_contributed = 7, PRIVACY_UNIT_COLUMN = \"patient_id\")"
      "\n city, COUNT(*) FROM visits GROUP BY city",
      none);
  EXPECT_EQ(query.plan.epsilon.to_string(), "0.5");
  EXPECT_EQ(query.plan.delta.value(), Rational::ratio(1, 10'000'000));
  EXPECT_EQ(query.plan.bounds.groups_per_unit, 2);
  EXPECT_EQ(query.plan.bounds.rows_per_unit_and_group, 7);
}

TEST(Bind, WhatIsSaidTwiceMustAgree) {
  const auto with = [](const char* options) {
    return "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(" + std::string(options) +
           ") clinic, COUNT(*) FROM visits GROUP BY clinic";
  };
  Options outside = spending("0.5");
  outside.groups_per_unit = 2;
  outside.rows_per_unit_and_group = 3;
  for (const char* agreeing :
       {"epsilon=0.50", "delta=0.000001", "max_groups_contributed=2", "max_rows_contributed=3"}) {
    EXPECT_TRUE(sql::bind(with(agreeing), outside, clinic())) << agreeing;
  }
  for (const char* other :
       {"epsilon=0.51", "delta=0.00001", "max_groups_contributed=3", "max_rows_contributed=4"}) {
    const auto query = sql::bind(with(other), outside, clinic());
    ASSERT_FALSE(query) << other;
    EXPECT_NE(query.error().message.find("say it once"), std::string::npos);
  }
}

TEST(Bind, BoundsOutsideOfTheTextAreChecked) {
  for (const std::int64_t bad : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1} << 40}) {
    Options options = spending();
    options.groups_per_unit = bad;
    EXPECT_FALSE(sql::bind("SELECT COUNT(*) FROM visits", options, clinic()));
  }
}

TEST(Bind, WeightsGoToTheColumnsThatAreNamed) {
  Options options = spending();
  options.weights = {{"n", 3}};
  const Query query = bound("SELECT COUNT(*) AS n, SUM(age) FROM visits", options);
  EXPECT_EQ(query.plan.measurements[0].weight, Rational(3));
  EXPECT_EQ(query.plan.measurements[1].weight, Rational(1));
  options.weights = {{"m", 3}};
  EXPECT_FALSE(sql::bind("SELECT COUNT(*) AS n FROM visits", options, clinic()));
  options.weights = {{"n", 0}};
  EXPECT_FALSE(sql::bind("SELECT COUNT(*) AS n FROM visits", options, clinic()));
}

TEST(Bind, WhatOnlyDecidesWhatIsShownIsNotPaidTwice) {
  const Query query = bound(
      "SELECT clinic, COUNT(*) FROM visits GROUP BY clinic HAVING COUNT(*) > 5 ORDER BY COUNT(*)");
  ASSERT_EQ(query.plan.measurements.size(), 1U);
  EXPECT_EQ(query.plan.measurements[0].weight, Rational(1));
  const Query median = bound("SELECT COUNT(*) FROM visits ORDER BY MEDIAN(age)");
  ASSERT_EQ(median.plan.measurements.size(), 2U);
  EXPECT_FALSE(median.plan.measurements[1].intervals);  // the point alone: none is shown
}

TEST(Bind, QuantilesOfOneThingAreOneMeasurement) {
  Options options = spending();
  options.weights = {{"low", Rational(3)}};
  const Query query = bound(
      "SELECT MEDIAN(age) AS m, PERCENTILE_DISC(0.1) WITHIN GROUP (ORDER BY age) AS low, "
      "MEDIAN(age) AS again, MIN(cost) AS least FROM visits HAVING MAX(age) > 3",
      options);
  ASSERT_EQ(query.plan.measurements.size(), 2U);
  const plan::Measurement& ages = query.plan.measurements[0];
  EXPECT_EQ(ages.fractions, (std::vector<Rational>{Rational::ratio(1, 2), Rational::ratio(1, 10),
                                                   Rational::ratio(99, 100)}));
  EXPECT_EQ(ages.weight, Rational(6));  // 1 + 3 + 1, and 1 for the one that is only compared
  EXPECT_TRUE(ages.intervals);
  EXPECT_EQ(query.outputs[2].post, query.outputs[0].post);
  EXPECT_EQ(query.outputs[1].post.args[0].number, 1U);
  options = spending();
  options.quantile_intervals = false;
  const Query bare = bound("SELECT BOXPLOT(age) FROM visits", options);
  ASSERT_EQ(bare.plan.measurements.size(), 1U);
  EXPECT_EQ(bare.plan.measurements[0].fractions.size(), 5U);
  EXPECT_FALSE(bare.plan.measurements[0].intervals);
}

TEST(Bind, ExtremesSayThatTheyAreQuantiles) {
  const Query query = bound("SELECT MIN(age), MAX(age), MIN(cost) FROM visits");
  ASSERT_EQ(query.notes.size(), 2U);
  EXPECT_NE(query.notes[0].find("1% quantile"), std::string::npos);
}

TEST(Bind, UnquotedNamesMatchInAnyCaseAndQuotedOnesExactly) {
  EXPECT_TRUE(sql::bind("SELECT AVG(AGE) FROM Visits", spending(), clinic()));
  EXPECT_TRUE(sql::bind("SELECT COUNT(DISTINCT ZIP) FROM visits", spending(), clinic()));
  EXPECT_FALSE(sql::bind("SELECT AVG(\"AGE\") FROM visits", spending(), clinic()));
  EXPECT_FALSE(sql::bind("SELECT AVG(age) FROM \"Visits\"", spending(), clinic()));
}

TEST(Bind, OnlyDeclaredNamesAreEverShown) {
  for (const char* question : {"SELECT AVG(x) FROM visits", "SELECT AVG(patient) FROM visits",
                               "SELECT AVG(patient_i) FROM visits"}) {
    const auto query = sql::bind(question, spending(), clinic());
    ASSERT_FALSE(query);
    EXPECT_EQ(query.error().message.find("patient_id"), std::string::npos) << question;
  }
}

}  // namespace
}  // namespace discreet::sql::query_test
