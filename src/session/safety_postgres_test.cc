// SPDX-License-Identifier: Apache-2.0
// The table of attacks on a PostgreSQL server. Each is tried on two databases that differ in one
// unit, Bob, and twice: on a *naive proxy*, which sends the analyst's SQL to the server as it is
// and adds noise to the numbers that come back, and on us. The attack succeeds when something other
// than a noised number tells the two databases apart: it must on the proxy, and must not here.
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "engine/postgres/connection.h"
#include "session/attacks_for_tests.h"
#include "session/postgres_for_tests.h"

namespace discreet::session::safety_postgres_test {
namespace {

constexpr Attack kAttacks[] = {
    {"S1 divide by zero", "SELECT sum(1/(CASE WHEN name='Bob' THEN 0 ELSE 1 END)) > 0 FROM visits",
     "division by zero", Here::kAnswered,
     "SELECT SUM(1/(CASE WHEN name='Bob' THEN 0 ELSE 1 END)) FROM visits"},
    {"S1 modulo zero", "SELECT sum(age % cost) IS NULL FROM visits", "division by zero",
     Here::kAnswered, "SELECT SUM(age % (age - 40)), SUM(age / cost) FROM visits"},
    {"S2 cast on one row",
     "SELECT sum(CAST(CASE WHEN name='Bob' THEN 'x' ELSE '1' END AS int)) > 0 FROM visits",
     "invalid input syntax", Here::kAnswered,
     "SELECT SUM(CAST(CASE WHEN name='Bob' THEN 'x' ELSE '1' END AS integer)) FROM visits"},
    {"S2 cast of a column", "SELECT count(*) > 0 FROM visits WHERE code::int = 3",
     "invalid input syntax", Here::kAnswered,
     "SELECT COUNT(*) FROM visits WHERE CAST(code AS integer) = 3"},
    {"S2 infinite date", "SELECT max(day - DATE '2024-01-01') > 0 FROM visits",
     "cannot subtract infinite dates", Here::kAnswered,
     "SELECT MAX(day - DATE '2024-01-01') FROM visits"},
    {"S3 overflow of a sum", "SELECT sum(big + 1) > 0 FROM visits", "bigint out of range",
     Here::kAnswered, "SELECT SUM(big + 1) FROM visits"},
    {"S3 overflow of a function", "SELECT sum(exp(score)) > 0 FROM visits", "overflow",
     Here::kRefused, "SELECT SUM(exp(score)) FROM visits"},
    {"S3 overflow of a product", "SELECT sum(score * score) > 0 FROM visits", "overflow",
     Here::kAnswered, "SELECT SUM(score * score) FROM visits"},
    {"S5 limit", "SELECT city FROM visits ORDER BY big DESC LIMIT 1", "Bobtown", Here::kRefused,
     "SELECT city FROM visits ORDER BY big DESC LIMIT 1"},
    {"S5 distinct on", "SELECT DISTINCT ON (clinic) name FROM visits ORDER BY clinic, big DESC",
     "Bob", Here::kRefused, "SELECT DISTINCT ON (clinic) name FROM visits ORDER BY clinic, big"},
    {"S6 keys", "SELECT city FROM visits GROUP BY city", "Bobtown", Here::kAnswered,
     "SELECT city, COUNT(*) FROM visits GROUP BY city"},
    {"S7 catalog",
     "SELECT reltuples FROM pg_class WHERE relname = 'visits' AND relnamespace = "
     "current_schema()::regnamespace",
     "902", Here::kRefused, "SELECT COUNT(*) FROM pg_class"},
    {"S7 system columns", "SELECT max(ctid) FROM visits", "", Here::kRefused,
     "SELECT COUNT(DISTINCT ctid) FROM visits"},
    {"S8 explain", "EXPLAIN SELECT * FROM visits", "rows=902", Here::kRefused,
     "EXPLAIN SELECT COUNT(*) FROM visits"},
    {"S9 duration",
     "SELECT count(pg_sleep(CASE WHEN name = 'Bob' THEN 1 ELSE 0 END)) > 0 FROM visits", "slow",
     Here::kRefused,
     "SELECT COUNT(pg_sleep(CASE WHEN name = 'Bob' THEN 1 ELSE 0 END)) FROM visits"},
    {"S9 repetition",
     "SELECT max(length(repeat(name, CASE WHEN name = 'Bob' THEN 1000000000 ELSE 1 END))) > 9 FROM "
     "visits",
     "requested length too large", Here::kRefused,
     "SELECT MAX(length(repeat(name, 1000000000))) FROM visits"},
    {"S10 other ways to a table",
     "SELECT query_to_xml('SELECT city FROM visits ORDER BY big DESC LIMIT 1', true, false, '')",
     "Bobtown", Here::kRefused,
     "SELECT COUNT(query_to_xml('SELECT city FROM visits', true, false, '')) FROM visits"},
    {"S12 scalar subquery",
     "SELECT count(*) > 0 FROM visits WHERE age = (SELECT age FROM visits WHERE name = 'Bob')",
     "more than one row", Here::kRefused,
     "SELECT COUNT(*) FROM visits WHERE age = (SELECT age FROM visits WHERE name = 'Bob')"},
    {"S17 sampling",
     "SELECT name FROM visits TABLESAMPLE SYSTEM (100) REPEATABLE (1) ORDER BY big "
     "DESC LIMIT 1",
     "Bob", Here::kRefused, "SELECT COUNT(*) FROM visits TABLESAMPLE SYSTEM (100) REPEATABLE (1)"},
    {"S18 floating point", "SELECT sum(score) > 0 FROM visits", "overflow", Here::kAnswered,
     "SELECT SUM(score) FROM visits"},
    {"S21 error text", "SELECT sum(code::int) > 0 FROM visits", "\"Bob\"", Here::kAnswered,
     "SELECT SUM(CAST(code AS integer)) FROM visits"},
    {"S22 time limit",
     "SET statement_timeout = 500; SELECT count(*) > 0 FROM visits WHERE CASE WHEN name = 'Bob' "
     "THEN pg_sleep(5) IS NULL ELSE true END",
     "statement timeout", Here::kRefused, "SET statement_timeout = 500"},
    {"S25 derived table",
     "SELECT v.city FROM visits v JOIN (VALUES ('Bob')) AS t(name) USING "
     "(name)",
     "Bobtown", Here::kRefused,
     "SELECT COUNT(*) FROM visits JOIN (VALUES ('Bob')) AS t(name) ON t.name = visits.name"},
};

class PostgresSafety : public testing::TestWithParam<Attack> {};

TEST_P(PostgresSafety, WorksOnANaiveProxyAndNotHere) {
  const Attack& attack = GetParam();
  Two& two = Two::instance();
  two.proxy_tells(attack.naive, attack.by);
  for (PostgresClinic* clinic : {&two.without, &two.with}) clinic->proxied("RESET ALL");
  for (PostgresClinic* clinic : {&two.without, &two.with}) {
    clinic->proxied("SET search_path = " + clinic->schema() + ", public");
  }
  attack.here == Here::kRefused ? two.refused(attack.ours) : two.answered(attack.ours);
}

INSTANTIATE_TEST_SUITE_P(Table, PostgresSafety, testing::ValuesIn(kAttacks), attack_name);

TEST(PostgresSafetyBounds, S13S15S16OnePersonMovesWhatIsMeasuredByTheBound) {
  Two& two = Two::instance();
  // The proxy's noise is for one row; a product behind the clamp, and a join, move by far more.
  two.proxy_tells("SELECT sum(least(age, 120) * 1000000.0) > 26600000000 FROM visits", "t|");
  two.proxy_tells("SELECT count(*) > 270700 FROM visits v JOIN visits w ON v.clinic = w.clinic",
                  "t|");
  two.proxy_tells("SELECT count(*) > 0 FROM visits WHERE name = 'Bob'", "t|");
  two.moved_by("SELECT COUNT(*) FROM visits WHERE name = 'Bob'", 3);
  two.moved_by("SELECT SUM(age * age) FROM visits", 3 * 14'400.0);
  two.moved_by("SELECT SUM(big) FROM visits", 3 * 1'000.0);
  two.moved_by("SELECT SUM(score) FROM visits", 3 * 10.0);
  two.moved_by("SELECT SUM(cost * 2 + age) FROM visits", 3 * 10'120.0);
  two.moved_by("SELECT COUNT(*) FROM labs", 6);
  two.moved_by("SELECT COUNT(DISTINCT patient_id) FROM visits", 1);
  EXPECT_EQ(two.measured("SELECT COUNT(*) FROM visits").first, 900);
}

// The proxy's noise is the server's: whoever sets its seed knows the noise, and takes it off again.
TEST(PostgresSafetySettings, S11NoiseThatTheAnalystCanSeedIsNone) {
  Two& two = Two::instance();
  const auto noised = [](PostgresClinic& clinic, const std::string& before) {
    return std::stod(clinic.proxied(before + "SELECT count(*) + 1000 * random() FROM visits"));
  };
  EXPECT_NEAR(
      noised(two.with, "SELECT setseed(0.5); ") - noised(two.without, "SELECT setseed(0.5); "), 2,
      1e-6);
  for (const char* sql : {"SELECT setseed(0.5), COUNT(*) FROM visits", "SET seed = 0.5",
                          "SELECT set_config('a.b', 'c', false), COUNT(*) FROM visits",
                          "SET statement_timeout = 1", "RESET ALL"}) {
    two.refused(sql);
  }
}

TEST(PostgresSafetyAveraging, S19RepeatingGivesTheSameBytesForOnePrice) {
  Two& two = Two::instance();
  // The proxy draws noise anew: the mean of many tells the count.
  double sum = 0;
  constexpr int kTimes = 400;
  for (int i = 0; i < kTimes; ++i) {
    sum += std::stod(two.with.proxied("SELECT count(*) + 20 * (random() - 0.5) FROM visits"));
  }
  EXPECT_NEAR(sum / kTimes, 902, 2.5);  // 8 standard errors
  const auto first = two.with.ask(request("SELECT COUNT(*) FROM visits WHERE age < 77"));
  ASSERT_TRUE(first.has_value());
  const std::string spent = two.with.spent();
  for (int i = 0; i < 50; ++i) {
    const auto again = two.with.ask(request("select count(1) from visits v where 77 > v.age"));
    ASSERT_TRUE(again.has_value());
    ASSERT_EQ(again->bytes, first->bytes);
  }
  EXPECT_EQ(two.with.spent(), spent);
  EXPECT_TRUE(two.without.ask(request("SELECT COUNT(*) FROM visits WHERE age < 77")).has_value());
}

TEST(PostgresSafetyFailure, S22AFailingServerSaysOneThingAndNothingIsCharged) {
  Two& two = Two::instance();
  const auto failing = [](PostgresClinic& clinic) {
    clinic.run("REVOKE SELECT ON @visits FROM reader");
    const auto answer = clinic.ask(request("SELECT COUNT(*) FROM visits WHERE age > 1", "0.5"));
    clinic.run("GRANT SELECT ON @visits TO reader");
    EXPECT_FALSE(answer.has_value());
    return answer ? Error{} : answer.error();
  };
  const std::size_t before = two.with.records();
  const Error a = failing(two.without);
  const Error b = failing(two.with);
  EXPECT_EQ(a.code, Code::kEngine);
  EXPECT_EQ(b.code, Code::kEngine);
  EXPECT_EQ(a.message, b.message);
  EXPECT_NE(a.message.find("nothing was charged"), std::string::npos);
  EXPECT_EQ(a.message.find("permission"), std::string::npos);
  EXPECT_NE(two.with.said().find("permission"), std::string::npos);
  EXPECT_EQ(two.with.records(), before);
  EXPECT_EQ(two.without.spent(), two.with.spent());
}

TEST(PostgresSafetyInjection, S23WordsOfTheQuestionReachTheServerAsValues) {
  Two& two = Two::instance();
  const auto spliced = [](const std::string& word) {
    return "SELECT count(*) FROM visits WHERE code = '" + word + "'";
  };
  EXPECT_EQ(two.with.proxied(spliced("x' OR 'a' = 'a")), "902|");
  for (const char* literal :
       {"'x'' OR ''a'' = ''a'", "E'\\''", "$$a'b$$", "U&'\\0027 OR 1=1'", "'\\'' OR 1=1 --'",
        "'\xe2\x80\x98 OR 1=1 --'", "'%s%n'", "'$1'", "'\\\\'", "E'\\\\x27'"}) {
    const std::string sql = std::string("SELECT COUNT(*) FROM visits WHERE code = ") + literal;
    const auto answer = two.without.ask(request(sql, kLoud));
    const auto other = two.with.ask(request(sql, kLoud));
    ASSERT_EQ(answer.has_value(), other.has_value()) << sql;
    if (answer) {
      EXPECT_EQ(answer->sheet.rows.at(0).at(0).value, "0") << sql;
    }
  }
  two.refused("SELECT COUNT(*) FROM visits; DROP TABLE visits");
  two.answered("SELECT COUNT(*) AS \"x\"\"; DROP TABLE visits; --\" FROM visits AS \"a\"\"b\"");
  EXPECT_EQ(two.measured("SELECT COUNT(*) FROM visits WHERE age < 200"), (std::pair{900.0, 902.0}));
}

// Two reads of one transaction see one state of the data, whatever the owner does between them.
TEST(PostgresSafetySnapshot, S24OneQuestionSeesOneSnapshot) {
  Two& two = Two::instance();
  const std::string count = "SELECT count(*) FROM " + two.without.schema() + ".visits";
  auto connection = std::move(engine::postgres::Connection::open(server().url(), {}).value());
  ASSERT_TRUE(connection->begin({}).has_value());
  const std::string proxied = two.without.proxied(count);
  const auto before = connection->query(count, {}).value();
  two.without.run("INSERT INTO @visits SELECT * FROM @visits WHERE id = 1");
  EXPECT_NE(two.without.proxied(count), proxied);
  EXPECT_EQ(connection->query(count, {}).value(), before);
  connection->end();
  two.without.run("DELETE FROM @visits WHERE ctid = (SELECT max(ctid) FROM @visits)");
}

}  // namespace
}  // namespace discreet::session::safety_postgres_test
