// SPDX-License-Identifier: Apache-2.0
#include "engine/duckdb/duckdb_engine.h"

#include <gtest/gtest.h>

#include <fstream>
#include <thread>

#include "engine/duckdb/files_for_tests.h"
#include "plan/policy_for_tests.h"

namespace discreet::engine::duckdb::duckdb_engine_test {
namespace {

using lowering::Sql;

using namespace plan;

std::unique_ptr<Connection> opened(const policy::Policy& policy, GatheredLog& log) {
  auto connection = std::move(Connection::open(2, log.log()).value());
  auto schemas = open_sources(*connection, policy, log.log());
  EXPECT_TRUE(schemas.has_value()) << log.said;
  return connection;
}

class Locked : public testing::Test {
 protected:
  Locked() {
    write_file(folder_ / "t.csv", "u,x\n1,2\n3,4\n");
    write_file(folder_ / "other.csv", "secret\n42\n");
    connection_ = opened(one_table(folder_, "t.csv"), log_);
  }
  void refused(const std::string& sql) {
    auto done = connection_->query(sql, log_.log());
    ASSERT_FALSE(done.has_value()) << sql;
    EXPECT_EQ(done.error().code, Code::kEngine);
    EXPECT_EQ(done.error().message, engine_failed().message);
  }

