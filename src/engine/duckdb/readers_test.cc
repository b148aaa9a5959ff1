// SPDX-License-Identifier: Apache-2.0
// What files may hold, with and without one unit: text of any bytes and stored words of any bits.
// `./dev fuzz readers` goes on where these stop.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>

#include "engine/duckdb/dialect.h"
#include "engine/duckdb/duckdb_engine.h"
#include "engine/duckdb/files_for_tests.h"
#include "engine/duckdb/stored_bits_for_tests.h"

namespace discreet::engine::duckdb::readers_test {
namespace {

using namespace plan;

Plan counting() {
  Plan plan;
  plan.source.tables = {{"t", "t", {}}};
  plan.measurements = {measurement(MeasureKind::kRows)};
  plan.bounds = {1, 10, true};
  return plan;
}

std::int64_t rows_in(Connection& connection, const std::string& table) {
  std::int64_t rows = -1;
  const auto done = connection.query("SELECT count(*) FROM " + table, {}, [&](const Chunk& chunk) {
    rows = column(chunk, 0).values<std::int64_t>()[0];
  });
  EXPECT_TRUE(done.has_value());
  return rows;
}

TEST(StoredBits, OneUnitsWordsChangeNothingThatIsReadOfOthers) {
  StoredBitsTrial trial(1);
  for (int i = 0; i < 60; ++i) ASSERT_EQ(trial.next(), "") << "pair " << i;
}

TEST(StoredBits, TypesWithoutATextAreRefusedWhenTheyAreOpened) {
  const ScratchFolder folder;
  GatheredLog log;
  for (const std::string type : {"TIME", "TIMETZ", "INTERVAL", "INTEGER[]", "BIT"}) {
    policy::Policy policy =
        one_table(folder, write_table(folder, "duckdb", "t" + std::to_string(type.size()),
                                      {{"u", "BIGINT"}, {"x", "INTEGER"}, {"z", type}}, {}));
    EXPECT_TRUE(DuckDbEngine::open(policy, log.log()).has_value()) << log.said;
    policy.tables["t"].columns.push_back(column_of("z", Type::kText));
    const auto engine = DuckDbEngine::open(policy, log.log());
    ASSERT_FALSE(engine.has_value()) << type;
    EXPECT_NE(engine.error().message.find("by this version"), std::string::npos)
        << engine.error().message;
  }
}

// A list is not a value, whatever its elements are: a function that is told so by a row would fail
// for those questions alone whose filter that row passes.
TEST(StoredBits, ListsOfEveryTypeAreRefusedWhenTheyAreOpened) {
  FileColumns columns = {{"u", "BIGINT"}, {"x", "INTEGER"}};
  std::vector<std::string> types = {"ENUM('a')", "JSON", "TIME"};
  for (const StoredBits& stored : stored_bits()) types.push_back(stored.type);
  for (const std::string& type : types) {
    for (const char* list : {"[]", "[3]", "[][]", "[3][3]"}) {
      columns.emplace_back("z" + std::to_string(columns.size()), type + list);
    }
  }
  for (const std::string format : {"duckdb", "parquet"}) {
    const ScratchFolder folder;
    GatheredLog log;
    const std::string source = write_table(folder, format, "t", columns, {});
    auto connection = std::move(Connection::open(1, log.log()).value());
    const auto schemas = open_sources(*connection, one_table(folder, source), log.log());
    ASSERT_TRUE(schemas.has_value()) << log.said;
    for (const lowering::StoredColumn& column : schemas->at("t").columns) {
      const bool is_list = column.name[0] == 'z';
      EXPECT_EQ(has_text(column), !is_list) << column.type_name;
      EXPECT_EQ(column.type == DUCKDB_TYPE_INVALID, is_list) << column.type_name;
    }
    connection.reset();
    for (const Type as : {Type::kText, Type::kInteger, Type::kDecimal, Type::kDate,
                          Type::kTimestamp, Type::kBoolean}) {
      policy::Policy policy = one_table(folder, source);
      const std::size_t decimals = types.size() - 11;  // any of them
      policy.tables["t"].columns = {declared_as(columns[2 + 4 * decimals].first, as)};
      const auto engine = DuckDbEngine::open(policy, log.log());
      ASSERT_FALSE(engine.has_value()) << policy::to_string(as);
      EXPECT_EQ(engine.error().code, Code::kInvalidInput);
    }
  }
}

// Also where no row is: when the statement is bound.
TEST(StoredBits, FunctionsRefuseATypeThatTheyDoNotReadBeforeAnyRow) {
  GatheredLog log;
  auto connection = std::move(Connection::open(1, log.log()).value());
  for (const std::string type : {"DECIMAL(4,1)[]", "DECIMAL(18,2)[3]", "TIME", "DATE[]"}) {
    const std::string from = "(CAST(NULL AS " + type + ")) FROM range(0)";
    for (const std::string function : {"decimal_text", "days", "microseconds", "moment_text"}) {
      EXPECT_FALSE(connection->query("SELECT " + function + from, log.log()).has_value())
          << function << type;
    }
    EXPECT_FALSE(
        connection
            ->query("SELECT on_grid(CAST(NULL AS " + type + "), '0..1 by 1') FROM range(0)",
                    log.log())
            .has_value())
        << type;
  }
}

struct ParquetBits {
  const char* type;
  std::string mark;  // a value, as its bytes lie in the file
  std::string sql;   // the same value
  Type declared;
};

/// A Parquet file, t.parquet, in which one unit's row has marks that are then overwritten by any
/// bits; nothing else is.
class ParquetTrial {
 public:
  explicit ParquetTrial(std::uint64_t seed) : random_(seed) {
    const std::string eight("\x5a\x71\x31\x78\x57\x76\x03\x00", 8);  // 975 trillion or so
    const std::string four("\x5a\x71\x31\x2a", 4);
    std::int64_t long_word = 0;
    std::int32_t word = 0;
    std::memcpy(&long_word, eight.data(), 8);
    std::memcpy(&word, four.data(), 4);
    const std::string big = std::to_string(long_word);
    const std::string small = std::to_string(word);
    types_ = {{"INTEGER", four, small, Type::kInteger},
              {"BIGINT", eight, big, Type::kInteger},
              {"UBIGINT", eight, big, Type::kText},
              {"DATE", four, "DATE '1970-01-01' + " + small, Type::kDate},
              {"TIMESTAMP", eight, "make_timestamp(" + big + ")", Type::kTimestamp},
              {"TIMESTAMPTZ", eight, "make_timestamptz(" + big + ")", Type::kDate},
              {"TIMESTAMP_MS", eight, "make_timestamp_ms(" + big + ")", Type::kTimestamp},
              {"TIMESTAMP_NS", eight, "make_timestamp_ns(" + big + ")", Type::kTimestamp},
              {"DECIMAL(9,0)", four, small, Type::kDecimal},
              {"DECIMAL(18,0)", eight, big, Type::kDecimal},
              {"VARCHAR", "Zq1xWv8k", "'Zq1xWv8k'", Type::kText}};
  }

