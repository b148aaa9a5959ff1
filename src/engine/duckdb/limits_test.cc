// SPDX-License-Identifier: Apache-2.0
#include "engine/duckdb/limits.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>

#include "engine/duckdb/dialect.h"
#include "engine/duckdb/files_for_tests.h"
#include "engine/duckdb/run.h"
#include "engine/duckdb/sources.h"
#include "engine/questions_for_tests.h"

namespace discreet::engine::duckdb::limits_test {
namespace {

TEST(Limits, AreReadFromTheEngineOfAPolicy) {
  EXPECT_TRUE(parse_limits("duckdb")->endless());
  EXPECT_TRUE(parse_limits("postgres://h/d?memory=1")->endless());
  const Limits all = parse_limits("duckdb?memory=4GB&spill=/tmp&duckdb_spill=/var/tmp").value();
  EXPECT_EQ(all.memory, std::size_t{4} << 30);
  EXPECT_EQ(all.spill, "/tmp");
  EXPECT_EQ(all.duckdb_spill, "/var/tmp");
  EXPECT_EQ(parse_limits("duckdb?memory=256MB")->duckdb_spill, "");
  for (const char* wrong :
       {"duckdb?", "duckdb?memory", "duckdb?memory=", "duckdb?memory=4", "duckdb?memory=-4GB",
        "duckdb?memory=255MB", "duckdb?memory=99999999999999GB", "duckdb?memory=1.5GB",
        "duckdb?spill=/tmp", "duckdb?memory=1GB&spill=tmp", "duckdb?memory=1GB&spill=/nowhere/x",
        "duckdb?memory=1GB&threads=3", "duckdb?memory=1GB&&"}) {
    const auto limits = parse_limits(wrong);
    ASSERT_FALSE(limits.has_value()) << wrong;
    EXPECT_EQ(limits.error().code, Code::kInvalidInput);
    EXPECT_TRUE(limits.error().message.find("memory=4GB") != std::string::npos ||
                limits.error().message.find("spill=FOLDER") != std::string::npos)
        << limits.error().message;
  }
}

TEST(TemporaryFolder, IsPrivateAndGoneAndCleansUpAfterTheDead) {
  const ScratchFolder place;
  std::filesystem::create_directory(place / "discreet-duckdb-dead");
  std::ofstream(place / "discreet-duckdb-dead/rows.tmp") << "left behind";
  std::filesystem::create_directory(place / "other");
  {
    const TemporaryFolder one = TemporaryFolder::make(place.path()).value();
    EXPECT_FALSE(std::filesystem::exists(place / "discreet-duckdb-dead"));
    EXPECT_EQ(std::filesystem::status(one.path()).permissions(), std::filesystem::perms::owner_all);
    const TemporaryFolder two = TemporaryFolder::make(place.path()).value();
    EXPECT_TRUE(std::filesystem::exists(one.path()));  // in use
    EXPECT_NE(one.path(), two.path());
  }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(place.path()), {}), 1);
  EXPECT_TRUE(std::filesystem::exists(place / "other"));
  EXPECT_FALSE(TemporaryFolder::make("/nowhere").has_value());
}

/// 3,000,000 rows of 200,000 people, in a file.
struct Many {
  Many() {
    auto writer = std::move(Connection::open(2, {}).value());
    must(*writer, "COPY (SELECT i % 200000 AS u, i % 101 AS x FROM range(3000000) r(i)) TO " +
                      quote_text(folder / "t.parquet"));
    policy.units["people"].name = "people";
    policy.directory = folder.path();
    policy::Table table;
    table.name = "t";
    table.source = "t.parquet";
    table.unit = policy::UnitPath{"people", {}, "u", false};
    table.columns = {column_of("x", Type::kInteger, Grid{0, 100, 1})};
    policy.tables["t"] = table;
  }
  Result<mechanism::Groups> ask(Limits limits, GatheredLog& log) {
    auto connection = std::move(Connection::open(2, log.log(), std::move(limits)).value());
    auto schemas = open_sources(*connection, policy, log.log());
    Plan plan;
    plan.source.tables = {{"t", "", {}}};
    plan.bounds = {1, 4, true};
    plan.measurements = {measurement(MeasureKind::kRows), measurement(MeasureKind::kSum, col("x"))};
    const auto checked = Checker::check(plan, policy, "q");
    return run_lowered(*connection, lowering::lower_plan(*checked, dialect(), *schemas), 2, kSecret,
                       log.log());
  }
  Limits limits() const { return {std::size_t{64} << 20, folder.path(), ""}; }

  ScratchFolder folder;
  policy::Policy policy;
};

// 48 MB of rows in 32: the same bits, and nothing stays behind.
TEST(Limits, ChangeNoBitOfAnAnswer) {
  Many many;
  GatheredLog log;
  const auto endless = many.ask({}, log);
  const auto limited = many.ask(many.limits(), log);
  ASSERT_TRUE(endless.has_value() && limited.has_value()) << log.said;
  EXPECT_EQ(shown(*limited), shown(*endless));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(many.folder.path()), {}), 1);
}

// A disk that is full is a reason of the world: a constant text, and words for the owner.
TEST(Limits, OfADiskGiveTheOneError) {
  Many many;
  GatheredLog log;
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit now{1 << 20, before.rlim_max};
  auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &now);
  const auto answer = many.ask(many.limits(), log);
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().message, engine_failed().message);
  EXPECT_NE(log.said.find("could not be written to disk"), std::string::npos) << log.said;
}

// DuckDB keeps its part of the limit, and writes only where it was told to.
TEST(Limits, HoldForDuckDbItself) {
  const ScratchFolder folder;
  const std::string grouping =
      "SELECT count(*) FROM (SELECT CAST(hash(i) AS VARCHAR) AS k, sum(i) FROM range(2000000) r(i) "
      "GROUP BY k)";
  for (const bool may_spill : {false, true}) {
    GatheredLog log;
    auto connection = std::move(
        Connection::open(2, log.log(),
                         {std::size_t{64} << 20, folder.path(), may_spill ? folder.path() : ""})
            .value());
    ASSERT_TRUE(connection->lock({}, log.log()).has_value()) << log.said;
    const auto done = connection->query(grouping, log.log());
    EXPECT_EQ(done.has_value(), may_spill) << log.said;
    EXPECT_FALSE(connection->query("SET memory_limit = '9GB'", log.log()).has_value());
    EXPECT_FALSE(connection->query("SET temp_directory = '/tmp'", log.log()).has_value());
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace discreet::engine::duckdb::limits_test
