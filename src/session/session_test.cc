// SPDX-License-Identifier: Apache-2.0
#include "session/session.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <set>
#include <string>

#include "ledger/seal.h"
#include "session/clinic_for_tests.h"
#include "session/question_text.h"

namespace discreet::session::session_test {
namespace {

using ledger::Kind;

std::string text(const AnswerCell& cell) { return cell.value.value_or("NULL"); }

/// How many records of a kind there are.
int records(Clinic& clinic, Kind kind) {
  int n = 0;
  for (const ledger::Record& record : clinic.history()) n += record.kind == kind ? 1 : 0;
  return n;
}

/// low <= value <= high in every cell that has an interval.
void expect_intervals(const AnswerSheet& sheet) {
  for (const auto& row : sheet.rows) {
    ASSERT_EQ(row.size(), sheet.columns.size());
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (!row[c].is_number || !sheet.columns[c].has_interval) continue;
      const double value = std::stod(*row[c].value);
      EXPECT_LE(row[c].low ? std::stod(*row[c].low) : value, value);
      EXPECT_GE(row[c].high ? std::stod(*row[c].high) : value, value);
    }
  }
}

TEST(Session, AnswersACountThatIsMeasuredRightAndChargesTheQuotedPrice) {
  Clinic clinic;
  EXPECT_EQ(clinic.measured("SELECT COUNT(*) FROM visits"), 900);
  EXPECT_EQ(clinic.measured("SELECT COUNT(*) FROM visits WHERE clinic = 'north'"), 300);
  EXPECT_EQ(clinic.measured("SELECT COUNT(DISTINCT patient_id) FROM visits"), 300);
  const std::string before = clinic.spent();
  const Request question = request("SELECT COUNT(*) FROM visits WHERE age > 30", "0.5");
  const auto explained = clinic.session().explain(question);
  ASSERT_TRUE(explained.has_value());
  EXPECT_EQ(explained->price, "epsilon 0.5");
  EXPECT_TRUE(explained->fits);
  EXPECT_FALSE(explained->repeat);
  EXPECT_EQ(clinic.spent(), before);  // explaining is free
  const auto answered = clinic.ask(question);
  ASSERT_TRUE(answered.has_value()) << answered.error().message;
  EXPECT_EQ(clinic.spent(), "3000000000.5 3000000000.5");
  EXPECT_EQ(answered->sheet.epsilon, "0.5");
  EXPECT_EQ(answered->sheet.delta, "0");
  EXPECT_EQ(answered->sheet.notion, "epsilon");
  EXPECT_EQ(answered->sheet.neighbours, to_string(Neighbours::kAddRemove));
  EXPECT_EQ(answered->sheet.units, "patients");
  EXPECT_EQ(answered->sheet.snapshot, "2026-11");
  const ledger::Record charge = clinic.history()[answered->charge];
  EXPECT_EQ(charge.kind, Kind::kCharge);
  EXPECT_EQ(charge.price.amount.to_string(), "0.5");
  EXPECT_EQ(charge.snapshot, "2026-11");
  expect_intervals(answered->sheet);
}

TEST(Session, StoresWhatItReturnsAndRepeatsItForFree) {
  Clinic clinic;
  const auto first = clinic.ask("SELECT AVG(age) AS a, COUNT(*) AS n FROM visits");
  ASSERT_TRUE(first.has_value()) << first.error().message;
  EXPECT_FALSE(first->repeated);
  EXPECT_EQ(parse_answer(first->bytes).value(), first->sheet);
  const std::string after = clinic.spent();
  const auto again = clinic.ask("select avg(v.age) a, count(1) n from visits v -- the same");
  ASSERT_TRUE(again.has_value()) << again.error().message;
  EXPECT_TRUE(again->repeated);
  EXPECT_EQ(again->bytes, first->bytes);
  EXPECT_EQ(clinic.spent(), after);
  EXPECT_TRUE(
      clinic.session().explain(request("SELECT AVG(age) AS a, COUNT(*) AS n FROM visits"))->repeat);
  EXPECT_EQ(records(clinic, Kind::kCharge), 1);
  // Another confidence, name or price is another answer.
  for (Request other : {request("SELECT AVG(age) AS b, COUNT(*) AS n FROM visits"),
                        request("SELECT AVG(age) AS a, COUNT(*) AS n FROM visits", "0.5")}) {
    EXPECT_FALSE(clinic.ask(other)->repeated);
  }
  Request surer = request("SELECT AVG(age) AS a, COUNT(*) AS n FROM visits");
  surer.confidence = *Confidence::parse("0.99");
  EXPECT_FALSE(clinic.ask(surer)->repeated);
  EXPECT_EQ(records(clinic, Kind::kCharge), 4);
}

TEST(Session, LetsAnotherAnalystPayFromTheirOwnCapForTheSameBytes) {
  Clinic clinic;
  const auto first = clinic.ask("SELECT COUNT(*) FROM visits");
  ASSERT_TRUE(first.has_value());
  Request press = request("SELECT COUNT(*) FROM visits");
  press.analyst = "press";
  const auto second = clinic.ask(press);
  ASSERT_TRUE(second.has_value()) << second.error().message;
  EXPECT_FALSE(second->repeated);  // to press it is new
  EXPECT_EQ(second->bytes, first->bytes);
  EXPECT_EQ(clinic.spent("press"), "1 1");  // the total paid once
  EXPECT_TRUE(clinic.ask(press)->repeated);
  EXPECT_EQ(clinic.spent("press"), "1 1");
  EXPECT_EQ(records(clinic, Kind::kShare), 1);
  Request unknown = request("SELECT COUNT(*) FROM visits");
  unknown.analyst = "nobody";
  EXPECT_EQ(clinic.ask(unknown).error().code, Code::kNotFound);
}

TEST(Session, GivesARetriedRequestItsBytesAndRefusesItsIdForAnotherQuestion) {
  Clinic clinic;
  const auto first = clinic.ask(request("SELECT SUM(cost) FROM visits", "1", "id-1"));
  ASSERT_TRUE(first.has_value());
  const auto retry = clinic.ask(request("SELECT SUM(cost) FROM visits", "1", "id-1"));
  ASSERT_TRUE(retry.has_value());
  EXPECT_EQ(retry->bytes, first->bytes);
  EXPECT_TRUE(retry->repeated);
  const auto other = clinic.ask(request("SELECT SUM(age) FROM visits", "1", "id-1"));
  EXPECT_EQ(other.error().code, Code::kConflict);
  EXPECT_EQ(clinic.spent(), "1 1");
}

TEST(Session, RefusesWhatTheBudgetCannotPayAndChargesNothing) {
  Clinic clinic({}, {}, 2, "2");
  EXPECT_TRUE(clinic.ask("SELECT COUNT(*) FROM visits", "1.5").has_value());
  const std::size_t before = clinic.history().size();
  const auto refused = clinic.ask("SELECT SUM(cost) FROM visits", "0.6");
  EXPECT_EQ(refused.error().code, Code::kBudget);
  EXPECT_FALSE(clinic.session().explain(request("SELECT SUM(cost) FROM visits", "0.6"))->fits);
  EXPECT_EQ(clinic.spent(), "1.5 1.5");
  EXPECT_EQ(clinic.history().size(), before);
  EXPECT_TRUE(clinic.ask("SELECT SUM(cost) FROM visits", "0.5").has_value());
  EXPECT_EQ(clinic.ask("SELECT SUM(age) FROM visits", "1e-9").error().code, Code::kBudget);
  // What is stored stays free.
  EXPECT_TRUE(clinic.ask("SELECT COUNT(*) FROM visits", "1.5")->repeated);
}

TEST(Session, MeasuresMeansVariancesAndQuantilesOfTheClampedRows) {
  Clinic clinic;
  // age is 20 + i % 20, cost 10 + i % 90, each over 900 rows.
  EXPECT_NEAR(clinic.measured("SELECT AVG(age) FROM visits"), 29.5, 1e-6);
  EXPECT_NEAR(clinic.measured("SELECT SUM(cost) FROM visits"), 900 * 54.5, 1e-6);
  EXPECT_NEAR(clinic.measured("SELECT VAR_POP(age) FROM visits"), (400.0 - 1) / 12, 1e-4);
  EXPECT_NEAR(clinic.measured("SELECT MEDIAN(cost) FROM visits"), 54.5, 0.6);
  EXPECT_NEAR(clinic.measured("SELECT MIN(age) FROM visits"), 20, 1);
  EXPECT_NEAR(clinic.measured("SELECT MAX(age) FROM visits"), 39, 1);
  EXPECT_EQ(clinic.measured("SELECT COUNT(DISTINCT code) FROM visits"), 7);
  const AnswerSheet median = clinic.answer("SELECT MEDIAN(cost) FROM visits", "2");
  expect_intervals(median);
  EXPECT_TRUE(median.rows[0][0].low && median.rows[0][0].high);
}

TEST(Session, ShowsEveryListedKeyAlsoEmptyOnesInThePolicysOrder) {
  Clinic clinic({"DELETE FROM visits WHERE clinic = 'south'"});
  const AnswerSheet sheet =
      clinic.answer("SELECT clinic, COUNT(*) AS n FROM visits GROUP BY clinic", kLoud);
  ASSERT_EQ(sheet.rows.size(), 3U);
  EXPECT_TRUE(sheet.columns[0].is_key);
  EXPECT_FALSE(sheet.columns[0].has_interval);
  EXPECT_EQ(text(sheet.rows[0][0]) + text(sheet.rows[0][1]), "north300");
  EXPECT_EQ(text(sheet.rows[1][0]) + text(sheet.rows[1][1]), "south0");
  EXPECT_EQ(text(sheet.rows[2][0]) + text(sheet.rows[2][1]), "east300");
  const AnswerSheet noisy = clinic.answer(
      "SELECT clinic, COUNT(*) AS n FROM visits GROUP BY clinic ORDER BY n DESC", "5");
  ASSERT_EQ(noisy.rows.size(), 3U);
  EXPECT_EQ(text(noisy.rows[2][0]), "south");
  EXPECT_FALSE(noisy.small[0]);
  const AnswerSheet best = clinic.answer(
      "SELECT clinic, COUNT(*) AS n FROM visits GROUP BY clinic HAVING COUNT(*) > 150 "
      "ORDER BY clinic LIMIT 1",
      "5");
  ASSERT_EQ(best.rows.size(), 1U);
  EXPECT_EQ(text(best.rows[0][0]), "east");
}

TEST(Session, FindsKeysThatManyUnitsShareAndPaysDeltaForThem) {
  Clinic clinic({"INSERT INTO visits SELECT * REPLACE ('Rare' AS city) FROM visits LIMIT 1"});
  const AnswerSheet sheet =
      clinic.answer("SELECT city, COUNT(*) AS n, AVG(cost) FROM visits GROUP BY city", "9");
  ASSERT_EQ(sheet.rows.size(), 2U);  // 'Rare' would be shown with a chance below 1e-9
  EXPECT_EQ((std::set{text(sheet.rows[0][0]), text(sheet.rows[1][0])}),
            (std::set<std::string>{"Bonn", "Ulm"}));
  EXPECT_EQ(sheet.delta, "0.000000001");
  EXPECT_EQ(sheet.epsilon, "9");
  expect_intervals(sheet);
  Request pure = request("SELECT city, COUNT(*) FROM visits GROUP BY city");
  pure.options.delta = {};
  EXPECT_FALSE(clinic.ask(pure).has_value());
}

TEST(Session, DrawsHistogramsBoxPlotsAndTheMostFrequentValues) {
  Clinic clinic;
  const AnswerSheet histogram =
      clinic.answer("SELECT HISTOGRAM(age, bins => 6) FROM visits", kLoud);
  EXPECT_EQ(histogram.drawing, Drawing::kHistogram);
  ASSERT_EQ(histogram.rows.size(), 6U);
  double rows = 0;
  for (const auto& row : histogram.rows) rows += std::stod(text(row.back()));
  EXPECT_EQ(rows, 900);
  const AnswerSheet box =
      clinic.answer("SELECT clinic, BOXPLOT(cost) FROM visits GROUP BY clinic", "20");
  EXPECT_EQ(box.drawing, Drawing::kBoxPlot);
  ASSERT_EQ(box.rows.size(), 3U);
  ASSERT_EQ(box.columns.size(), 6U);
  const AnswerSheet top = clinic.answer("SELECT TOP_K(code, 2) FROM visits", "20");
  EXPECT_EQ(top.rows.size(), 2U);
}

TEST(Session, JoinsAPublicTableAndFollowsAPathToTheUnit) {
  Clinic clinic;
  const AnswerSheet county = clinic.answer(
      "SELECT county, COUNT(*) AS n FROM visits JOIN zips ON visits.zip = zips.zip GROUP BY county",
      kLoud);
  ASSERT_EQ(county.rows.size(), 2U);
  EXPECT_EQ(text(county.rows[0][0]) + text(county.rows[0][1]), "lake450");
  EXPECT_EQ(text(county.rows[1][0]) + text(county.rows[1][1]), "hill450");
  // labs.visit_id -> visits.id -> patient_id: at most one row a unit is the safe default.
  EXPECT_EQ(clinic.measured("SELECT COUNT(DISTINCT visits.patient_id) FROM labs "
                            "JOIN visits ON labs.visit_id = visits.id"),
            300);
  EXPECT_EQ(clinic.measured("SELECT COUNT(*) FROM labs"), 300);
  EXPECT_EQ(clinic.measured("SELECT COUNT(*) FROM visits JOIN patients ON patient_id = patients.id "
                            "WHERE sex = 'f'"),
            450);
}

TEST(Session, SolvesEpsilonForAnErrorThatOneCanLiveWith) {
  Clinic clinic;
  Request question{.sql = "SELECT COUNT(*) FROM visits", .analyst = "ann"};
  question.error = WantedError{.half_width = 10};
  const auto answered = clinic.ask(question);
  ASSERT_TRUE(answered.has_value()) << answered.error().message;
  const AnswerCell& cell = answered->sheet.rows[0][0];
  EXPECT_LE(std::stod(*cell.high) - std::stod(*cell.low), 20);
  EXPECT_GE(std::stod(*cell.high) - std::stod(*cell.low), 18);
  // The price is the one that the curve tells.
  const auto curve = clinic.session().curve(question, {*Rational::parse(answered->sheet.epsilon)});
  ASSERT_TRUE(curve.has_value());
  EXPECT_LE((*curve)[0].half_width, 10);
  Request relative{.sql = "SELECT COUNT(*) FROM visits WHERE age > 30", .analyst = "ann"};
  relative.error =
      WantedError{.half_width = Rational::ratio(1, 90), .relative = true, .about = 900};
  EXPECT_EQ(clinic.ask(relative)->sheet.epsilon, answered->sheet.epsilon);
  Request both = request("SELECT COUNT(*) FROM visits");
  both.error = WantedError{.half_width = 10};
  EXPECT_EQ(clinic.ask(both).error().code, Code::kInvalidInput);
  Request ranks{.sql = "SELECT MEDIAN(age) FROM visits", .analyst = "ann"};
  ranks.error = WantedError{.half_width = Rational::ratio(1, 20), .relative = true};
  EXPECT_EQ(clinic.ask(ranks).error().code, Code::kInvalidInput);  // 5% of which number of rows?
  ranks.error->about = 2000;
  EXPECT_TRUE(clinic.ask(ranks).has_value());
}

/// Asks for an error of `half_width`, or of that part of what is not said.
Request wanting(const std::string& sql, const char* half_width, bool relative = false) {
  Request out{.sql = sql, .analyst = "ann"};
  out.error = WantedError{.half_width = *Rational::parse(half_width), .relative = relative};
  return out;
}

double half_width(const AnswerCell& cell) {
  return (std::stod(*cell.high) - std::stod(*cell.low)) / 2;
}

TEST(Session, BuysAPilotAtAFixedPriceForAnErrorThatNothingPublicTells) {
  const std::string sql = "SELECT COUNT(*) FROM visits WHERE age < 90";
  std::vector<std::string> first_prices;
  for (const char* rows : {"SELECT 1", "DELETE FROM visits WHERE id >= 600"}) {
    Clinic clinic({rows});
    Request question = wanting(sql, "0.01", true);
    question.error->pilot = *Epsilon::parse("0.5");
    // Before: what would be paid first, and nothing is.
    const auto explained = clinic.session().explain(question);
    ASSERT_TRUE(explained.has_value()) << explained.error().message;
    EXPECT_EQ(explained->price, "epsilon 0.5");
    EXPECT_EQ(records(clinic, Kind::kCharge), 0);
    const auto answered = clinic.ask(question);
    ASSERT_TRUE(answered.has_value()) << answered.error().message;
    // 900 or 600 rows, three of each unit: the pilot is off by 100 with a chance below 1e-7.
    EXPECT_LE(half_width(answered->sheet.rows[0][0]), 0.01 * 1'000);
    EXPECT_FALSE(answered->notes.empty());
    for (const ledger::Record& record : clinic.history()) {
      if (record.kind != Kind::kCharge) continue;
      first_prices.push_back(record.price.amount.to_string());
      break;
    }
    // Once more: the most accurate answer that this analyst has serves as the pilot, for nothing.
    const int charges = records(clinic, Kind::kCharge);
    const auto again = clinic.ask(wanting(sql, "0.01", true));
    ASSERT_TRUE(again.has_value()) << again.error().message;
    EXPECT_TRUE(again->repeated || records(clinic, Kind::kCharge) == charges + 1);
    // Another analyst's answers are theirs: this one buys a pilot.
    Request press = wanting(sql, "0.05", true);
    press.analyst = "press";
    press.error->pilot = *Epsilon::parse("0.6");
    EXPECT_EQ(clinic.session().explain(press)->price, "epsilon 0.6");
  }
  EXPECT_EQ(first_prices, (std::vector<std::string>{"0.5", "0.5"}));  // whatever the data
  // A pilot that cannot tell the value from 0 says so; it is paid for.
  Clinic clinic;
  Request vague = wanting("SELECT COUNT(*) FROM visits WHERE age > 90", "0.05", true);
  vague.confidence = *Confidence::parse("0.999999999");  // that it covers 0
  EXPECT_EQ(clinic.ask(vague).error().code, Code::kInvalidInput);
  EXPECT_EQ(clinic.spent(), "0.05 0.05");
  EXPECT_EQ(clinic.ask(vague).error().code, Code::kInvalidInput);  // the same answer, free
  EXPECT_EQ(clinic.spent(), "0.05 0.05");
  vague.error->pilot = *Epsilon::parse("0.1");  // a better one, and not the vague one again
  EXPECT_EQ(clinic.session().explain(vague)->price, "epsilon 0.1");
}

bool is_noted(const std::vector<std::string>& notes, const std::string& words) {
  return std::ranges::any_of(
      notes, [&](const std::string& note) { return note.find(words) != std::string::npos; });
}

// The count is good; that a sum beside it is mostly noise does not make the row useless.
TEST(Session, ARowIsTooSmallWhereAllItsValuesAre) {
  Clinic clinic;
  Request both = request("SELECT COUNT(*) AS n, SUM(age - age) AS nothing FROM visits", "1");
  both.options.weights = {{"n", Rational(1000)}};
  const auto answered = clinic.ask(both);
  ASSERT_TRUE(answered.has_value()) << answered.error().message;
  EXPECT_FALSE(answered->sheet.small[0]);
  Request zero = request("SELECT SUM(age - age) AS nothing FROM visits", "0.01");
  zero.confidence = *Confidence::parse("0.999999999");  // that it covers 0
  const auto alone = clinic.ask(zero);
  ASSERT_TRUE(alone.has_value());
  EXPECT_TRUE(alone->sheet.small[0]);
}

TEST(Session, ListedGroupsSayThatOthersAreLeftOut) {
  Clinic clinic;
  const std::string sql =
      "SELECT CASE WHEN age > 60 THEN 'old' END AS k, COUNT(*) AS n FROM visits GROUP BY 1";
  const auto answered = clinic.ask(request(sql, "1"));
  ASSERT_TRUE(answered.has_value()) << answered.error().message;
  EXPECT_TRUE(is_noted(answered->made, "rows whose key is NULL"));
  // It is of the question as it was written, so whoever shares the bytes is not told it by them.
  EXPECT_EQ(answered->bytes.find("rows whose key is NULL"), std::string::npos);
  const auto one = clinic.ask(request("SELECT COUNT(*) FROM visits", "1"));
  ASSERT_TRUE(one.has_value());
  EXPECT_FALSE(is_noted(one->made, "rows whose key is NULL"));
}

TEST(Session, ExplainsTheErrorOfEveryOutput) {
  Clinic clinic;
  const auto told =
      clinic.session().explain(request("SELECT COUNT(*) AS n, AVG(age) AS mean FROM visits", "1"));
  ASSERT_TRUE(told.has_value());
  EXPECT_TRUE(is_noted(told->notes, "expected error of n: ±"));
  const auto mean = std::find_if(told->notes.begin(), told->notes.end(), [](const std::string& n) {
    return n.starts_with("expected error of mean: ");
  });
  ASSERT_NE(mean, told->notes.end());
  // Ten times the rows, about a tenth of the error.
  double few = 0, many = 0;
  ASSERT_EQ(std::sscanf(mean->c_str() + mean->find("rows in a group"),
                        "rows in a group, ±%*f with 1,000, ±%lf with 10,000, ±%lf", &few, &many),
            2)
      << *mean;
  EXPECT_NEAR(few / many, 10, 1) << *mean;
  Request wanted = wanting("SELECT AVG(age) AS mean FROM visits", "5");
  wanted.error->rows = Rational(1000);
  const auto known = clinic.session().explain(wanted);
  ASSERT_TRUE(known.has_value());
  EXPECT_TRUE(is_noted(known->notes, "expected error of mean: ±"));
}

TEST(Session, AChargeThatWasNeverAnsweredIsNoEarlierAnswer) {
  Clinic clinic;
  const Request dear = request("SELECT AVG(age) FROM visits", "3");
  sql::Options options = dear.options;
  const sql::Query query = sql::bind(dear.sql, options, clinic.policy()).value();
  const auto checked = plan::Checker::check(query.plan, clinic.policy(), "lost");
  ASSERT_TRUE(checked.has_value());
  const Hash key = ledger::sha256(question_text(query, dear.confidence));
  ASSERT_TRUE(clinic.ledger().charge(checked->charge(), {.analyst = dear.analyst,
                                                         .key = std::string(key.begin(), key.end()),
                                                         .snapshot = clinic.policy().snapshot}));
  Request question = wanting(dear.sql, "2");
  question.options.delta = dear.options.delta;
  question.error->pilot = *Epsilon::parse("0.5");
  EXPECT_EQ(clinic.session().explain(question)->price, "epsilon 0.5");
  ASSERT_TRUE(clinic.ask(dear).has_value());  // bought again, and answered
  EXPECT_EQ(clinic.session().explain(question)->price, "epsilon 3");
}

TEST(Session, ExplainsWithWhichMeasurementKeysAreFound) {
  Clinic clinic;
  const Request with = request("SELECT city, SUM(cost), COUNT(*) FROM visits GROUP BY city");
  const auto found = clinic.session().explain(with);
  ASSERT_TRUE(found.has_value()) << found.error().message;
  ASSERT_EQ(found->steps.size(), 2U);
  EXPECT_NE(found->steps[0].measurement.find(", and which keys to show"), std::string::npos);
  EXPECT_NE(found->steps[0].noise.find("thresholded-groups"), std::string::npos);
  EXPECT_NE(found->steps[1].noise.find("discrete-laplace-vector"), std::string::npos);
  EXPECT_NE(found->keys.find("99% confidence"), std::string::npos) << found->keys;
  EXPECT_TRUE(found->price.starts_with("epsilon 1 and delta")) << found->price;
  // Quantiles tell no keys: those are bought.
  const auto apart =
      clinic.session().explain(request("SELECT city, MEDIAN(age) FROM visits GROUP BY city"));
  ASSERT_TRUE(apart.has_value()) << apart.error().message;
  EXPECT_EQ(apart->steps[0].measurement, "which keys to show");
  EXPECT_NE(apart->keys.find("is certain to appear"), std::string::npos) << apart->keys;
}

TEST(Session, SolvesForTheErrorOfAveragesAndRatiosToo) {
  Clinic clinic;
  Request question = wanting("SELECT AVG(age) FROM visits", "2");
  question.error->pilot = *Epsilon::parse("0.5");
  const auto answered = clinic.ask(question);
  ASSERT_TRUE(answered.has_value()) << answered.error().message;
  // The pilot counts a quarter too many rows with a chance below 1e-8.
  EXPECT_LE(half_width(answered->sheet.rows[0][0]), 2.5);
  EXPECT_EQ(records(clinic, Kind::kCharge), 2);
  // With a public guess no pilot is needed.
  for (const char* sql : {"SELECT AVG(cost) FROM visits", "SELECT STDDEV(age) FROM visits",
                          "SELECT SUM(cost) / COUNT(*) FROM visits"}) {
    Request guess = wanting(sql, "8");
    guess.error->rows = Rational(900);
    const int before = records(clinic, Kind::kCharge);
    const auto got = clinic.ask(guess);
    ASSERT_TRUE(got.has_value()) << sql << got.error().message;
    EXPECT_EQ(records(clinic, Kind::kCharge), before + 1) << sql;
  }
  // The curve falls, and needs the guess.
  const Request average = request("SELECT AVG(age) FROM visits");
  EXPECT_EQ(clinic.session().curve(average, {1}).error().code, Code::kInvalidInput);
  const auto curve = clinic.session().curve(average, {1, 2, 4}, Rational(900));
  ASSERT_TRUE(curve.has_value()) << curve.error().message;
  EXPECT_GT((*curve)[0].half_width, (*curve)[1].half_width);
  EXPECT_GT((*curve)[1].half_width, 1.5 * (*curve)[2].half_width);
  EXPECT_TRUE(clinic.session().curve(request("SELECT MEDIAN(age) FROM visits"), {1}).has_value());
}

TEST(Session, StoresNothingOfWhoAskedFirstAndInWhichWords) {
  Clinic clinic;
  const auto first = clinic.ask(
      "select count(*) as n from visits as my_secret_alias where my_secret_alias.age > 3");
  ASSERT_TRUE(first.has_value()) << first.error().message;
  EXPECT_EQ(first->analyst, "ann");
  Request press = request("SELECT COUNT(*) AS n FROM visits WHERE age > 3");
  press.analyst = "press";
  const auto second = clinic.ask(press);
  ASSERT_TRUE(second.has_value()) << second.error().message;
  EXPECT_FALSE(second->repeated);
  EXPECT_EQ(second->bytes, first->bytes);
  for (const char* word : {"ann", "my_secret_alias", "select count"}) {
    EXPECT_EQ(second->bytes.find(word), std::string::npos) << second->bytes;
  }
  EXPECT_EQ(second->question, press.sql);
  EXPECT_EQ(second->analyst, "press");
}

TEST(Session, MarksWhatWasProbablyCutOffAtABound) {
  // Half of the costs lie far above the declared 5000, and are clamped to it.
  Clinic clinic({"ALTER TABLE visits ALTER cost TYPE DECIMAL(18, 2)",
                 "UPDATE visits SET cost = 90000 WHERE id % 2 = 0",
                 "UPDATE visits SET age = 119 + id % 2"});
  const auto mark = [&](const std::string& sql) {
    const AnswerSheet sheet = clinic.answer(sql, kLoud);
    EXPECT_FALSE(sheet.clipped.empty()) << sql;
    return sheet.clipped.empty() ? "" : sheet.clipped.back();
  };
  EXPECT_NE(mark("SELECT MAX(cost) FROM visits").find("upper bound 5000"), std::string::npos);
  EXPECT_NE(mark("SELECT AVG(age) FROM visits").find("the mean of age is at the upper bound 120"),
            std::string::npos);
  EXPECT_NE(mark("SELECT SUM(age), COUNT(*) FROM visits").find("upper bound"), std::string::npos);
  EXPECT_NE(mark("SELECT HISTOGRAM(cost, bins => 10) FROM visits").find("last bin"),
            std::string::npos);
  EXPECT_EQ(mark("SELECT AVG(cost) FROM visits"), "");
  EXPECT_EQ(mark("SELECT AVG(big) FROM visits"), "");
  EXPECT_EQ(mark("SELECT COUNT(*) FROM visits"), "");
  EXPECT_EQ(mark("SELECT HISTOGRAM(big, bins => 10) FROM visits"), "");
  // Noise that could be anything says nothing.
  const auto vague = clinic.answer("SELECT AVG(age) FROM visits", "0.001");
  EXPECT_EQ(vague.clipped.at(0), "");
}

TEST(Session, AQuantilesIntervalWidensWithTheConfidenceAndCostsNoMore) {
  Clinic clinic;
  Request question = request("SELECT MEDIAN(cost) FROM visits");
  const auto usual = clinic.ask(question);
  question.confidence = *Confidence::parse("0.999999");
  const auto surer = clinic.ask(question);
  ASSERT_TRUE(usual.has_value() && surer.has_value());
  EXPECT_EQ(surer->sheet.confidence, "0.999999");
  EXPECT_EQ(usual->sheet.noise, surer->sheet.noise);
  EXPECT_EQ(usual->sheet.noise.size(), 2U);  // the quantile, and the rows around it
  EXPECT_EQ(usual->sheet.epsilon, surer->sheet.epsilon);
}

TEST(Session, QuantilesOfOneQuestionComeInOrder) {
  Clinic clinic;
  for (int i = 0; i < 20; ++i) {  // so little epsilon that the draws themselves do not
    const auto sheet = clinic.answer(
        "SELECT PERCENTILE_DISC(0.6) WITHIN GROUP (ORDER BY age), "
        "PERCENTILE_DISC(0.4) WITHIN GROUP (ORDER BY age), "
        "MEDIAN(age) FROM visits",
        ("0.000" + std::to_string(100 + i)).c_str());
    const auto& row = sheet.rows.at(0);
    EXPECT_LE(std::stod(*row[1].value), std::stod(*row[2].value));
    EXPECT_LE(std::stod(*row[2].value), std::stod(*row[0].value));
  }
}

TEST(Session, LeavesTheLedgerWholeAfterAllThis) {
  Clinic clinic;
  for (const char* sql : {"SELECT COUNT(*) FROM visits", "SELECT MEDIAN(age) FROM visits",
                          "SELECT city, COUNT(*) FROM visits GROUP BY city"}) {
    EXPECT_TRUE(clinic.ask(sql).has_value()) << sql;
  }
  EXPECT_FALSE(clinic.ask("SELECT nothing FROM visits").has_value());
  const auto verified = clinic.ledger().verify();
  ASSERT_TRUE(verified.has_value()) << verified.error().message;
  EXPECT_EQ(verified->answers, 3U);
}

}  // namespace
}  // namespace discreet::session::session_test