  std::size_t types() const { return types_.size(); }
  const ParquetBits& at(std::size_t type) const { return types_[type]; }

  /// How many bytes were overwritten.
  std::size_t write(const ScratchFolder& folder, std::size_t type) {
    const ParquetBits& the = types_[type];
    auto writer = std::move(Connection::open(1, {}).value());
    must(*writer, "CREATE TABLE t AS SELECT i AS u, i % 3 AS part, CAST(NULL AS " +
                      std::string(the.type) + ") AS z FROM range(5000) r(i)");
    must(*writer, "UPDATE t SET z = " + the.sql + " WHERE u = 77");
    must(*writer, "COPY t TO " + quote_text(folder / "t.parquet") +
                      " (FORMAT parquet, COMPRESSION uncompressed)");
    std::ifstream in(folder / "t.parquet", std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(in)), {});
    std::string bits;
    for (std::size_t i = 0; i < the.mark.size(); ++i) bits += static_cast<char>(random_());
    if (random_() % 3 == 0) bits.back() = static_cast<char>(0x7f + random_() % 2);
    std::size_t count = 0;
    for (std::size_t at; (at = bytes.find(the.mark)) != bytes.npos; ++count) {
      bytes.replace(at, bits.size(), bits);
    }
    write_file(folder / "t.parquet", bytes);
    return count;
  }

