// SPDX-License-Identifier: Apache-2.0
// The table of attacks by SQL: each is tried on two databases that differ in one unit. It is
// refused by its words alone, with the same text and nothing charged; or it is answered, and all
// but the noised numbers is the same.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "session/attacks_for_tests.h"
#include "session/neighbours_for_tests.h"

namespace discreet::session::safety_test {
namespace {

TEST(Safety, S1DivisionByZeroOnOneRowIsNull) {
  TwoClinics two({bobs_visit("40 AS age, 0 AS cost")});
  two.answered("SELECT SUM(1 / (CASE WHEN name = 'Bob' THEN 0 ELSE 1 END)) FROM visits");
  two.answered("SELECT AVG(cost / (age - 40)) FROM visits");
  two.answered("SELECT COUNT(*) FROM visits WHERE 1 / (age - 40) > 0 OR age % (age - 40) = 0");
  two.answered("SELECT clinic, SUM(age / cost) FROM visits GROUP BY clinic");
  two.moved_by("SELECT COUNT(*) FROM visits WHERE 10 / (age - 40) IS NULL", 3);
  EXPECT_EQ(two.with.measured("SELECT COUNT(*) FROM visits WHERE 10 / (age - 40) IS NULL"), 1);
}

TEST(Safety, S2ACastThatOneRowCannotDoIsNull) {
  // Lines that a reader of CSV trips over: no number, too many cells, too few.
  TwoClinics two({bobs_visit("'12x' AS code")}, "1000,abc,a\n1000,1,a,b,c\n1000\n");
  two.answered(
      "SELECT SUM(CAST(CASE WHEN name = 'Bob' THEN 'x' ELSE '1' END AS integer)) FROM visits");
  two.answered("SELECT COUNT(*) FROM visits WHERE CAST(code AS integer) = 3");
  two.answered("SELECT CAST(code AS integer), COUNT(*) FROM visits GROUP BY 1");
  two.answered("SELECT region, AVG(income) FROM survey GROUP BY region");
  two.moved_by("SELECT COUNT(income) FROM survey", 1);
  EXPECT_EQ(two.without.measured("SELECT COUNT(income) FROM survey"), 100);
}

TEST(Safety, S3NothingOverflows) {
  TwoClinics two({"ALTER TABLE visits ALTER big TYPE HUGEINT",
                  bobs_visit("9223372036854775808 AS big, 1e308 AS score, 120 AS age")});
  two.answered("SELECT SUM(big), AVG(big), MAX(big), STDDEV(big) FROM visits");
  two.moved_by("SELECT SUM(big) FROM visits", 3 * 1000.0);
  two.moved_by("SELECT SUM(score) FROM visits", 3 * 10.0);
  two.moved_by("SELECT SUM(big * age) FROM visits", 3 * 120'000.0);
  two.refused("SELECT SUM(big + 9223372036854775807) FROM visits");
  two.refused("SELECT SUM(big * big * big * big * big * big * big) FROM visits");
  for (const char* call : {"exp(1000 * score)", "power(big, 1000)", "factorial(big)",
                           "length(repeat('x', big))", "big << 60", "big ^ 100"}) {
    two.refused(std::string("SELECT SUM(") + call + ") FROM visits");
  }
  // The type of a column is the same in both: a policy's range is what enters the plan.
  TwoClinics same_type({bobs_visit("9223372036854775807 AS big, 'NaN'::DOUBLE AS score")});
  same_type.moved_by("SELECT SUM(big) FROM visits", 3 * 1000.0);
  same_type.moved_by("SELECT SUM(score) FROM visits", 3 * 10.0);
}

TEST(Safety, S5OrderAndLimitSeeReleasedValuesOnly) {
  TwoClinics two({bobs_visit("'east' AS clinic")});
  two.answered("SELECT clinic, COUNT(*) FROM visits GROUP BY clinic");
  two.answered("SELECT clinic, COUNT(*) AS n FROM visits GROUP BY clinic ORDER BY clinic LIMIT 2");
  two.answered("SELECT clinic, COUNT(*) FROM visits GROUP BY clinic ORDER BY clinic DESC OFFSET 1");
  two.refused("SELECT city FROM visits LIMIT 1");
  two.refused("SELECT COUNT(*) FROM visits ORDER BY age");
  two.refused("SELECT clinic, COUNT(*) FROM visits GROUP BY clinic ORDER BY age");
  two.refused("SELECT DISTINCT ON (clinic) clinic, COUNT(*) FROM visits GROUP BY clinic");
  two.refused("SELECT COUNT(*) FROM visits LIMIT (SELECT COUNT(*) FROM visits)");
  two.refused("SELECT COUNT(*) FROM visits LIMIT 1 + 1");
  two.refused("SELECT COUNT(*) FROM visits TABLESAMPLE BERNOULLI (10)");
  two.refused("SELECT SUM(age ORDER BY cost) FROM visits");
  // The order of the listed keys is the policy's, in whatever order the rows lie.
  Clinic upside_down({"CREATE TABLE w AS SELECT * FROM visits ORDER BY id DESC",
                      "DROP TABLE visits", "ALTER TABLE w RENAME TO visits"});
  const auto sheet = upside_down.answer("SELECT clinic, COUNT(*) FROM visits GROUP BY clinic");
  ASSERT_EQ(sheet.rows.size(), 3U);
  EXPECT_EQ(sheet.rows[0][0].value, "north");
}

TEST(Safety, S6AKeyOfOneUnitIsNotShown) {
  const std::string rare[] = {"'Rare'", "''", "NULL", "chr(0) || 'x'", "repeat('y', 1048576)"};
  std::vector<std::string> bob;
  for (const std::string& city : rare) bob.push_back(bobs_visit(city + " AS city"));
  TwoClinics two(bob);
  const std::string sql = "SELECT city, COUNT(*) AS n FROM visits GROUP BY city";
  two.answered(sql, "5");
  // A key of one unit is shown with a chance of at most delta, 1e-9.
  EXPECT_EQ(two.with.answer(sql, "5").rows.size(), 2U);
  two.answered("SELECT substring(city, 1, 3), COUNT(*) FROM visits GROUP BY 1");
  two.answered("SELECT TOP_K(city, 3) FROM visits");
  two.answered("SELECT MODE(code) FROM visits");
  two.answered("SELECT HISTOGRAM(cost, bins => 5) FROM visits");
  two.answered("SELECT day, COUNT(*) FROM visits GROUP BY day");
  Request pure = request(sql);
  pure.options.delta = *Delta::parse("0");
  EXPECT_FALSE(two.with.ask(pure).has_value());
  two.refused("SELECT patient_id, COUNT(*) FROM visits GROUP BY patient_id");
  two.refused("SELECT name, COUNT(*) FROM visits GROUP BY name");
}

TEST(Safety, S6AKeyThatManyShareIsShownWholeAndOnce) {
  // NULL, '', a zero byte and a megabyte are keys like any other; texts count up to 256 characters.
  const auto many = [](const std::string& city, int from) {
    return "UPDATE visits SET city = " + city + " WHERE patient_id BETWEEN " +
           std::to_string(from) + " AND " + std::to_string(from + 59);
  };
  Clinic clinic({many("NULL", 1), many("''", 61), many("'a' || chr(0) || 'b'", 121),
                 many("repeat('y', 1048576 + CAST(patient_id AS INTEGER))", 181)});
  const AnswerSheet sheet = clinic.answer("SELECT city, COUNT(*) FROM visits GROUP BY city", kLoud);
  std::set<std::string> keys;
  for (const auto& row : sheet.rows) keys.insert(row[0].value.value_or("none"));
  EXPECT_EQ(keys, (std::set<std::string>{"Ulm", "Bonn", "none", "", std::string("a\0b", 3),
                                         std::string(256, 'y')}));
}

TEST(Safety, S7NamesComeFromThePolicyAlone) {
  TwoClinics two;
  for (const char* table :
       {"pg_stats", "pg_catalog.pg_class", "information_schema.tables",
        "information_schema.columns", "sqlite_master", "duckdb_tables", "main.visits",
        "memory.main.visits", "temp.visits", "\"visits.parquet\"", "'visits.parquet'",
        "duckdb_tables()", "duckdb_columns()", "pragma_table_info('visits')",
        "parquet_metadata('visits.parquet')", "parquet_schema('visits.parquet')"}) {
    two.refused(std::string("SELECT COUNT(*) FROM ") + table);
  }
  for (const char* column : {"undeclared", "rowid", "ctid", "filename", "file_row_number", "xmin",
                             "tableoid", "visits", "visits.undeclared"}) {
    two.refused(std::string("SELECT COUNT(DISTINCT ") + column + ") FROM visits");
    two.refused(std::string("SELECT COUNT(*) FROM visits WHERE ") + column + " IS NULL");
  }
  two.answered("SELECT COUNT(*) AS \"Bob's; -- /* \" FROM visits /* a comment */ -- and one more");
}

TEST(Safety, S8PlansAndEstimatesAreThoseOfThePolicy) {
  // TwoClinics::ask compares the two explanations: plan, error, price, what is sent to the engine.
  TwoClinics two({bobs_visit(""), bobs_visit(""), bobs_visit("")});
  two.answered(
      "SELECT clinic, AVG(cost) FROM visits JOIN zips ON visits.zip = zips.zip "
      "WHERE county = 'lake' GROUP BY clinic");
  two.answered("SELECT COUNT(*) FROM labs JOIN visits ON labs.visit_id = visits.id");
  two.refused("EXPLAIN SELECT COUNT(*) FROM visits");
  two.refused("EXPLAIN ANALYZE SELECT COUNT(*) FROM visits");
  two.refused("PRAGMA database_size");
  two.refused("DESCRIBE visits");
  two.refused("SHOW TABLES");
  two.refused("SELECT pg_relation_size('visits'), COUNT(*) FROM visits");
  // A budget that is nearly gone refuses both alike.
  two.ask("SELECT COUNT(*) FROM visits", "9.99e11");
  EXPECT_EQ(two.ask("SELECT SUM(age) FROM visits", "9e11"), Code::kBudget);
}

TEST(Safety, S9NothingCanBeMadeSlowByARow) {
  TwoClinics two;
  for (const char* call :
       {"pg_sleep(CASE WHEN name = 'Bob' THEN 9 ELSE 0 END)", "repeat(name, 1000000000)",
        "regexp_matches(name, '(a+)+$')", "regexp_replace(name, '(a*)*b', '')", "random()",
        "nextval('s')", "clock_timestamp()", "now()", "current_timestamp", "lpad(name, 1000000000)",
        "generate_series(1, big)", "list_sum(range(big))", "md5(name)", "hash(name)"}) {
    two.refused(std::string("SELECT COUNT(*) FROM visits WHERE ") + call + " IS NOT NULL");
    two.refused(std::string("SELECT COUNT(") + call + ") FROM visits");
  }
  two.refused("SELECT COUNT(*) FROM visits WHERE name ~ '(a+)+$'");
  two.refused("SELECT COUNT(*) FROM visits WHERE name SIMILAR TO '(a+)+'");
  two.refused("WITH RECURSIVE r AS (SELECT 1 UNION ALL SELECT 1 FROM r) SELECT COUNT(*) FROM r");
  two.refused("SELECT COUNT(*) FROM visits, generate_series(1, 1000000000)");
  two.refused("SELECT COUNT(*) FROM visits v, visits w");
  two.answered("SELECT COUNT(*) FROM visits WHERE name LIKE '%a%a%a%a%a%a%a%a%b'");
}

TEST(Safety, S10NothingElseCanBeReachedOrWritten) {
  TwoClinics two;
  const auto files = [&] {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(two.with.folder())) {
      names.insert(entry.path().string());
    }
    return names;
  };
  const std::set<std::string> before = files();
  const std::string out = "'" + two.without.folder() + "/stolen.csv'";
  for (const std::string& sql :
       {"COPY visits TO " + out, "COPY (SELECT * FROM visits) TO " + out, "EXPORT DATABASE " + out,
        std::string("ATTACH 'other.duckdb' AS other"), std::string("INSTALL httpfs"),
        std::string("LOAD httpfs"), std::string("CREATE FUNCTION f(x) AS x"),
        std::string("CREATE MACRO f(x) AS x"), std::string("CALL pragma_version()"),
        std::string("IMPORT DATABASE 'x'"),
        std::string("SELECT COUNT(*) FROM read_csv('http://example.org/x.csv')"),
        std::string("SELECT COUNT(*) FROM read_text('/etc/hostname')"),
        std::string("SELECT COUNT(*) FROM glob('*')"),
        std::string("SELECT COUNT(*) FROM dblink('host=x', 'SELECT 1') AS t(a int)"),
        std::string("SELECT COUNT(getenv('HOME')) FROM visits"),
        std::string("SELECT COUNT(*) INTO stolen FROM visits"),
        std::string("CREATE TABLE stolen AS SELECT COUNT(*) FROM visits")}) {
    two.refused(sql);
  }
  EXPECT_EQ(files(), before);
}

TEST(Safety, S11NothingCanBeSet) {
  TwoClinics two;
  for (const char* sql :
       {"SET seed = 0.5", "SELECT setseed(0.5)", "SELECT COUNT(*) FROM visits WHERE setseed(0.5)",
        "SET privacy_noise = false", "SET threads = 1", "RESET ALL", "PRAGMA threads = 1",
        "SET LOCAL statement_timeout = 1", "SELECT set_config('a', 'b', false) FROM visits",
        "BEGIN", "ROLLBACK", "SELECT COUNT(*) FROM visits WHERE current_setting('seed') = ''"}) {
    two.refused(sql);
  }
  // Two sessions ask the same: the noise is fresh in each. By chance all ten are equal with a
  // probability below 1e-12 (scale 30 each).
  bool differs = false;
  for (int i = 0; i < 10; ++i) {
    const std::string sql = "SELECT COUNT(*) FROM visits WHERE age <> " + std::to_string(90 + i);
    const auto noisy = [&](Clinic& clinic) {
      return clinic.answer(sql, "0.1").rows.at(0).at(0).value;
    };
    differs = differs || noisy(two.with) != noisy(two.without);
  }
  EXPECT_TRUE(differs);
}

TEST(Safety, S13AskingForOnePersonMovesByThatPersonsBoundAndPaysEpsilon) {
  // A thousand visits, of which three count.
  TwoClinics two(
      {"INSERT INTO visits SELECT visits.* REPLACE (10000 + r.i AS id, 1000 AS patient_id, "
       "'Bob' AS name, 5000 AS cost) FROM visits, range(1000) AS r(i) WHERE id = 0"});
  two.moved_by("SELECT COUNT(*) FROM visits WHERE name = 'Bob'", 3);
  EXPECT_EQ(two.with.measured("SELECT COUNT(*) FROM visits WHERE name = 'Bob'"), 3);
  EXPECT_EQ(two.without.measured("SELECT COUNT(*) FROM visits WHERE name = 'Bob'"), 0);
  two.moved_by("SELECT SUM(cost) FROM visits WHERE name = 'Bob'", 15'000);
  two.moved_by("SELECT COUNT(DISTINCT patient_id) FROM visits WHERE name = 'Bob'", 1);
  two.answered("SELECT COUNT(*) FROM visits WHERE name IN ('Bob', 'Eve')", "0.25");
  EXPECT_EQ(two.with.history().end()[-2].price.amount.to_string(), "0.25");
  const std::string bobs_age = "SELECT SUM(age) FROM visits WHERE name = 'Bob'";
  two.answered(bobs_age, "0.5");
  const auto noise = two.with.answer(bobs_age, "0.5").noise;
  ASSERT_EQ(noise.size(), 1U);
  EXPECT_NE(noise[0].find("sensitivity=360"), std::string::npos) << noise[0];  // 3 rows of 120
  two.refused("SELECT COUNT(*) FROM visits WHERE patient_id = 1000");
}

TEST(Safety, S16TheArgumentOfTheAggregateIsClamped) {
  TwoClinics two({bobs_visit("2000000000 AS age, 99999999.99 AS cost")});
  two.moved_by("SELECT SUM(age) FROM visits", 3 * 120.0);
  two.moved_by("SELECT SUM(age * age) FROM visits", 3 * 14'400.0);
  two.moved_by("SELECT SUM(cost * 2 + age) FROM visits", 3 * 10'120.0);
  two.moved_by("SELECT SUM(cost, contribution_bounds_per_group => (0, 100)) FROM visits", 300);
  two.moved_by("SELECT SUM(cost * 1000, contribution_bounds_per_group => (0, 7)) FROM visits", 21);
  two.moved_by("SELECT SUM(CASE WHEN age > 100 THEN cost ELSE 0 END) FROM visits", 15'000);
}

TEST(Safety, S17ASampleGivesNothingForFree) {
  TwoClinics two;
  two.refused("SELECT COUNT(*) FROM visits TABLESAMPLE SYSTEM (1)");
  two.refused("SELECT COUNT(*) FROM visits TABLESAMPLE RESERVOIR (10) REPEATABLE (1)");
  two.refused("SELECT COUNT(*) FROM visits USING SAMPLE 10");
  two.refused("SELECT COUNT(*) FROM visits WHERE random() < 0.01");
}

TEST(Safety, S18ThreadsAndTheOrderOfRowsChangeNoBit) {
  const std::vector<std::string> values = {
      "UPDATE visits SET score = CASE WHEN id % 3 = 0 THEN 9007199254740992 WHEN id % 3 = 1 THEN "
      "1e-3 ELSE -0.0 END",
      "INSERT INTO visits SELECT * REPLACE ('NaN'::DOUBLE AS score) FROM visits WHERE id < 20",
      "INSERT INTO visits SELECT * REPLACE ('inf'::DOUBLE AS score) FROM visits WHERE id < 10"};
  std::vector<std::string> shuffled = values;
  shuffled.insert(shuffled.end(),
                  {"CREATE TABLE w AS SELECT * FROM visits ORDER BY hash(id, score)",
                   "DROP TABLE visits", "ALTER TABLE w RENAME TO visits"});
  Clinic one(values, {}, 1);
  Clinic four(shuffled, {}, 4);
  // Bounds that keep every row, so that what is kept does not depend on the draw; and so much
  // epsilon that the noise is 0 but with a chance below 1e-15.
  for (const auto& [sql, epsilon] : {std::pair{"SELECT SUM(score) FROM visits", kLoud},
                                     std::pair{"SELECT AVG(score) FROM visits", kLoud},
                                     std::pair{"SELECT VAR_POP(score) FROM visits", "4e11"},
                                     std::pair{"SELECT SUM(score * age) FROM visits", kLoud},
                                     std::pair{"SELECT COUNT(score) FROM visits", kLoud}}) {
    Request question = request(sql, epsilon);
    question.options.rows_per_unit_and_group = 20;
    const auto a = one.ask(question);
    const auto b = four.ask(question);
    ASSERT_TRUE(a.has_value() && b.has_value()) << sql;
    EXPECT_EQ(a->sheet.rows.at(0).at(0).value, b->sheet.rows.at(0).at(0).value) << sql;
  }
}

TEST(Safety, S19RepeatingAQuestionGivesTheSameBytesForOnePrice) {
  TwoClinics two;
  const auto first = two.with.ask("SELECT COUNT(*) FROM visits WHERE age > 30 AND cost < 50");
  ASSERT_TRUE(first.has_value());
  const std::size_t records = two.with.history().size();
  const char* spellings[] = {"SELECT COUNT(*) FROM visits WHERE age > 30 AND cost < 50",
                             "select count(*) from visits as v where v.cost < 50 and 30 < v.age",
                             "SELECT COUNT(1) FROM visits WHERE ((cost < 50.00)) AND age > 30;"};
  for (int i = 0; i < 300; ++i) {
    const auto again = two.with.ask(spellings[i % 3]);
    ASSERT_TRUE(again.has_value()) << again.error().message;
    ASSERT_EQ(again->bytes, first->bytes) << spellings[i % 3];
  }
  EXPECT_EQ(two.with.history().size(), records);
  EXPECT_EQ(two.with.spent(), "1 1");
}

TEST(Safety, S21NoErrorHoldsAValueOfTheData) {
  TwoClinics two({bobs_visit("'Bob' AS code, 'Bobtown' AS city")}, "1000,Bob,Bob\n");
  for (const char* sql :
       {"SELECT SUM(CAST(code AS integer)) FROM visits WHERE CAST(city AS integer) > 0",
        "SELECT CAST(code AS numeric(5, 2)), COUNT(*) FROM visits GROUP BY 1",
        "SELECT SUM(income) FROM survey"}) {
    two.answered(sql);
  }
  for (const char* sql : {"SELECT AVG(code) FROM visits", "SELECT SUM(bob) FROM visits",
                          "SELECT COUNT(*) FROM visits WHERE code", "SELECT COUNT(*) FROM bob",
                          "SELECT COUNT(*) FROM visits WHERE day = 'tomorrow'"}) {
    two.refused(sql);
    const auto refused = two.with.ask(sql);
    EXPECT_EQ(refused.error().message.find("Bob"), std::string::npos) << refused.error().message;
  }
}

TEST(Safety, S22AnEngineThatFailsSaysOneThingAndChargesNothing) {
  TwoClinics two({bobs_visit("'Bobtown' AS city")});
  const auto broken = [](Clinic& clinic) {
    std::filesystem::resize_file(clinic.file("visits"), 100);
    return clinic.ask(request("SELECT COUNT(*) FROM visits", "0.5", "the request"));
  };
  const auto a = broken(two.without);
  const auto b = broken(two.with);
  ASSERT_FALSE(a.has_value() || b.has_value());
  EXPECT_EQ(a.error().code, Code::kEngine);
  EXPECT_EQ(b.error().code, Code::kEngine);
  EXPECT_EQ(a.error().message, b.error().message);
  EXPECT_EQ(a.error().message.find("parquet"), std::string::npos);  // the owner's log has the words
  EXPECT_FALSE(two.with.said().empty());
  EXPECT_EQ(two.without.spent(), "0 0");  // noticed before the charge
  EXPECT_EQ(two.with.spent(), "0 0");
  two.expect_same_history("SELECT COUNT(*)");
  two.without.write({});
  two.without.reopen("2026-11");
  EXPECT_TRUE(
      two.without.ask(request("SELECT COUNT(*) FROM visits", "0.5", "another")).has_value());
  EXPECT_EQ(two.without.spent(), "0.5 0.5");
}

TEST(Safety, S23WordsOfTheQuestionReachTheEngineAsValues) {
  TwoClinics two({bobs_visit("'O''Brien\"; DROP TABLE visits; --' AS code")});
  const std::string obrien =
      "SELECT COUNT(*) FROM visits WHERE code = 'O''Brien\"; DROP TABLE visits; --'";
  two.moved_by(obrien, 1);
  EXPECT_EQ(two.with.measured(obrien), 1);
  for (const char* literal : {"'''; DROP TABLE visits; --'", "E'\\''", "$$a'b$$", "$x$ '; -- $x$",
                              "U&'\\0027 OR 1=1'", "'\xe2\x80\x98 OR 1=1 --'", "'\xef\xbc\x87'",
                              "'%s%n'", "'{}'", "'/*'", "'?'", "'$1'", "'\xf0\x9f\x92\x89'"}) {
    two.moved_by(std::string("SELECT COUNT(*) FROM visits WHERE code = ") + literal, 0);
    two.answered(std::string("SELECT COUNT(*) FROM visits WHERE code LIKE ") + literal);
  }
  two.moved_by("SELECT COUNT(*) FROM visits WHERE code = '\\'", 0);
  two.refused("SELECT COUNT(*) FROM visits WHERE code LIKE '\\'");  // escapes nothing
  two.answered("SELECT COUNT(*) AS \"x\"\"; DROP TABLE visits; --\" FROM visits AS \"a\"\"b\"");
  two.refused("SELECT COUNT(*) FROM \"visits\"\"; DROP TABLE visits; --\"");
  two.refused("SELECT COUNT(*) FROM visits; DROP TABLE visits");
  two.refused(std::string("SELECT COUNT(*) FROM visits WHERE code = 'a\0b'", 45));
  two.refused("SELECT COUNT(*) FROM visits WHERE code = '\xff\xfe'");
  two.refused("SELECT COUNT(*) FROM visits WHERE code = 'open");
  two.refused("SELECT COUNT(*) FROM visits WHERE age = " + std::string(5000, '(') + "1" +
              std::string(5000, ')'));
  two.refused("SELECT COUNT(*) FROM visits WHERE code = '" + std::string(1 << 20, 'x') + "'");
  EXPECT_EQ(two.with.measured("SELECT COUNT(*) FROM visits"), 901);
}

// DuckDB reads "t0"."patient_id" as the first column of that name in any case: where names of the
// question reached it, everybody's row met Bob's visit.
TEST(Safety, S23NamesOfTheQuestionMeanWhatTheCheckedPlanMeans) {
  TwoClinics two;
  const std::string everybody =
      "(SELECT CASE WHEN sex <> 'y' THEN 1000 ELSE 1001 END AS \"PATIENT_ID\", id AS patient_id "
      "FROM patients) a";
  two.moved_by("SELECT COUNT(*) FROM " + everybody +
                   " JOIN visits v ON a.patient_id = v.patient_id WHERE a.\"PATIENT_ID\" >= 0",
               1);
  two.moved_by("SELECT COUNT(*) FROM " + everybody +
                   " WHERE a.\"PATIENT_ID\" >= 0 AND EXISTS (SELECT 1 FROM visits v WHERE "
                   "v.patient_id = a.patient_id)",
               1);
  two.moved_by("WITH a AS " + everybody.substr(0, everybody.size() - 2) +
                   " SELECT COUNT(*) FROM visits v JOIN a ON v.patient_id = a.patient_id WHERE "
                   "a.\"PATIENT_ID\" >= 0",
               1);
  // Nor do they give a right that a column does not have.
  two.refused("SELECT x, COUNT(*) FROM (SELECT name AS x, city AS \"X\" FROM visits) t GROUP BY x");
  const std::string city =
      "SELECT \"X\", COUNT(*) FROM (SELECT name AS x, city AS \"X\" FROM visits) t WHERE x <> '' "
      "GROUP BY \"X\"";
  two.answered(city, kLoud);
  const auto answer = two.with.ask(request(city, kLoud));
  ASSERT_TRUE(answer.has_value());
  for (const auto& row : answer->sheet.rows) {
    EXPECT_TRUE(row[0].value == "Ulm" || row[0].value == "Bonn") << *row[0].value;
  }
}

TEST(Safety, S24ALabelHasOneAnswerWhateverTheOwnerDoesToTheFiles) {
  Clinic clinic;
  const std::string sql = "SELECT COUNT(*) FROM visits";
  const auto first = clinic.ask(sql, kLoud);
  ASSERT_TRUE(first.has_value());
  clinic.write({"DELETE FROM visits WHERE id >= 450"});
  EXPECT_EQ(clinic.ask(sql, kLoud)->bytes, first->bytes);
  clinic.reopen("2026-11");
  EXPECT_EQ(clinic.ask(sql, kLoud)->bytes, first->bytes);
  clinic.reopen("2026-12");
  const auto later = clinic.ask(sql, kLoud);
  ASSERT_TRUE(later.has_value()) << later.error().message;
  EXPECT_FALSE(later->repeated);
  EXPECT_EQ(later->sheet.snapshot, "2026-12");
  EXPECT_EQ(later->sheet.rows[0][0].value, "450");
  EXPECT_EQ(clinic.history().end()[-2].snapshot, "2026-12");
}

TEST(Safety, S25AnalystsBringNoTablesAndPrivateOnesAreNeverPublic) {
  TwoClinics two;
  two.refused(
      "SELECT COUNT(*) FROM visits JOIN (VALUES ('Bob')) AS t(name) ON t.name = visits.name");
  two.refused("CREATE TEMP TABLE mine AS SELECT * FROM visits");
  two.answered("SELECT COUNT(*) FROM visits JOIN visits w ON visits.city = w.city");
  two.refused("SELECT COUNT(*) FROM visits JOIN patients ON visits.age = patients.id");
  two.refused("SELECT COUNT(*) FROM visits JOIN survey ON visits.patient_id = survey.person");
  two.refused("SELECT COUNT(*) FROM visits JOIN labs ON visits.age = labs.result");
  two.refused("SELECT COUNT(*) FROM visits JOIN zips ON visits.patient_id = zips.zip");
  two.answered("SELECT COUNT(*) FROM visits WHERE zip IN (SELECT zip FROM zips)");
  two.answered(
      "SELECT county, COUNT(*) FROM visits JOIN zips ON visits.zip = zips.zip "
      "GROUP BY county");
}

TEST(Safety, ARowWithoutAUnitCountsForNobody) {
  TwoClinics two(
      {"INSERT INTO visits SELECT * REPLACE (20000 + id AS id, NULL AS patient_id) "
       "FROM visits WHERE id < 100",
       "INSERT INTO labs SELECT -1, 5 FROM range(50)"});
  two.moved_by("SELECT COUNT(*) FROM visits", 0);
  two.moved_by("SELECT SUM(cost) FROM visits", 0);
  two.moved_by("SELECT COUNT(*) FROM labs", 0);
  two.moved_by("SELECT COUNT(DISTINCT patient_id) FROM visits", 0);
}

TEST(Safety, EmptyTablesAreAnsweredLikeFullOnes) {
  Clinic full;
  Clinic empty({"DELETE FROM visits", "DELETE FROM labs", "DELETE FROM patients"});
  for (const char* sql :
       {"SELECT COUNT(*) FROM visits", "SELECT AVG(age) FROM visits",
        "SELECT MEDIAN(cost) FROM visits",
        "SELECT clinic, SUM(cost), COUNT(DISTINCT code) FROM visits GROUP BY clinic",
        "SELECT HISTOGRAM(age, bins => 4) FROM visits",
        "SELECT clinic, BOXPLOT(cost) FROM visits GROUP BY clinic",
        "SELECT COUNT(*) FROM labs JOIN visits ON labs.visit_id = visits.id"}) {
    const auto a = full.ask(sql);
    const auto b = empty.ask(sql);
    ASSERT_TRUE(a.has_value() && b.has_value()) << sql;
    EXPECT_EQ(seen_of(*a, false), seen_of(*b, false)) << sql;
  }
  // The worst neighbour of found keys: none are found.
  EXPECT_TRUE(empty.answer("SELECT city, COUNT(*) FROM visits GROUP BY city").rows.empty());
}

// --- the same table beside a naive proxy --------------------------------------------------------

/// A *naive proxy*: it sends the analyst's SQL to DuckDB as it is and would add noise to the
/// numbers that come back. What it shows besides: rows, truth values, the database's own words, its
/// time.
class NaiveProxy {
 public:
  explicit NaiveProxy(const std::vector<std::string>& bob) {
    DISCREET_CHECK(duckdb_open(nullptr, database_.out()) == DuckDBSuccess);
    DISCREET_CHECK(duckdb_connect(database_.get(), connection_.out()) == DuckDBSuccess);
    for (const char* sql : kClinicRows) EXPECT_EQ(shown(sql).find("Error"), std::string::npos);
    for (const std::string& sql : bob) EXPECT_EQ(shown(sql).find("Error"), std::string::npos);
  }

  std::string shown(const std::string& sql) {
    const auto start = std::chrono::steady_clock::now();
    engine::duckdb::QueryResult result;
    const bool fine = duckdb_query(connection_.get(), sql.c_str(), result.out()) == DuckDBSuccess;
    const auto took = std::chrono::steady_clock::now() - start;
    std::string out = took > std::chrono::milliseconds(900) ? "slow|" : "";
    if (!fine) return out + duckdb_result_error(result.out());
    for (idx_t row = 0; row < duckdb_row_count(result.out()); ++row) {
      for (idx_t column = 0; column < duckdb_column_count(result.out()); ++column) {
        char* text = duckdb_value_varchar(result.out(), column, row);
        out += std::string(text == nullptr ? "NULL" : text) + "|";
        duckdb_free(text);
      }
    }
    return out;
  }

 private:
  engine::duckdb::OpenDatabase database_;
  engine::duckdb::Session connection_;
};

/// Two visits of Bob with whatever breaks a naive engine.
std::vector<std::string> awkward_bob() {
  const std::string values =
      "'east' AS clinic, 'Bobtown' AS city, 40 AS age, 0 AS cost, 1e308 AS score, "
      "9223372036854775807 AS big, 'infinity'::DATE AS day, 'Bob' AS code, 'z0' AS zip";
  return {bobs_visit(values), bobs_visit(values)};
}

constexpr Attack kAttacks[] = {
    {"S1 divide by zero",
     "SELECT sum(1/(CASE WHEN name='Bob' THEN 0 ELSE 1 END)) > 1e9 FROM visits", "true",
     Here::kAnswered, "SELECT SUM(1/(CASE WHEN name='Bob' THEN 0 ELSE 1 END)) FROM visits"},
    {"S2 cast on one row",
     "SELECT sum(CAST(CASE WHEN name='Bob' THEN 'x' ELSE '1' END AS int)) > 0 FROM visits",
     "Could not convert", Here::kAnswered,
     "SELECT SUM(CAST(CASE WHEN name='Bob' THEN 'x' ELSE '1' END AS integer)) FROM visits"},
    {"S2 cast of a column", "SELECT count(*) > 0 FROM visits WHERE code::int = 3",
     "Could not convert", Here::kAnswered,
     "SELECT COUNT(*) FROM visits WHERE CAST(code AS integer) = 3"},
    {"S3 overflow of a product", "SELECT sum(big * 2) > 0 FROM visits", "Overflow", Here::kAnswered,
     "SELECT SUM(big * 2) FROM visits"},
    {"S3 overflow of a function", "SELECT sum(exp(score)) > 1e300 FROM visits", "true",
     Here::kRefused, "SELECT SUM(exp(score)) FROM visits"},
    {"S5 limit", "SELECT city FROM visits ORDER BY big DESC LIMIT 1", "Bobtown", Here::kRefused,
     "SELECT city FROM visits ORDER BY big DESC LIMIT 1"},
    {"S5 distinct on", "SELECT DISTINCT ON (clinic) name FROM visits ORDER BY clinic, big DESC",
     "Bob", Here::kRefused, "SELECT DISTINCT ON (clinic) name FROM visits ORDER BY clinic, big"},
    {"S6 keys", "SELECT city FROM visits GROUP BY city", "Bobtown", Here::kAnswered,
     "SELECT city, COUNT(*) FROM visits GROUP BY city"},
    {"S7 catalog", "SELECT estimated_size FROM duckdb_tables() WHERE table_name = 'visits'", "902",
     Here::kRefused, "SELECT COUNT(*) FROM duckdb_tables()"},
    {"S7 system columns", "SELECT max(rowid) FROM visits", "901", Here::kRefused,
     "SELECT MAX(rowid) FROM visits"},
    {"S8 explain", "EXPLAIN SELECT * FROM visits", "902 rows", Here::kRefused,
     "EXPLAIN SELECT COUNT(*) FROM visits"},
    {"S9 duration",
     "SELECT sum(i) > 1 FROM visits, range(CASE WHEN name = 'Bob' THEN 100000 ELSE 1 END) r(i)",
     "true", Here::kRefused,
     "SELECT COUNT(*) FROM visits, range(CASE WHEN name = 'Bob' THEN 100000 ELSE 1 END) r(i)"},
    {"S9 repetition",
     "SELECT max(length(repeat(name, CASE WHEN name = 'Bob' THEN 3000000000 ELSE 1 END))) > 9 "
     "FROM visits",
     "Cannot create a string", Here::kRefused,
     "SELECT MAX(length(repeat(name, 3000000000))) FROM visits"},
    {"S10 other ways to a table", "FROM query('SELECT city FROM visits ORDER BY big DESC LIMIT 1')",
     "Bobtown", Here::kRefused, "SELECT COUNT(*) FROM query('SELECT city FROM visits')"},
    {"S12 scalar subquery",
     "SELECT count(*) > 0 FROM visits WHERE age = (SELECT age FROM visits WHERE name = 'Bob')",
     "More than one row", Here::kRefused,
     "SELECT COUNT(*) FROM visits WHERE age = (SELECT age FROM visits WHERE name = 'Bob')"},
    {"S13 existence", "SELECT count(*) > 0 FROM visits WHERE name = 'Bob'", "true", Here::kAnswered,
     "SELECT COUNT(*) FROM visits WHERE name = 'Bob'"},
    {"S15 fan out", "SELECT count(*) > 270700 FROM visits v JOIN visits w ON v.clinic = w.clinic",
     "true", Here::kAnswered, "SELECT COUNT(*) FROM visits v JOIN visits w ON v.clinic = w.clinic"},
    {"S16 clamped too early", "SELECT sum(least(age, 120) * 1000000.0) > 26600000000 FROM visits",
     "true", Here::kAnswered, "SELECT SUM(age * 1000000.0) FROM visits"},
    {"S17 sampling",
     "SELECT name FROM (FROM visits USING SAMPLE 100 PERCENT (system, 1)) ORDER BY big DESC LIMIT "
     "1",
     "Bob", Here::kRefused, "SELECT COUNT(*) FROM visits TABLESAMPLE SYSTEM (100) REPEATABLE (1)"},
    {"S18 floating point", "SELECT sum(score) > 1e300 FROM visits", "true", Here::kAnswered,
     "SELECT SUM(score) FROM visits"},
    {"S21 error text", "SELECT sum(code::int) > 0 FROM visits", "'Bob'", Here::kAnswered,
     "SELECT SUM(CAST(code AS integer)) FROM visits"},
    {"S22 memory limit",
     "SET memory_limit = '100MB'; SET temp_directory = ''; SELECT count(*) > 0 FROM (SELECT "
     "DISTINCT i, name FROM visits, range(CASE WHEN name = 'Bob' THEN 5000000 ELSE 1 END) r(i))",
     "Out of Memory", Here::kRefused, "SET memory_limit = '100MB'"},
    {"S23 injection", "SELECT count(*) FROM visits WHERE code = 'x' OR 'a' = 'a'", "902",
     Here::kAnswered, "SELECT COUNT(*) FROM visits WHERE code = 'x'' OR ''a'' = ''a'"},
    {"S25 derived table",
     "SELECT v.city FROM visits v JOIN (VALUES ('Bob')) AS t(name) USING (name)", "Bobtown",
     Here::kRefused,
     "SELECT COUNT(*) FROM visits JOIN (VALUES ('Bob')) AS t(name) ON t.name = visits.name"},
};

class DuckDbSafety : public testing::TestWithParam<Attack> {};

TEST_P(DuckDbSafety, WorksOnANaiveProxyAndNotHere) {
  const Attack& attack = GetParam();
  static TwoClinics* const two = new TwoClinics(awkward_bob());  // DuckDB's statics go first
  const std::string without = NaiveProxy({}).shown(attack.naive);
  const std::string with = NaiveProxy(awkward_bob()).shown(attack.naive);
  EXPECT_EQ(without.find(attack.by), std::string::npos) << without;
  EXPECT_NE(with.find(attack.by), std::string::npos) << with;
  attack.here == Here::kRefused ? two->refused(attack.ours) : two->answered(attack.ours);
}

INSTANTIATE_TEST_SUITE_P(Table, DuckDbSafety, testing::ValuesIn(kAttacks), attack_name);

// The proxy's noise is the database's: whoever sets its seed takes it off again, and the mean of
// many draws tells the count. Here nothing can be set and a repeat is the same bytes for one price
// (the two tests of S11 and S19 above).
TEST(DuckDbSafetyNoise, S11S19AProxysNoiseComesOff) {
  NaiveProxy without({});
  NaiveProxy with(awkward_bob());
  const auto seeded = [](NaiveProxy& proxy) {
    proxy.shown("SELECT setseed(0.5)");
    return std::stod(proxy.shown("SELECT count(*) + 1000 * (SELECT random()) FROM visits"));
  };
  EXPECT_NEAR(seeded(with) - seeded(without), 2, 1e-6);
  double sum = 0;
  constexpr int kTimes = 400;
  for (int i = 0; i < kTimes; ++i) {
    sum += std::stod(with.shown("SELECT count(*) + 20 * ((SELECT random()) - 0.5) FROM visits"));
  }
  EXPECT_NEAR(sum / kTimes, 902, 2.5);  // 8 standard errors
}

// Two statements of a proxy see what the owner did between them: what came is told. Here one
// question is one snapshot, and a label has one answer (the test of S24 above).
TEST(DuckDbSafetySnapshot, S24AProxyShowsWhatTheOwnerDidBetween) {
  NaiveProxy proxy({});
  const std::string count = "SELECT count(*) FROM visits";
  const std::string before = proxy.shown(count);
  for (const std::string& sql : awkward_bob()) proxy.shown(sql);
  EXPECT_NE(proxy.shown(count), before);
}

}  // namespace
}  // namespace discreet::session::safety_test
