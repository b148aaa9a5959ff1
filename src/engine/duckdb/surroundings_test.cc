// SPDX-License-Identifier: Apache-2.0
// What a stored moment is read as is a function of its stored word: not of the time zone, the
// language or the number of threads that the program finds. ctest runs these tests under three
// environments (src/CMakeLists.txt), with the same expectations.
#include <gtest/gtest.h>

#include <clocale>
#include <ctime>

#include "engine/duckdb/dialect.h"
#include "engine/duckdb/files_for_tests.h"
#include "engine/duckdb/sources.h"
#include "plan/policy_for_tests.h"
#include "plan/random_for_tests.h"

namespace discreet::engine::duckdb::surroundings_test {
namespace {

using namespace plan;
using lowering::Sql;

constexpr std::int64_t kHour = std::int64_t{3'600} * 1'000'000;
constexpr std::int64_t kDay = 24 * kHour;

std::int64_t day_of(std::int64_t us) { return us / kDay - (us % kDay < 0 ? 1 : 0); }

/// One table `t` with a moment in UTC, `moment`, opened as a policy's source.
class Moments {
 public:
  Moments(const std::vector<std::int64_t>& words, const std::string& format, std::size_t threads) {
    std::setlocale(LC_ALL, "");  // as a program that hosts the engine may
    tzset();
    auto writer = std::move(Connection::open(1, log_.log()).value());
    must(*writer, "CREATE TABLE t (u BIGINT, moment TIMESTAMPTZ)");
    std::string rows;
    for (std::size_t i = 0; i < words.size(); ++i) {
      rows += (i == 0 ? "(" : ", (") + std::to_string(i) + ", make_timestamptz(" +
              std::to_string(words[i]) + "))";
    }
    must(*writer, "INSERT INTO t VALUES " + rows);
    policy::Policy policy;
    policy.directory = folder_.path();
    policy.units["people"].name = "people";
    policy::Table& table = policy.tables["t"];
    table.name = "t";
    table.source = format == "parquet" ? "t.parquet" : "all.duckdb:t";
    table.unit = policy::UnitPath{"people", {}, "u", false};
    if (format == "parquet") {
      must(*writer, "COPY t TO " + quote_text(folder_ / "t.parquet") + " (FORMAT parquet)");
    } else {
      must(*writer, "ATTACH " + quote_text(folder_ / "all.duckdb") + " AS f");
      must(*writer, "CREATE TABLE f.t AS FROM t");
    }
    writer.reset();
    connection_ = std::move(Connection::open(threads, log_.log()).value());
    auto schemas = open_sources(*connection_, policy, log_.log());
    EXPECT_TRUE(schemas.has_value()) << log_.said;
    stored_ = schemas->at("t").columns.at(1);
  }

  /// `moment` of each row, in steps of the declared type.
  std::vector<std::int64_t> read_as(Type type, const Grid& grid) {
    const Sql value =
        dialect().read(stored_, Sql::name({"moment"}), column_of("moment", type, grid), grid);
    std::vector<std::int64_t> out;
    auto done = connection_->query(
        "SELECT " + value.print() + " FROM t ORDER BY u", log_.log(), [&](const Chunk& chunk) {
          for (idx_t i = 0; i < duckdb_data_chunk_get_size(chunk.get()); ++i) {
            out.push_back(column(chunk, 0).values<std::int64_t>()[i]);
          }
        });
    EXPECT_TRUE(done.has_value()) << log_.said;
    return out;
  }

  /// Its texts, as units and text columns have them.
  std::vector<std::string> texts() {
    const Sql value = dialect().read(stored_, Sql::name({"moment"}),
                                     column_of("moment", Type::kText), std::nullopt);
    std::vector<std::string> out;
    auto done = connection_->query(
        "SELECT " + value.print() + " FROM t ORDER BY u", log_.log(), [&](const Chunk& chunk) {
          for (idx_t i = 0; i < duckdb_data_chunk_get_size(chunk.get()); ++i) {
            out.emplace_back(column(chunk, 0).text(i));
          }
        });
    EXPECT_TRUE(done.has_value()) << log_.said;
    return out;
  }

 private:
  ScratchFolder folder_;
  GatheredLog log_;
  std::unique_ptr<Connection> connection_;
  StoredColumn stored_;
};

std::vector<std::int64_t> random_words(int count) {
  Random random(7);
  std::uniform_int_distribution<std::int64_t> any(-20'000 * kDay, 40'000 * kDay);
  std::vector<std::int64_t> words;
  for (std::int64_t hour = -48; hour < 48; ++hour) words.push_back(hour * kHour);
  while (static_cast<int>(words.size()) < count) words.push_back(any(random));
  return words;
}

TEST(Surroundings, ADayIsThatOfUtc) {
  const std::vector<std::int64_t> words = random_words(2'000);
  const Grid days{-30'000, 50'000, 1};
  const Grid moments{-30'000 * kDay, 50'000 * kDay, 1};
  for (const std::string format : {"duckdb", "parquet"}) {
    for (const std::size_t threads : {1, 2, 5}) {
      Moments table(words, format, threads);
      std::vector<std::int64_t> expected;
      for (const std::int64_t word : words) expected.push_back(day_of(word));
      EXPECT_EQ(table.read_as(Type::kDate, days), expected) << format << threads;
      EXPECT_EQ(table.read_as(Type::kTimestamp, moments), words) << format << threads;
    }
  }
}

TEST(Surroundings, ATextIsInUtcAndInTheOneCalendar) {
  Moments table({0, 23 * kHour, -kHour, 19'000 * kDay + 30'000'000}, "duckdb", 2);
  EXPECT_EQ(table.texts(),
            (std::vector<std::string>{"1970-01-01 00:00:00+00", "1970-01-01 23:00:00+00",
                                      "1969-12-31 23:00:00+00", "2022-01-08 00:00:30+00"}));
}

// Every setting that a value could be read by is what connection.cc says, and stays so.
TEST(Surroundings, SettingsAreThePinnedOnes) {
  GatheredLog log;
  std::setlocale(LC_ALL, "");
  tzset();
  auto connection = std::move(Connection::open(2, log.log()).value());
  ASSERT_TRUE(connection->lock({}, log.log()).has_value()) << log.said;
  const auto setting = [&](const std::string& name) {
    std::string value;
    auto done =
        connection->query("SELECT CAST(current_setting('" + name + "') AS VARCHAR)", log.log(),
                          [&](const Chunk& chunk) { value = column(chunk, 0).text(0); });
    EXPECT_TRUE(done.has_value()) << log.said;
    return value;
  };
  EXPECT_EQ(setting("TimeZone"), "UTC");
  EXPECT_EQ(setting("Calendar"), "gregorian");
  EXPECT_EQ(setting("default_collation"), "");
  EXPECT_EQ(setting("threads"), "2");
  for (const char* sql : {"SET TimeZone = 'America/New_York'", "SET Calendar = 'buddhist'",
                          "SET default_collation = 'NOCASE'", "RESET TimeZone"}) {
    EXPECT_FALSE(connection->query(sql, log.log()).has_value()) << sql;
  }
}

}  // namespace
}  // namespace discreet::engine::duckdb::surroundings_test