 private:
  std::mt19937_64 random_;
  std::vector<ParquetBits> types_;
};

// Parquet's own words may be such that its reader fails on them. Then it does so for all questions
// that name the column, whatever their filter.
TEST(StoredBits, OfParquetFailAllQuestionsOfTheirColumnOrNone) {
  ParquetTrial trial(3);
  int failed = 0;
  for (std::size_t i = 0; i < 2 * trial.types(); ++i) {
    const ParquetBits& the = trial.at(i % trial.types());
    const ScratchFolder folder;
    GatheredLog log;
    ASSERT_GT(trial.write(folder, i % trial.types()), 0U) << the.type;
    policy::Policy policy = one_table(folder, "t.parquet");
    policy.tables["t"].columns = {column_of("part", Type::kInteger, Grid{0, 2, 1}),
                                  declared_as("z", the.declared)};
    const auto engine = DuckDbEngine::open(policy, log.log());
    ASSERT_TRUE(engine.has_value()) << the.type << log.said;
    std::set<std::string> outcomes;
    for (const int part : {0, 1, 2}) {
      Plan plan = counting();
      plan.filter = Expr::of(Op::kEqual, {col("part"), num(part)});
      plan.measurements = {measurement(MeasureKind::kDistinct, col("z"))};
      const auto checked = Checker::check(plan, policy, "q");
      ASSERT_TRUE(checked.has_value()) << checked.error().message;
      const auto answer = (*engine)->run(*checked, log.log());
      outcomes.insert(answer ? "answered" : answer.error().message);
    }
    EXPECT_EQ(outcomes.size(), 1U) << the.type << log.said;
    failed += outcomes.contains("answered") ? 0 : 1;
  }
  EXPECT_GT(failed, 0);  // else nothing was tried
}

// A file that is replaced, written or gone fails every question, in the same words, until the
// policy is opened again.
TEST(OpenedFiles, AFileThatChangedFailsEveryQuestionAlike) {
  std::mt19937_64 random(5);
  std::set<std::string> errors;
  for (int round = 0; round < 40; ++round) {
    const ScratchFolder folder;
    GatheredLog log;
    const std::vector<RawRow> rows = {{{"u", integer_value(1)}, {"x", integer_value(5)}},
                                      {{"u", integer_value(2)}, {"x", integer_value(7)}}};
    const std::string format =
        std::vector<std::string>{"csv", "json", "parquet", "duckdb"}[random() % 4];
    const std::string source =
        write_table(folder, format, "t", {{"u", "BIGINT"}, {"x", "BIGINT"}}, rows);
    const std::string path = folder / source.substr(0, source.find(':'));
    const policy::Policy policy = one_table(folder, source);
    const auto engine = DuckDbEngine::open(policy, log.log());
    ASSERT_TRUE(engine.has_value()) << log.said;
    const auto checked = Checker::check(counting(), policy, "q");
    ASSERT_TRUE(checked.has_value());
    ASSERT_TRUE((*engine)->run(*checked, log.log()).has_value()) << log.said;
    std::ifstream stream(path, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(stream)), {});
    switch (random() % 5) {
      case 0:
        std::filesystem::remove(path);
        break;
      case 1:  // the same bytes in another file
        write_file(folder / "new", bytes);
        std::filesystem::rename(folder / "new", path);
        break;
      case 2:
        write_file(folder / "new", "x,u\n1,2\n");
        std::filesystem::rename(folder / "new", path);
        break;
      case 3:
        std::ofstream(path, std::ios::binary | std::ios::app) << "\n";
        break;
      default:  // the time alone
        std::filesystem::last_write_time(
            path, std::filesystem::last_write_time(path) + std::chrono::milliseconds(7));
    }
    const auto answer = (*engine)->run(*checked, log.log());
    ASSERT_FALSE(answer.has_value()) << format;
    EXPECT_EQ(answer.error().code, Code::kEngine);
    errors.insert(answer.error().message);
  }
  EXPECT_EQ(errors.size(), 1U);
}

// Of the same size and time, which copies keep: the header is read again.
TEST(OpenedFiles, AnotherHeaderIsNoticed) {
  const ScratchFolder folder;
  GatheredLog log;
  write_file(folder / "t.csv", "u,x\n1,5\n");
  const policy::Policy policy = one_table(folder, "t.csv");
  const auto engine = DuckDbEngine::open(policy, log.log());
  const auto checked = Checker::check(counting(), policy, "q");
  const auto time = std::filesystem::last_write_time(folder / "t.csv");
  write_file(folder / "t.csv", "x,u\n1,5\n");
  std::filesystem::last_write_time(folder / "t.csv", time);
  EXPECT_FALSE((*engine)->run(*checked, log.log()).has_value());
}

