// SPDX-License-Identifier: Apache-2.0
// What one unit's rows can do to a question that joins: they are cut before they meet, by their
// contents alone, and what could still become too much is refused before it is charged.
#include <gtest/gtest.h>

#include <string>

#include "session/random_joins_for_tests.h"

namespace discreet::session::joined_rows_test {
namespace {

constexpr const char* kTwice =
    "SELECT COUNT(*) FROM visits a JOIN visits b ON a.patient_id = b.patient_id";

/// So many visits of Bob, in this order.
std::string bobs_visits(int count, const std::string& order = "i") {
  return "INSERT INTO visits SELECT v.* REPLACE (10000 + i AS id, 1000 AS patient_id, 'Bob' AS "
         "name, CAST(i % 97 AS INTEGER) AS age, CAST(i AS DECIMAL(12, 2)) AS cost) FROM visits v, "
         "range(" +
         std::to_string(count) + ") r(i) WHERE v.id = 0 ORDER BY " + order;
}

/// What is measured when all that is joined counts.
double all_of(Clinic& clinic, const std::string& sql) {
  Request asked = request(sql, kLoud);
  asked.options.groups_per_unit = 1;
  asked.options.rows_per_unit_and_group = 1'000'000;
  const auto answered = clinic.ask(asked);
  EXPECT_TRUE(answered) << (answered ? "" : answered.error().message);
  return answered ? std::stod(answered->sheet.rows.at(0).at(0).value.value()) : 0;
}

TEST(JoinedRows, AUnitsRowsAreCutBeforeTheyMeet) {
  Clinic few({bobs_visits(200)});
  Clinic many({bobs_visits(3000)});
  const double others = 300 * 9;
  EXPECT_EQ(all_of(few, kTwice), others + 200 * 200);
  EXPECT_EQ(all_of(many, kTwice), others + 223 * 223);  // at most 50,000 of a unit
  // What looks at one row is asked before the cut: 31 rows of each age, less for the last ones.
  EXPECT_EQ(all_of(many, std::string(kTwice) + " WHERE a.name = 'Bob' AND a.age = 5 AND b.age = 5"),
            31 * 31);
  // The rest is asked of what was cut.
  EXPECT_LT(all_of(many, std::string(kTwice) + " WHERE a.name = 'Bob' AND a.age = b.age"),
            0.25 * 31 * 31 * 97);
}

TEST(JoinedRows, WhichRowsAreReadFollowsFromTheirContentsAlone) {
  const std::string sum =
      "SELECT SUM(a.cost) FROM visits a JOIN visits b ON a.id = b.id JOIN "
      "visits c ON a.patient_id = c.patient_id WHERE a.name = 'Bob'";
  Clinic one({bobs_visits(1500)});
  const double expected = all_of(one, sum);
  EXPECT_GT(expected, 0);
  for (const char* order : {"i DESC", "hash(i)", "i % 7, i"}) {
    Clinic other({bobs_visits(1500, order)}, {}, 1);
    EXPECT_NEAR(all_of(other, sum), expected, 1000) << order;  // some noise is left
  }
}

// Some patients have no row in the table where the paths of stays end: their stays are nobody's,
// and a scan that is cut leaves them out, however many rows Bob has.
TEST(JoinedRows, OnePersonsRowsChangeNobodyElses) {
  const auto clinic_with = [](int stays_of_bob) {
    return std::make_unique<Clinic>(std::vector<std::string>{
        "INSERT INTO visits SELECT v.* REPLACE (20000 + i AS id, 301 + i AS patient_id, 'x' AS "
        "name) FROM visits v, range(100) r(i) WHERE v.id = 0",
        bobs_visits(1), "INSERT INTO patients SELECT 1000, 'f'",
        "INSERT INTO stays SELECT 1000, i % 10 FROM range(" + std::to_string(stays_of_bob) +
            ") r(i)"});
  };
  const std::string stays =
      "SELECT COUNT(*) FROM visits a JOIN stays s ON a.patient_id = s.patient JOIN stays t ON "
      "a.patient_id = t.patient WHERE a.name <> 'Bob'";
  const std::string none =
      "SELECT COUNT(*) FROM visits a JOIN visits b ON a.patient_id = b.patient_id WHERE a.name <> "
      "'Bob' AND NOT EXISTS (SELECT 1 FROM stays s WHERE s.patient = a.patient_id)";
  for (const int count : {0, 40, 60, 2000}) {
    const auto clinic = clinic_with(count);
    EXPECT_EQ(all_of(*clinic, stays), 900 * 2 * 2) << count;
    EXPECT_EQ(all_of(*clinic, none), 100) << count;
  }
}

TEST(JoinedRows, NothingButTheNoisedNumbersTellsOfAUnitWithManyRows) {
  TwoClinics two({bobs_visits(3000)});
  two.answered(kTwice);
  two.moved_by(kTwice, 3);
  two.answered(
      "SELECT sex, COUNT(*) FROM patients p JOIN visits v ON p.id = v.patient_id GROUP BY "
      "sex");
  two.answered(
      "SELECT COUNT(*) FROM visits a WHERE EXISTS (SELECT 1 FROM visits b WHERE "
      "b.patient_id = a.patient_id AND b.cost > a.cost)");
  two.moved_by(
      "SELECT AVG(n) FROM (SELECT a.patient_id, COUNT(*) AS n FROM visits a JOIN visits b "
      "ON a.patient_id = b.patient_id GROUP BY a.patient_id) t",
      1e6);
  std::string four = kTwice;
  four +=
      " JOIN visits c ON b.patient_id = c.patient_id JOIN visits d ON c.patient_id = "
      "d.patient_id";
  two.refused(four);
  two.refused(four + " WHERE a.name = 'Bob'");
}

TEST(JoinedRows, ExplainSaysWhatIsCutAndHowMuchAUnitCanCause) {
  const std::string county =
      "SELECT county, COUNT(*) FROM visits JOIN zips ON visits.zip = zips.zip GROUP BY county";
  const auto said = [](Clinic& clinic, const std::string& sql) {
    const auto explained = clinic.session().explain(request(sql));
    std::string notes = explained ? "" : explained.error().message;
    if (explained) {
      for (const std::string& note : explained->notes) notes += note + "\n";
    }
    return notes;
  };
  Clinic clinic;
  EXPECT_EQ(said(clinic, county).find("joined rows"), std::string::npos);
  Clinic more({"INSERT INTO zips SELECT zips.* FROM zips, range(59)"});
  EXPECT_NE(said(more, county)
                .find("at most 833 rows of visits, chosen by a hash of their contents; a "
                      "unit causes at most 49980 joined rows"),
            std::string::npos)
      << said(more, county);
  Clinic most({"INSERT INTO zips SELECT zips.* FROM zips, range(30000)"});
  EXPECT_NE(said(most, county).find("at most 1000000 are allowed"), std::string::npos)
      << said(most, county);
  const auto refused = most.ask(request(county));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kRefused);
  EXPECT_EQ(most.history().size(), clinic.history().size());  // nothing was charged
}

// ./dev soak neighbours asks 10^5 of them.
TEST(JoinedRows, NoUnitTellsOfItselfInARandomQuestionWithJoins) {
  const JoinTally tally = ask_random_joins(29, 150);
  EXPECT_GT(tally.answered, 75);
  EXPECT_GT(tally.refused, 5);
  EXPECT_GT(tally.multiplied, 35);
}

}  // namespace
}  // namespace discreet::session::joined_rows_test