  ScratchFolder folder_;
  GatheredLog log_;
  std::unique_ptr<Connection> connection_;
};

TEST_F(Locked, ReadsItsSourcesAndNothingElse) {
  must(*connection_, "SELECT count(*) FROM t");
  refused("SELECT * FROM read_csv(" + quote_text(folder_ / "other.csv") + ")");
  refused("SELECT * FROM read_text(" + quote_text(folder_ / "other.csv") + ")");
  refused("SELECT * FROM read_text('/etc/hostname')");
  refused("SELECT * FROM glob(" + quote_text(folder_ / "*") + ")");
  refused("ATTACH " + quote_text(folder_ / "new.duckdb"));
  refused("COPY t TO " + quote_text(folder_ / "copy.csv"));
  refused("COPY t TO " + quote_text(folder_ / "other.csv"));
  refused("EXPORT DATABASE " + quote_text(folder_ / "export"));
  refused("INSTALL httpfs");
  refused("LOAD httpfs");
  refused("SELECT * FROM read_csv('https://example.org/x.csv')");
  refused("SELECT getenv('HOME')");
}

TEST_F(Locked, KeepsItsSettings) {
  for (const char* sql : {"SET enable_external_access = true", "SET lock_configuration = false",
                          "SET threads = 1", "SET allowed_paths = ['/']",
                          "SET allowed_directories = ['/']", "RESET enable_external_access",
                          "SET temp_directory = '/tmp'", "SET autoload_known_extensions = true"}) {
    refused(sql);
  }
}

TEST_F(Locked, LeavesTheFunctionsOfARunToTheRun) {
  refused("SELECT keep({'unit': 1})");
  refused("SELECT keep(u) FROM t");
  refused("SELECT on_grid(x, u) FROM t");
}

TEST(Sources, AreNamedByTheirEndings) {
  EXPECT_EQ(parse_source("a.parquet", "/d").value().path, "/d/a.parquet");
  EXPECT_EQ(parse_source("/x/a.CSV", "/d").value().path, "/x/a.CSV");
  const auto table = parse_source("clinic.duckdb:main.visits", "/d");
  EXPECT_EQ(table->path, "/d/clinic.duckdb");
  EXPECT_EQ(table->table, "main.visits");
  const auto unknown = parse_source("a.xlsx", "/d");
  EXPECT_EQ(unknown.error().code, Code::kInvalidInput);
  EXPECT_NE(unknown.error().message.find(".parquet"), std::string::npos);
}

TEST(Sources, AreDescribedByNameAndType) {
  ScratchFolder folder;
  GatheredLog log;
  write_table(folder, "parquet", "labs", clinic_columns().at("labs"), {});
  auto columns = describe_source("labs.parquet", folder.path(), log.log());
  ASSERT_TRUE(columns.has_value()) << log.said;
  ASSERT_EQ(columns->size(), 2U);
  EXPECT_EQ((*columns)[0].name, "visit_id");
  EXPECT_EQ((*columns)[0].type, "INTEGER");
  write_table(folder, "duckdb", "labs", clinic_columns().at("labs"), {});
  EXPECT_EQ(describe_source("all.duckdb:labs", folder.path(), log.log()).value()[1].type,
            "HUGEINT");
  EXPECT_EQ(describe_source("none.parquet", folder.path(), log.log()).error().code,
            Code::kNotFound);
}

TEST(Sources, ThatAreMissingOrBrokenGiveTextsWithoutContents) {
  ScratchFolder folder;
  GatheredLog log;
  auto fails = [&](const std::string& source) {
    auto engine = DuckDbEngine::open(one_table(folder, source), log.log());
    EXPECT_FALSE(engine.has_value()) << source;
    return engine ? Error{} : engine.error();
  };
  EXPECT_EQ(fails("none.parquet").code, Code::kNotFound);
  write_file(folder / "bad.parquet", "PAR1 this is Bob's row, not Parquet PAR1");
  const Error corrupt = fails("bad.parquet");
  EXPECT_EQ(corrupt.code, Code::kEngine);
  EXPECT_EQ(corrupt.message,
            "the source of table 't' cannot be read; the owner's log has the database's words");
  EXPECT_NE(log.said, "");
  write_file(folder / "bad.duckdb", "no database");
  EXPECT_EQ(fails("bad.duckdb:t").code, Code::kEngine);
  write_file(folder / "empty.csv", "");
  EXPECT_EQ(fails("empty.csv").code, Code::kInvalidInput);
  write_file(folder / "names.csv", "user,x\n1,2\n");
  const Error names = fails("names.csv");
  EXPECT_EQ(names.code, Code::kInvalidInput);
  EXPECT_NE(names.message.find("has no column 'u'"), std::string::npos) << names.message;
}

TEST(Sources, WithATypeThatCannotBeReadAreNamed) {
  ScratchFolder folder;
  GatheredLog log;
  write_table(folder, "parquet", "t", {{"u", "BIGINT"}, {"x", "DATE"}}, {});
  auto engine = DuckDbEngine::open(one_table(folder, "t.parquet"), log.log());
  ASSERT_FALSE(engine.has_value());
  EXPECT_EQ(engine.error().code, Code::kInvalidInput);
  EXPECT_NE(engine.error().message.find("DATE"), std::string::npos) << engine.error().message;
}

// A file that is cut off in its middle opens, since the schema is at its end, or does not; a file
// whose pages were overwritten opens and fails when it is read. The text is the same constant.
TEST(Sources, ThatBreakWhileReadGiveAConstantError) {
  ScratchFolder folder;
  GatheredLog log;
  std::vector<RawRow> rows;
  for (int i = 0; i < 5'000; ++i) {
    rows.push_back({{"u", integer_value(i)}, {"x", integer_value(i * 7919 % 101)}});
  }
  write_table(folder, "parquet", "t", {{"u", "BIGINT"}, {"x", "BIGINT"}}, rows);
  {
    std::fstream file(folder / "t.parquet", std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(4);
    file << std::string(4'000, '\xff');
  }
  const policy::Policy policy = one_table(folder, "t.parquet");
  auto engine = DuckDbEngine::open(policy, log.log());
  ASSERT_TRUE(engine.has_value()) << log.said;
  Plan plan = count_plan(from("t"));
  plan.measurements.push_back(measurement(MeasureKind::kSum, col("x")));
  auto checked = Checker::check(plan, policy, "q");
  auto answer = (*engine)->run(*checked, log.log());
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().code, Code::kEngine);
  EXPECT_EQ(answer.error().message,
            "the source of table 't' cannot be read; the owner's log has the database's words");
}

// A text that is no UTF-8 fails every question that reads its column, or none: not only those whose
// filter its row passes, which would tell all about that row.
TEST(Parquet, WhetherAColumnCanBeReadDoesNotDependOnTheFilter) {
  ScratchFolder folder;
  GatheredLog log;
  std::vector<RawRow> rows;
  for (int i = 0; i < 5'000; ++i) {
    const std::string name = i == 53 ? "Zq1xWv8k" : "n" + std::to_string(i);
    rows.push_back(
        {{"u", integer_value(i)}, {"x", integer_value(i % 100)}, {"name", text_value(name)}});
  }
  write_table(folder, "parquet", "t", {{"u", "BIGINT"}, {"x", "BIGINT"}, {"name", "VARCHAR"}},
              rows);
  policy::Policy policy = one_table(folder, "t.parquet");
  policy.tables["t"].columns.push_back(column_of("name", Type::kText));
  const auto fails = [&](const Measurement& what, std::int64_t x) {
    auto engine = DuckDbEngine::open(policy, log.log());
    EXPECT_TRUE(engine.has_value()) << log.said;
    Plan plan = count_plan(from("t"));
    plan.filter = Expr::of(Op::kEqual, {col("x"), num(x)});
    plan.measurements = {what};
    auto checked = Checker::check(plan, policy, "q");
    EXPECT_TRUE(checked.has_value());
    return !(*engine)->run(*checked, log.log()).has_value();
  };
  const Measurement names = measurement(MeasureKind::kDistinct, col("name"));
  EXPECT_FALSE(fails(names, 53));
  EXPECT_FALSE(fails(names, 7));
  std::ifstream in(folder / "t.parquet", std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(in)), {});
  for (std::size_t at; (at = bytes.find("Zq1xWv8k")) != bytes.npos;) bytes[at] = '\xff';
  write_file(folder / "t.parquet", bytes);
  EXPECT_TRUE(fails(names, 53)) << "the text is not in the file as it is";
  EXPECT_TRUE(fails(names, 7));
  EXPECT_FALSE(fails(measurement(MeasureKind::kRows), 53));
}

/// Sum and number of x, and number of rows, of a table that is read from `source`.
std::vector<std::int64_t> read_back(const ScratchFolder& folder, const std::string& source) {
  GatheredLog log;
  auto connection = opened(one_table(folder, source), log);
  std::vector<std::int64_t> out;
  auto done = connection->query(
      "SELECT coalesce(sum(on_grid(x, '0..100 by 1')), 0)::BIGINT, count(on_grid(x, '0..100 by "
      "1')), "
      "count(u) FROM t",
      log.log(), [&](const Chunk& chunk) {
        for (idx_t i = 0; i < 3; ++i) out.push_back(column(chunk, i).values<std::int64_t>()[0]);
      });
  EXPECT_TRUE(done.has_value()) << log.said;
  return out;
}

using Answer = std::vector<std::int64_t>;

TEST(Csv, CellsThatAreNoNumbersAreNull) {
  ScratchFolder folder;
  write_file(folder / "t.csv",
             "u,x\n1,5\n2,abc\n3,\n4,\"7\"\n5,1e400\n6,6,6\n7\n8,NaN\n\"9\",\"1\"\"2\"\n");
  EXPECT_EQ(read_back(folder, "t.csv"), (Answer{5 + 7 + 100 + 6, 4, 9}));
  write_file(folder / "semi.csv", "u;x;z\n1;5;a,b,c,d\n2;6;\n");
  EXPECT_EQ(read_back(folder, "semi.csv"), (Answer{11, 2, 2}));
  write_file(folder / "tab.tsv", "u\tx\n1\t5\n");
  EXPECT_EQ(read_back(folder, "tab.tsv"), (Answer{5, 1, 1}));
}

// A quote that is not closed ends with its line: it hides nobody else's row (E2).
TEST(Csv, AnOddQuoteChangesNothingElse) {
  ScratchFolder folder;
  write_file(folder / "t.csv", "u,x\n1,5\n2,\"6\n3,7\n4,\"8\n5,9\n");
  EXPECT_EQ(read_back(folder, "t.csv"), (Answer{5 + 7 + 9, 3, 5}));
}

// The reader's types are not guessed: a number far down that is none changes nothing but itself.
TEST(Csv, ALateOddCellChangesNothingElse) {
  ScratchFolder folder;
  std::string lines = "u,x\n";
  for (int i = 0; i < 200'000; ++i) lines += std::to_string(i) + ",1\n";
  write_file(folder / "a.csv", lines + "7,1\n");
  write_file(folder / "b.csv", lines + "7,Bob\n");
  EXPECT_EQ(read_back(folder, "a.csv"), (Answer{200'001, 200'001, 200'001}));
  EXPECT_EQ(read_back(folder, "b.csv"), (Answer{200'000, 200'000, 200'001}));
}

TEST(Csv, BytesThatAreNoUtf8LoseTheirLineOnly) {
  ScratchFolder folder;
  write_file(folder / "t.csv", "u,x\n1,5\n2,\xff\xfe\n3,7\n");
  EXPECT_EQ(read_back(folder, "t.csv"), (Answer{12, 2, 2}));
}

// Lines end at LF, CR or both. One CR among others' LFs fails no question.
TEST(Csv, LinesEndInAnyOfTheUsualWays) {
  ScratchFolder folder;
  for (const std::string end : {"\n", "\r\n", "\r"}) {
    write_file(folder / "t.csv", "u,x" + end + "1,5" + end + "2,6" + end + "3,7" + end);
    EXPECT_EQ(read_back(folder, "t.csv"), (Answer{18, 3, 3}));
  }
  for (const std::string odd : {"8,\"a\rb\"\n", "8,9\r\n", "8\r\r\r,9\n", "\r\n"}) {
    write_file(folder / "t.csv", "u,x\n1,5\n2,6\n" + odd + "3,7\n");
    const Answer answer = read_back(folder, "t.csv");
    ASSERT_EQ(answer.size(), 3U) << odd;
    EXPECT_GE(answer[0], 18) << odd;
  }
  // The names are those of the first line: no cell is taken for one.
  write_file(folder / "t.csv", "u,y\r1,x1\r");
  GatheredLog log;
  const auto engine = DuckDbEngine::open(one_table(folder, "t.csv"), log.log());
  ASSERT_FALSE(engine.has_value());
  EXPECT_EQ(engine.error().message.find("x1"), std::string::npos) << engine.error().message;
}

// A record that is none loses its own line, also where it is the first of the file.
TEST(Json, AnOddRecordChangesNothingElse) {
  ScratchFolder folder;
  const std::string rows = "{\"u\": 1, \"x\": 5}\n{\"u\": 2, \"x\": 6}\n";
  for (const std::string odd :
       {"}", "{\"u\": 3, \"x\": \"\\ud800\"}", "{\"u\": 3, \"x\": \"\xff\"}",
        "{\"u\": 3, \"x\": \"7", "{\"u\": 3},", "[1]", "5", "[", "{\"u\": 999, \"tags\": [",
        "{\"u\": 3,"}) {
    for (const std::string file : {"t.ndjson", "t.jsonl", "t.json"}) {
      for (const std::string& text : {odd + "\n" + rows, rows + odd + "\n"}) {
        write_file(folder / file, text);
        const Answer answer = read_back(folder, file);
        ASSERT_EQ(answer.size(), 3U) << file << "\n" << text;
        EXPECT_EQ(answer[0], 11) << file << "\n" << text;
      }
    }
  }
}

// Where a collation makes texts equal that differ, a group would show one row's spelling, and two
// people's rows would be joined as one's.
TEST(Database, TextsAreComparedByTheirBytes) {
  ScratchFolder folder;
  const std::string source =
      write_table(folder, "duckdb", "t", {{"u", "VARCHAR COLLATE NOCASE"}, {"x", "INTEGER"}},
                  {{{"u", text_value("bob")}, {"x", integer_value(1)}},
                   {{"u", text_value("BOB")}, {"x", integer_value(2)}}});
  GatheredLog log;
  auto connection = opened(one_table(folder, source), log);
  for (const std::string sql :
       {"SELECT count(*) FROM (SELECT u FROM t GROUP BY u)", "SELECT count(DISTINCT u) FROM t",
        "SELECT count(*) FROM t AS a JOIN t AS b ON a.u = b.u"}) {
    auto done = connection->query(sql, log.log(), [&](const Chunk& chunk) {
      EXPECT_EQ(column(chunk, 0).values<std::int64_t>()[0], 2) << sql;
    });
    EXPECT_TRUE(done.has_value()) << log.said;
  }
}

TEST(Database, AUnitWhoseEqualValuesLookDifferentIsRefused) {
  ScratchFolder folder;
  GatheredLog log;
  const std::string source =
      write_table(folder, "duckdb", "t", {{"u", "INTERVAL"}, {"x", "INTEGER"}}, {});
  const auto engine = DuckDbEngine::open(one_table(folder, source), log.log());
  ASSERT_FALSE(engine.has_value());
  EXPECT_NE(engine.error().message.find("INTERVAL"), std::string::npos) << engine.error().message;
}

// A value that is read for a draft would tell by a type what somebody's record holds.
TEST(Json, ADraftSeesTheNamesOfTheFirstRecordAndNoTypes) {
  const ScratchFolder folder;
  GatheredLog log;
  const std::string first = "{\"u\": 1, \"x\": 5, \"day\": \"2024-01-01\", \"more\": {\"a\": 1}}";
  const std::string odd = "{\"u\": 77, \"x\": \"unknown\", \"day\": \"n/a\", \"hiv\": true}";
  const auto drafted = [&](const char* name) {
    std::string text;
    const auto columns = describe_source(name, folder.path(), log.log());
    EXPECT_TRUE(columns.has_value());
    for (const auto& column : *columns) text += column.name + " " + column.type + ";";
    return text;
  };
  for (const std::string& more : {std::string(), "\n" + odd}) {
    write_file(folder / "t.ndjson", first + more + "\n");
    EXPECT_EQ(drafted("t.ndjson"), "u VARCHAR;x VARCHAR;day VARCHAR;more VARCHAR;");
  }
  write_file(folder / "t.json", "[" + first + ", " + odd + "]");
  const auto array = describe_source("t.json", folder.path(), log.log());
  ASSERT_FALSE(array.has_value());
  EXPECT_NE(array.error().message.find("jq"), std::string::npos) << array.error().message;
}

TEST(Sources, CompressedFilesAreRefusedByName) {
  for (const char* name : {"t.json.gz", "t.CSV.GZ", "t.ndjson.zst"}) {
    const auto source = parse_source(name, "");
    ASSERT_FALSE(source.has_value()) << name;
    EXPECT_NE(source.error().message.find("is compressed"), std::string::npos) << name;
  }
}

TEST(Csv, ALineBeyond64KibibytesIsLeftOut) {
  const ScratchFolder folder;
  const std::string rows = "u,x\n1,5\n";
  write_file(folder / "t.csv", rows);
  const Answer without = read_back(folder, "t.csv");
  for (const std::size_t size : {std::size_t{65'537}, std::size_t{1} << 20, std::size_t{3} << 20}) {
    write_file(folder / "t.csv", rows + "2,7" + std::string(size - 3, ',') + "\n");
    EXPECT_EQ(read_back(folder, "t.csv"), without) << size;
  }
  write_file(folder / "t.csv", rows + "2,7" + std::string(65'533, ',') + "\n");
  EXPECT_EQ(read_back(folder, "t.csv"), (Answer{12, 2, 2}));
}

TEST(Json, ValuesThatAreNoNumbersAreNull) {
  ScratchFolder folder;
  write_file(
      folder / "t.ndjson",
      "{\"u\": 1, \"x\": 5}\n{\"u\": 2, \"x\": \"abc\"}\n{\"u\": 3}\n{\"u\": 4, \"x\": [1]}\n"
      "{\"u\": \"five\", \"x\": 2.5}\n{\"u\": 6, \"x\": null, \"y\": {}}\n");
  EXPECT_EQ(read_back(folder, "t.ndjson"), (Answer{8, 2, 6}));
  // An array is a line that cannot be read, or lines that cannot; nobody's record decides.
  write_file(folder / "t.json", "[{\"u\": 1, \"x\": 5}, {\"u\": 2, \"x\": \"7\"}]");
  EXPECT_EQ(read_back(folder, "t.json"), (Answer{0, 0, 0}));
  write_file(folder / "t.json", "[\n{\"u\": 1, \"x\": 5}\n{\"u\": 2, \"x\": \"7\"}\n]");
  EXPECT_EQ(read_back(folder, "t.json"), (Answer{12, 2, 2}));
}

TEST(Engine, IsInterrupted) {
  ScratchFolder folder;
  GatheredLog log;
  auto writer = Connection::open(2, log.log()).value().release();
  must(*writer, "COPY (SELECT i AS u, i % 101 AS x FROM range(3000000) r(i)) TO " +
                    quote_text(folder / "t.parquet"));
  delete writer;
  const policy::Policy policy = one_table(folder, "t.parquet");
  auto engine = DuckDbEngine::open(policy, log.log());
  ASSERT_TRUE(engine.has_value());
  Plan plan = count_plan(from("t"));
  plan.measurements.push_back(measurement(MeasureKind::kSum, col("x")));
  auto checked = Checker::check(plan, policy, "q");
  ASSERT_TRUE(checked.has_value());
  // Interrupted by the first sign of progress, from inside of the run.
  OwnerLog stopping{.say = {}, .progress = [&](int) { (*engine)->interrupt(); }};
  auto answer = (*engine)->run(*checked, stopping);
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().code, Code::kInterrupted);
  EXPECT_TRUE((*engine)->run(*checked, log.log()).has_value()) << log.said;  // and goes on
}

TEST(Engine, ExplainsWhatItSends) {
  ScratchFolder folder;
  GatheredLog log;
  write_table(folder, "parquet", "t", {{"u", "BIGINT"}, {"x", "DOUBLE"}}, {});
  const policy::Policy policy = one_table(folder, "t.parquet");
  auto engine = DuckDbEngine::open(policy, log.log());
  ASSERT_TRUE(engine.has_value()) << log.said;
  Plan plan = count_plan(from("t"));
  plan.filter = Expr::of(Op::kLess, {col("x"), num(65)});
  plan.measurements.push_back(measurement(MeasureKind::kSum, col("x")));
  const std::string text = (*engine)->explain(*Checker::check(plan, policy, "q"));
  EXPECT_EQ(text.substr(0, text.find("--")),
            "SELECT keep({'unit': CAST(\"t0\".\"u\" AS BIGINT), 'c0': on_grid(\"t0\".\"x\", "
            "'0..100 by 1')})\n"
            "FROM \"t\" AS \"t0\"\n"
            "WHERE (on_grid(\"t0\".\"x\", '0..100 by 1') < CAST(65 AS BIGINT))\n"
            "  AND (\"t0\".\"u\" IS NOT NULL);\n");
}

// To join without a secret is for tables in which nobody has many rows.
TEST(Engine, SpreadsJoinsUnlessItKnowsThatNoUnitHasManyRows) {
  const auto few_rows = [](std::int64_t visits, std::int64_t labs_of_the_last, int asked,
                           const Source& source) {
    Database database;
    for (std::int64_t i = 1; i <= visits; ++i) {
      database["visits"].push_back({{"id", integer_value(i)}, {"patient_id", integer_value(5)}});
    }
    for (std::int64_t i = 0; i < labs_of_the_last; ++i) {
      database["labs"].push_back({{"visit_id", integer_value(visits)}});
    }
    ScratchFolder folder;
    GatheredLog log;
    policy::Policy policy = clinic();
    write_clinic(folder, "parquet", database, policy);
    auto engine = DuckDbEngine::open(policy, log.log());
    EXPECT_TRUE(engine.has_value()) << log.said;
    const Multiplicity facts = [&](const auto& table, const auto& columns) {
      return (*engine)->multiplicity(policy, table, columns, log.log());
    };
    const auto checked = Checker::check(count_plan(source), policy, "q", facts);
    EXPECT_TRUE(checked.has_value());
    bool few = false;
    for (int i = 0; i < asked; ++i) few = (*engine)->facts(*checked, log.log()).value().few_rows;
    return few;
  };
  const std::int64_t most = lowering::kFewRows;
  const Source labs = from("labs");
  EXPECT_FALSE(few_rows(3, 4, 1, labs));  // not known: a question that is asked once
  EXPECT_TRUE(few_rows(3, 4, 2, labs));
  EXPECT_TRUE(few_rows(most, 4, 2, labs));
  EXPECT_FALSE(few_rows(most + 1, 4, 2, labs));
  EXPECT_TRUE(few_rows(3, most, 2, labs));
  EXPECT_FALSE(few_rows(3, most + 1, 2, labs));
  // Few rows that become many; what is cut is counted at once.
  const Source squared{{{"labs", "x", {}}, {"labs", "y", {{0, "visit_id", "visit_id"}}}}};
  EXPECT_TRUE(few_rows(3, 32, 1, squared));
  EXPECT_FALSE(few_rows(3, 33, 1, squared));
}

TEST(Engine, FindsKeysThatRepeat) {
  for (const std::int64_t second : {2, 1}) {
    ScratchFolder folder;
    GatheredLog log;
    policy::Policy policy = clinic();
    write_clinic(folder, "parquet",
                 {{"visits",
                   {{{"id", integer_value(1)}, {"patient_id", integer_value(5)}},
                    {{"id", integer_value(second)}, {"patient_id", integer_value(6)}},
                    {{"patient_id", integer_value(6)}},
                    {{"patient_id", integer_value(6)}}}}},
                 policy);
    auto engine = DuckDbEngine::open(policy, log.log());
    ASSERT_TRUE(engine.has_value()) << engine.error().message << log.said;
    const std::vector<std::string> expected =
        second == 1 ? std::vector<std::string>{"visits.id"} : std::vector<std::string>{};
    EXPECT_EQ((*engine)->repeated_keys(policy, log.log()).value(), expected) << log.said;
  }
}

TEST(Engine, ListsThePublicValuesOfPublicTablesOnly) {
  ScratchFolder folder;
  GatheredLog log;
  policy::Policy policy = clinic();
  write_clinic(folder, "csv",
               {{"zips",
                 {{{"zip", text_value("b")}, {"region", text_value("a")}},
                  {{"zip", text_value("a")}, {"region", text_value("a")}},
                  {{"region", text_value("b")}}}}},
               policy);
  auto engine = DuckDbEngine::open(policy, log.log());
  ASSERT_TRUE(engine.has_value()) << engine.error().message << log.said;
  EXPECT_EQ((*engine)->public_values(policy, "zips", "zip", 10, log.log()).value(),
            (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ((*engine)->public_values(policy, "zips", "zip", 1, log.log()).error().code,
            Code::kInvalidInput);
  EXPECT_EQ((*engine)->public_values(policy, "visits", "city", 10, log.log()).error().code,
            Code::kRefused);
}

// Names and constants with quotes, semicolons, comments and zero bytes stay names and constants.
TEST(Sql, QuotesWhateverItIsGiven) {
  GatheredLog log;
  auto connection = std::move(Connection::open(1, log.log()).value());
  for (const std::string& text :
       {std::string("it's"), std::string("'; DROP TABLE t; --"), std::string("\"; --"),
        std::string("a\0b'", 4), std::string("\\'"), std::string("$$x$$"),
        std::string("\xE2\x80\x99"), std::string()}) {
    std::string back;
    auto done = connection->query("SELECT " + Sql::text(text).print(), log.log(),
                                  [&](const Chunk& chunk) { back = column(chunk, 0).text(0); });
    ASSERT_TRUE(done.has_value()) << log.said;
    EXPECT_EQ(back, text);
    if (text.empty() || text.find('\0') != text.npos) continue;
    done = connection->query(
        "SELECT " + Sql::name({text}).print() + " FROM (SELECT 1 AS " + quote_name(text) + ")",
        log.log());
    EXPECT_TRUE(done.has_value()) << log.said;
  }
}

}  // namespace
}  // namespace discreet::engine::duckdb::duckdb_engine_test