TEST(OpenedFiles, ALinkToAnotherFileIsNoticed) {
  const ScratchFolder folder;
  GatheredLog log;
  write_file(folder / "a.csv", "u,x\n1,5\n");
  write_file(folder / "b.csv", "u,x\n1,5\n");
  std::filesystem::create_symlink("a.csv", folder / "t.csv");
  const policy::Policy policy = one_table(folder, "t.csv");
  const auto engine = DuckDbEngine::open(policy, log.log());
  const auto checked = Checker::check(counting(), policy, "q");
  EXPECT_TRUE((*engine)->run(*checked, log.log()).has_value()) << log.said;
  std::filesystem::remove(folder / "t.csv");
  std::filesystem::create_symlink("b.csv", folder / "t.csv");
  EXPECT_FALSE((*engine)->run(*checked, log.log()).has_value());
}

TEST(OpenedFiles, WhatIsNotAFileIsRefused) {
  const ScratchFolder folder;
  GatheredLog log;
  std::filesystem::create_directory(folder / "t.csv");
  EXPECT_EQ(DuckDbEngine::open(one_table(folder, "t.csv"), log.log()).error().code,
            Code::kInvalidInput);
  ASSERT_EQ(mkfifo((folder / "t.ndjson").c_str(), 0600), 0);
  EXPECT_EQ(DuckDbEngine::open(one_table(folder, "t.ndjson"), log.log()).error().code,
            Code::kInvalidInput);
}

// The name of a file is a name, and never stands for several: a star is a letter.
TEST(OpenedFiles, AParquetFileIsTheOneThatIsNamed) {
  const ScratchFolder folder;
  GatheredLog log;
  const FileColumns columns = {{"u", "BIGINT"}, {"x", "BIGINT"}};
  const RawRow row = {{"u", integer_value(1)}, {"x", integer_value(5)}};
  write_table(folder, "parquet", "t1", columns, {row, row});
  write_table(folder, "parquet", "one", columns, {row});
  std::filesystem::rename(folder / "one.parquet", folder / "t*.parquet");
  auto connection = std::move(Connection::open(1, log.log()).value());
  ASSERT_TRUE(open_sources(*connection, one_table(folder, "t*.parquet"), log.log()).has_value())
      << log.said;
  EXPECT_EQ(rows_in(*connection, "t"), 1);
}

// It is read through what was opened: another file that bears its name for a moment is not read.
TEST(OpenedFiles, AParquetFileIsReadAsItWasOpenedWhateverItsNameLeadsTo) {
  const ScratchFolder folder;
  GatheredLog log;
  const FileColumns columns = {{"u", "BIGINT"}, {"x", "BIGINT"}};
  const RawRow row = {{"u", integer_value(1)}, {"x", integer_value(5)}};
  write_table(folder, "parquet", "one", columns, {row});
  write_table(folder, "parquet", "two", columns, {row, row});
  std::filesystem::create_symlink("one.parquet", folder / "t.parquet");
  auto connection = std::move(Connection::open(1, log.log()).value());
  ASSERT_TRUE(open_sources(*connection, one_table(folder, "t.parquet"), log.log()).has_value());
  std::filesystem::remove(folder / "t.parquet");
  std::filesystem::create_symlink("two.parquet", folder / "t.parquet");
  EXPECT_EQ(rows_in(*connection, "t"), 1);
  EXPECT_FALSE(connection->files().check(log.log()).has_value());
  // Where the file itself is gone DuckDB refuses to read what was opened.
  std::filesystem::rename(folder / "two.parquet", folder / "one.parquet");
  EXPECT_FALSE(connection->query("SELECT count(*) FROM t", log.log()).has_value());
}

// A program that writes a file can set the time of writing back, but not that of the change.
TEST(OpenedFiles, AFileWhoseTimeWasSetBackIsNoticed) {
  for (const std::string format : {"csv", "parquet", "duckdb"}) {
    const ScratchFolder folder;
    GatheredLog log;
    const std::string source = write_table(folder, format, "t", {{"u", "BIGINT"}, {"x", "BIGINT"}},
                                           {{{"u", integer_value(1)}, {"x", integer_value(5)}}});
    const std::string path = folder / source.substr(0, source.find(':'));
    const policy::Policy policy = one_table(folder, source);
    const auto engine = DuckDbEngine::open(policy, log.log());
    const auto checked = Checker::check(counting(), policy, "q");
    ASSERT_TRUE((*engine)->run(*checked, log.log()).has_value()) << log.said;
    const auto time = std::filesystem::last_write_time(path);
    std::fstream(path, std::ios::in | std::ios::out | std::ios::binary).write("u", 0);
    std::filesystem::last_write_time(path, time + std::chrono::seconds(1));
    std::filesystem::last_write_time(path, time);
    EXPECT_FALSE((*engine)->ready(*checked, log.log()).has_value()) << format;
    EXPECT_FALSE((*engine)->run(*checked, log.log()).has_value()) << format;
  }
}

