// SPDX-License-Identifier: Apache-2.0
// Parquet files that are not as DuckDB writes them: statistics that are wrong, names that stand
// twice, folders that look like columns, pages that are damaged. And damaged DuckDB files.
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <set>

#include "engine/duckdb/duckdb_engine.h"
#include "engine/duckdb/files_for_tests.h"
#include "engine/duckdb/stored_bits_for_tests.h"

namespace discreet::engine::duckdb::parquet_test {
namespace {

using namespace plan;

std::string read_all(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Where a Parquet file's footer begins, which holds schema and statistics.
std::size_t footer_of(const std::string& bytes) {
  std::uint32_t size = 0;
  std::memcpy(&size, bytes.data() + bytes.size() - 8, sizeof size);
  return bytes.size() - 8 - size;
}

/// Replaces what stands in the footer by as many other bytes; how often it stood there.
int replace_in_footer(const std::string& path, const std::string& from, const std::string& to) {
  std::string bytes = read_all(path);
  int count = 0;
  for (std::size_t at = footer_of(bytes); (at = bytes.find(from, at)) != bytes.npos; ++count) {
    bytes.replace(at, to.size(), to);
  }
  write_file(path, bytes);
  return count;
}

void write_parquet(const std::string& path, const std::string& select,
                   const std::string& options = "") {
  auto writer = std::move(Connection::open(1, {}).value());
  must(*writer,
       "COPY (" + select + ") TO " + quote_text(path) + " (FORMAT parquet" + options + ")");
}

std::int64_t number(Connection& connection, const std::string& sql) {
  GatheredLog log;
  std::int64_t out = -1;
  const auto done = connection.query(sql, log.log(), [&](const Chunk& chunk) {
    out = column(chunk, 0).values<std::int64_t>()[0];
  });
  EXPECT_TRUE(done.has_value()) << sql << log.said;
  return out;
}

/// Values of a type, and how they lie in the statistics: a value that a file is full of, and a
/// larger one of which the statistics tell instead.
struct Lie {
  std::string type;
  std::string value;  // as SQL
  std::string stored;
  std::string told;
};

std::string word(std::int64_t value, std::size_t bytes) {
  std::string out(bytes, '\0');
  std::memcpy(out.data(), &value, bytes);
  return out;
}

std::vector<Lie> lies() {
  const std::int64_t small = 0x3142535;
  const std::int64_t large = 0x3142539;
  const std::int64_t day = 19'001;
  const std::int64_t us = 1'650'000'000'123'456;
  return {
      {"INTEGER", std::to_string(small), word(small, 4), word(large, 4)},
      {"UINTEGER", std::to_string(small), word(small, 4), word(large, 4)},
      {"SMALLINT", "12345", word(12'345, 4), word(12'349, 4)},
      {"BIGINT", std::to_string(small), word(small, 8), word(large, 8)},
      {"UBIGINT", std::to_string(small), word(small, 8), word(large, 8)},
      {"DOUBLE", "1234567.25", word(std::bit_cast<std::int64_t>(1234567.25), 8),
       word(std::bit_cast<std::int64_t>(2234567.25), 8)},
      {"DATE", "DATE '1970-01-01' + " + std::to_string(day), word(day, 4), word(day + 5, 4)},
      {"TIMESTAMP", "make_timestamp(" + std::to_string(us) + ")", word(us, 8), word(us + 9, 8)},
      {"DECIMAL(9,2)", "515151.51", word(51'515'151, 4), word(51'515'159, 4)},
      {"DECIMAL(18,2)", "515151.51", word(51'515'151, 8), word(51'515'159, 8)},
      {"VARCHAR", "'Zq1xWv8k'", "Zq1xWv8k", "Zz1xWv8k"},
  };
}

// What a filter leaves over is a matter of the rows, whatever the file's statistics say: where they
// are wrong, which one person's row may cause, all others' rows would be passed over.
TEST(Statistics, OfAParquetFileHideNoRow) {
  for (const Lie& lie : lies()) {
    const ScratchFolder folder;
    GatheredLog log;
    const std::string path = folder / "t.parquet";
    const std::string value = "CAST(" + lie.value + " AS " + lie.type + ")";
    write_parquet(path, "SELECT i AS u, 1 AS x, " + value + " AS z FROM range(40) r(i)",
                  ", DICTIONARY_SIZE_LIMIT 1");
    ASSERT_GT(replace_in_footer(path, lie.stored, lie.told), 0) << lie.type;
    const std::vector<std::string> filters = {
        "z = " + value,
        "z < " + value + " OR z = " + value,
        "z IN (" + value + ")",
        "z BETWEEN " + value + " AND " + value,
        "z IN (SELECT * FROM (VALUES (" + value + ")) w(v))",
        "EXISTS (SELECT 1 FROM (VALUES (" + value + ")) w(v) WHERE w.v = t.z)",
        "z = (SELECT min(z) FROM t AS o) AND z = " + value,
        "z IS NOT DISTINCT FROM " + value,
        "z IS NOT NULL"};
    auto raw = std::move(Connection::open(1, {}).value());
    EXPECT_EQ(number(*raw, "SELECT count(*) FROM read_parquet(" + quote_text(path) +
                               ") WHERE z = " + value),
              0)
        << lie.type << ": DuckDB itself is not misled, and this test tries nothing";
    auto connection = std::move(Connection::open(1, {}).value());
    const auto opened = open_sources(*connection, one_table(folder, "t.parquet"), log.log());
    ASSERT_TRUE(opened.has_value()) << log.said;
    for (const std::string& filter : filters) {
      EXPECT_EQ(number(*connection, "SELECT count(*) FROM t WHERE " + filter), 40)
          << lie.type << " " << filter;
    }
    EXPECT_EQ(number(*connection,
                     "SELECT count(*) FROM t JOIN (VALUES (" + value + "), (NULL)) w(v) ON z = v"),
              40)
        << lie.type;
  }
}

// As parquet-mr wrote it before 1.10: the bytes of texts are compared as signed numbers, so that
// 'émile' is said to be the least of anna, ben and émile, and ben the greatest.
TEST(Statistics, OfOldWritersHideNoText) {
  const ScratchFolder folder;
  GatheredLog log;
  const std::string_view hex =
      "504152311500153015302c1506150015061506000001000000000000000200000000000000030000000000000015"
      "00153215322c1506150015061506000004000000616e6e610300000062656e06000000c3a96d696c651502193c48"
      "06736368656d611504001504250018017500150c250018016e2500001606191c192c26081c150419250006191801"
      "75150016061652165226080000265a1c150c192500061918016e1500160616541654265a3c180362656e1806c3a9"
      "6d696c65160000000016a60116060028036f6c64007600000050415231";
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  }
  write_file(folder / "t.parquet", bytes);
  auto raw = std::move(Connection::open(1, {}).value());
  const std::string path = quote_text(folder / "t.parquet");
  EXPECT_EQ(number(*raw, "SELECT count(*) FROM read_parquet(" + path + ") WHERE n = 'anna'"), 0);
  auto connection = std::move(Connection::open(1, {}).value());
  const auto opened = open_sources(*connection, one_table(folder, "t.parquet"), log.log());
  ASSERT_TRUE(opened.has_value()) << log.said;
  for (const std::string name : {"anna", "ben", "émile"}) {
    EXPECT_EQ(number(*connection, "SELECT count(*) FROM t WHERE n = " + quote_text(name)), 1);
  }
}

TEST(ParquetNames, ThatDuckDbTakesForOneAreRefused) {
  for (const std::string other : {"xa", "XA", "xA"}) {
    const ScratchFolder folder;
    GatheredLog log;
    write_parquet(folder / "t.parquet", "SELECT 1 AS u, 5 AS x, 6 AS xa, 7 AS xb");
    policy::Policy policy = one_table(folder, "t.parquet");
    EXPECT_TRUE(DuckDbEngine::open(policy, log.log()).has_value()) << log.said;
    ASSERT_GT(replace_in_footer(folder / "t.parquet", "xb", other), 0);
    const auto engine = DuckDbEngine::open(policy, log.log());
    ASSERT_FALSE(engine.has_value()) << other;
    EXPECT_EQ(engine.error().message, "the source of table 't' has two columns '" + other +
                                          "', whatever their case; rename one in it");
  }
}

TEST(ParquetNames, OfFieldsInsideAColumnAreNotColumns) {
  const ScratchFolder folder;
  GatheredLog log;
  write_parquet(folder / "t.parquet",
                "SELECT 1 AS u, {'x': 1, 'u': {'x': [1], 'y': 2}} AS s, [{'x': 2}] AS l, 5 AS x");
  EXPECT_TRUE(DuckDbEngine::open(one_table(folder, "t.parquet"), log.log()).has_value())
      << log.said;
}

TEST(ParquetNames, OfFoldersAreNotColumns) {
  const ScratchFolder folder;
  GatheredLog log;
  std::filesystem::create_directories(folder / "x=77/y=1");
  write_parquet(folder / "x=77/y=1/t.parquet", "SELECT 1 AS u, 5 AS x");
  auto connection = std::move(Connection::open(1, log.log()).value());
  const auto schemas =
      open_sources(*connection, one_table(folder, "x=77/y=1/t.parquet"), log.log());
  ASSERT_TRUE(schemas.has_value()) << log.said;
  EXPECT_EQ(schemas->at("t").columns.size(), 2U);
  EXPECT_EQ(number(*connection, "SELECT CAST(x AS BIGINT) FROM t"), 5);
}

/// How the questions about each part of table t end, as texts; `z` is what they read.
std::set<std::string> outcomes(const policy::Policy& policy) {
  GatheredLog log;
  const auto engine = DuckDbEngine::open(policy, log.log());
  if (!engine) return {"not opened"};
  std::set<std::string> out;
  for (const int part : {0, 1, 2}) {
    Plan plan;
    plan.source.tables = {{"t", "t", {}}};
    plan.filter = Expr::of(Op::kEqual, {col("part"), num(part)});
    plan.measurements = {measurement(MeasureKind::kDistinct, col("z"))};
    plan.bounds = {1, 10, true};
    const auto checked = Checker::check(plan, policy, "q");
    EXPECT_TRUE(checked.has_value()) << checked.error().message;
    const auto answer = (*engine)->run(*checked, log.log());
    out.insert(answer ? "answered" : answer.error().message);
  }
  return out;
}

policy::Policy policy_of_z(const ScratchFolder& folder, const std::string& source, Type type) {
  policy::Policy policy = one_table(folder, source);
  policy.tables["t"].columns = {column_of("part", Type::kInteger, Grid{0, 2, 1}),
                                declared_as("z", type)};
  return policy;
}

// A page that cannot be unpacked fails the questions that name its column, whatever their filter:
// also of a type whose every word is a value.
TEST(DamagedPages, OfParquetFailAllQuestionsOfTheirColumn) {
  const std::vector<std::pair<std::string, Type>> types = {
      {"BOOLEAN", Type::kBoolean},     {"INTEGER", Type::kInteger},      {"BIGINT", Type::kInteger},
      {"DOUBLE", Type::kDecimal},      {"DECIMAL(9,2)", Type::kDecimal}, {"DATE", Type::kDate},
      {"TIMESTAMP", Type::kTimestamp}, {"VARCHAR", Type::kText}};
  for (const auto& [type, declared] : types) {
    const ScratchFolder folder;
    const std::string path = folder / "t.parquet";
    const std::string of_i = type == "DATE"        ? "DATE '2000-01-01' + CAST(i % 90 AS INTEGER)"
                             : type == "TIMESTAMP" ? "make_timestamp(i * 1000000)"
                                                   : "CAST(i % 97 AS " + type + ")";
    write_parquet(path,
                  "SELECT i AS u, CAST(i // 2048 AS INTEGER) AS part, " + of_i +
                      " AS z FROM range(6144) r(i)",
                  ", ROW_GROUP_SIZE 2048");
    auto reader = std::move(Connection::open(1, {}).value());
    const auto chunk = [&](const std::string& what) {
      return static_cast<std::size_t>(number(
          *reader, "SELECT CAST(" + what + " AS BIGINT) FROM parquet_metadata(" + quote_text(path) +
                       ") WHERE path_in_schema = 'z' AND row_group_id = 1"));
    };
    std::string bytes = read_all(path);
    const std::size_t size = chunk("total_compressed_size");
    bytes.replace(chunk("coalesce(dictionary_page_offset, data_page_offset)"), size, size, '\xff');
    write_file(path, bytes);
    const auto found = outcomes(policy_of_z(folder, "t.parquet", declared));
    EXPECT_EQ(found,
              std::set<std::string>{"the source of table 't' cannot be read; the owner's log "
                                    "has the database's words"})
        << type;
  }
}

TEST(DamagedPages, OfADuckDbFileFailAllQuestionsOfTheirColumnOrNone) {
  const ScratchFolder folder;
  {
    auto writer = std::move(Connection::open(1, {}).value());
    must(*writer, "ATTACH " + quote_text(folder / "whole.duckdb") + " AS f");
    must(*writer, "SET force_compression = 'uncompressed'");
    must(*writer,
         "CREATE TABLE f.t AS SELECT i AS u, CAST(i // 122880 AS INTEGER) AS part, hash(i) AS z "
         "FROM range(368640) r(i)");
    must(*writer, "DETACH f");
  }
  const std::string whole = read_all(folder / "whole.duckdb");
  constexpr std::size_t kBlocks = 3 * 4096, kBlock = 262'144;
  int failed = 0;
  for (std::size_t at = kBlocks; at + kBlock <= whole.size(); at += 3 * kBlock) {
    std::string bytes = whole;
    bytes.replace(at + 100'000, 16, 16, '\x55');
    write_file(folder / "t.duckdb", bytes);
    const auto found = outcomes(policy_of_z(folder, "t.duckdb:t", Type::kInteger));
    EXPECT_EQ(found.size(), 1U) << "block at " << at;
    failed += found.contains("answered") ? 0 : 1;
  }
  EXPECT_GT(failed, 0);
}

}  // namespace
}  // namespace discreet::engine::duckdb::parquet_test