/// Whether another process could not write the file: a lock is on it.
bool is_locked(const std::string& path) {
  const pid_t child = ::fork();
  if (child == 0) {
    struct flock wanted{};
    wanted.l_type = F_WRLCK;
    const int file = ::open(path.c_str(), O_RDWR);
    const bool asked = file >= 0 && ::fcntl(file, F_GETLK, &wanted) == 0;
    ::_exit(asked && wanted.l_type != F_UNLCK ? 1 : 0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 1;
}

TEST(OpenedFiles, ADuckDbFileStaysLocked) {
  const ScratchFolder folder;
  GatheredLog log;
  const std::string source = write_table(folder, "duckdb", "t", {{"u", "BIGINT"}, {"x", "BIGINT"}},
                                         {{{"u", integer_value(1)}, {"x", integer_value(5)}}});
  const policy::Policy policy = one_table(folder, source);
  const auto engine = DuckDbEngine::open(policy, log.log());
  ASSERT_TRUE(is_locked(folder / "all.duckdb"));
  const auto checked = Checker::check(counting(), policy, "q");
  EXPECT_TRUE((*engine)->ready(*checked, log.log()).has_value()) << log.said;
  EXPECT_TRUE((*engine)->run(*checked, log.log()).has_value()) << log.said;
  EXPECT_TRUE(is_locked(folder / "all.duckdb"));
}

/// The rows of table t as (u, x), through DuckDB with some threads.
std::multiset<std::pair<std::string, std::string>> rows_of(const ScratchFolder& folder,
                                                           const std::string& source,
                                                           std::size_t threads) {
  GatheredLog log;
  auto connection = std::move(Connection::open(threads, log.log()).value());
  EXPECT_TRUE(open_sources(*connection, one_table(folder, source), log.log()).has_value())
      << log.said;
  std::multiset<std::pair<std::string, std::string>> rows;
  const auto done = connection->query(
      "SELECT coalesce(u, 'NULL'), coalesce(x, 'NULL') FROM t", log.log(), [&](const Chunk& chunk) {
        for (idx_t i = 0; i < duckdb_data_chunk_get_size(chunk.get()); ++i) {
          rows.emplace(column(chunk, 0).text(i), column(chunk, 1).text(i));
        }
      });
  EXPECT_TRUE(done.has_value()) << log.said;
  return rows;
}

// Files of several parts, read by several threads: every line once, whatever stands at the places
// where one part ends and the next begins.
TEST(TextRows, EveryLineIsReadOnceByAnyNumberOfThreads) {
  std::mt19937_64 random(9);
  for (int round = 0; round < 6; ++round) {
    const ScratchFolder folder;
    std::string text = "u,x\n";
    std::multiset<std::pair<std::string, std::string>> expected;
    for (int i = 0; text.size() < (std::size_t{3} << 20); ++i) {
      const std::string u = std::to_string(i);
      std::string x(1 + random() % (round < 3 ? 60 : 60'000), 'x');
      if (random() % 200 == 0) x.assign(65'536 + random() % 3 - 1 - u.size() - 1, 'y');
      text += u + "," + x + (random() % 3 == 0 ? "\r\n" : "\n");
      if (u.size() + 1 + x.size() <= 65'536) expected.emplace(u, x);
    }
    if (round % 2 == 0) text.pop_back();
    write_file(folder / "t.csv", text);
    for (const std::size_t threads : {1, 3}) {
      EXPECT_EQ(rows_of(folder, "t.csv", threads), expected) << round << " " << threads;
    }
  }
}

TEST(TextRows, CountsRowsWithoutReadingAColumn) {
  const ScratchFolder folder;
  write_file(folder / "t.csv", "u,x\n1,5\n2,6\n\n3\n");
  GatheredLog log;
  auto connection = std::move(Connection::open(2, log.log()).value());
  ASSERT_TRUE(open_sources(*connection, one_table(folder, "t.csv"), log.log()).has_value());
  const auto done = connection->query("SELECT count(*) FROM t", log.log(), [](const Chunk& chunk) {
    EXPECT_EQ(column(chunk, 0).values<std::int64_t>()[0], 3);
  });
  EXPECT_TRUE(done.has_value()) << log.said;
}

}  // namespace
}  // namespace discreet::engine::duckdb::readers_test
