// SPDX-License-Identifier: Apache-2.0
#include "engine/duckdb/keyed.h"

#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "engine/duckdb/collisions_for_tests.h"
#include "engine/duckdb/dialect.h"
#include "engine/duckdb/files_for_tests.h"
#include "engine/duckdb/sources.h"
#include "engine/lowering/plan.h"
#include "engine/lowering/unique_keys.h"
#include "plan/relational_for_tests.h"

namespace discreet::engine::duckdb::keyed_test {
namespace {

using namespace plan;

constexpr Secret kOne{{1, 2}};
constexpr Secret kOther{{1, 3}};

class Hashes {
 public:
  explicit Hashes(const std::optional<Secret>& secret = kOne)
      : connection_(std::move(Connection::open(1, log_.log(), {}, secret).value())) {}

  /// One number or NULL (as ""), in DuckDB's words.
  std::string one(const std::string& select) {
    std::string out;
    auto done = connection_->query(
        "SELECT CAST((" + select + ") AS VARCHAR)", log_.log(), [&](const Chunk& chunk) {
          for (idx_t i = 0; i < duckdb_data_chunk_get_size(chunk.get()); ++i) {
            if (!column(chunk, 0).is_null(i)) out = column(chunk, 0).text(i);
          }
        });
    EXPECT_TRUE(done.has_value()) << select << log_.said;
    return out;
  }
  bool refuses(const std::string& select) { return !connection_->query(select, log_.log()); }

 private:
  GatheredLog log_;
  std::unique_ptr<Connection> connection_;
};

std::string bigint(std::uint64_t word) {
  return "CAST('" + std::to_string(static_cast<std::int64_t>(word)) + "' AS BIGINT)";
}

TEST(Keyed, TellsApartWhatDuckDbsHashDoesNot) {
  std::string tuples;
  for (std::uint64_t i = 0; i < 3'000; ++i) {
    tuples += (i == 0 ? "" : ", ") + ("(" + bigint(7) + "," + bigint(i) + "," +
                                      bigint(colliding(7, i)) + "," + bigint(crowded(i)) + ")");
  }
  const std::string from = " FROM (VALUES " + tuples + ") t(u, a, b, c)";
  Hashes hashes;
  const auto distinct = [&](const std::string& what) {
    return hashes.one("SELECT count(DISTINCT " + what + ")" + from);
  };
  ASSERT_EQ(distinct("hash(u, a, b)"), "1");
  EXPECT_EQ(distinct("hash(u, a, b, keyed(u, a, b))"), "3000");
  const std::string place = "(hash(X) % 1048576, hash(X) // 281474976710656)";
  const auto places = [&](const std::string& x) {
    std::string out = place;
    for (std::size_t at = 0; (at = out.find('X', at)) != out.npos;) out.replace(at, 1, x);
    return std::stoi(distinct(out));
  };
  ASSERT_EQ(places("c"), 1);
  EXPECT_GT(places("c, keyed(c)"), 2'990);
  EXPECT_GT(places("named(c)"), 2'990);
}

TEST(Keyed, IsAFunctionOfTheValuesAndOfTheSecret) {
  Hashes one, same, other(kOther), fresh(std::nullopt), fresher(std::nullopt);
  std::set<std::string> seen;
  for (const char* value :
       {"1::BIGINT", "2::BIGINT", "1::BIGINT, 1::BIGINT", "NULL::BIGINT", "1::HUGEINT",
        "TRUE, 5::BIGINT", "(-1)::HUGEINT", "170141183460469231731687303715884105727",
        "36893488147419103233::HUGEINT"}) {
    const std::string call = std::string("SELECT keyed(") + value + ")";
    EXPECT_EQ(one.one(call), same.one(call));
    EXPECT_NE(one.one(call), other.one(call));
    EXPECT_NE(fresh.one(call), fresher.one(call));
    EXPECT_TRUE(seen.insert(one.one(call)).second) << call;
  }
  for (const std::string value : {"''", "'a'", "'b'", "chr(0)", "repeat('a', 13)",
                                  "repeat('a', 100000)", "0::BIGINT", "(-1)::BIGINT"}) {
    const std::string call = "SELECT named(" + value + ")";
    EXPECT_EQ(one.one(call), same.one(call));
    EXPECT_NE(one.one(call), other.one(call));
    EXPECT_TRUE(seen.insert(one.one(call)).second) << call;
  }
  EXPECT_EQ(one.one("SELECT named(NULL::VARCHAR)"), "");
  EXPECT_EQ(one.one("SELECT named(NULL::BIGINT)"), "");
  const Hash128 hash = keyed_hash_wide(kOne, "a text of more than twelve bytes");
  EXPECT_EQ(one.one("SELECT named('a text of more than twelve bytes')"),
            discreet::to_string(static_cast<Int128>(Uint128{hash.high} << 64 | hash.low)));
  EXPECT_TRUE(one.refuses("SELECT keyed('text')"));
  EXPECT_TRUE(one.refuses("SELECT keyed(1.5)"));
  EXPECT_TRUE(one.refuses("SELECT named(1.5)"));
}

TEST(Keyed, ReadsNullsAndConstantsAmongOthers) {
  Hashes hashes;
  EXPECT_EQ(hashes.one("SELECT count(DISTINCT named(x)) FROM (SELECT CASE WHEN i % 3 = 0 THEN NULL "
                       "ELSE i % 100 END AS x FROM range(5000) r(i))"),
            hashes.one("SELECT count(DISTINCT x) FROM (SELECT CASE WHEN i % 3 = 0 THEN NULL "
                       "ELSE i % 100 END AS x FROM range(5000) r(i))"));
  EXPECT_EQ(hashes.one("SELECT count(DISTINCT keyed(CASE WHEN i % 3 = 0 THEN NULL ELSE i % 100 "
                       "END, 5::BIGINT)) FROM range(5000) r(i)"),
            "101");
}

/// The lines of a statement that group.
std::vector<std::string> groupings(const std::string& sql) {
  std::vector<std::string> lines;
  std::istringstream in(sql);
  for (std::string line; std::getline(in, line);) {
    const std::size_t at = line.find("GROUP BY");
    if (at != line.npos) lines.push_back(line.substr(at));
  }
  return lines;
}

// For every kind of column: a group's key, a distinct count, and what is grouped again.
TEST(Keyed, IsAmongTheKeysOfEveryGroupOfPeoplesRows) {
  ScratchFolder folder;
  policy::Policy there = clinic();
  write_clinic(folder, "parquet", {}, there);
  GatheredLog log;
  auto connection = std::move(Connection::open(1, log.log(), {}, kOne).value());
  const auto schemas = open_sources(*connection, there, log.log());
  ASSERT_TRUE(schemas.has_value()) << log.said;
  int numbers = 0;
  int texts = 0;
  for (const policy::Column& key : there.tables["visits"].columns) {
    if (!key.may_group || !key.may_aggregate) continue;
    Part part{from("visits"), {}, {identifier("patient_id", "patient_id"), value(key.name)}};
    part.grouped = true;
    part.fields.push_back(fold("n", Fold::kDistinct, col(key.name), Grid{0, 9, 1}));
    Plan plan;
    plan.source = {{subquery({part})}};
    plan.measurements = {measurement(MeasureKind::kRows, col("n"))};
    auto checked = Checker::check(plan, there, "q");
    if (!checked) continue;
    const std::string sql = lower_plan(*checked, dialect(), *schemas).print();
    const auto lines = groupings(sql);
    ASSERT_FALSE(lines.empty()) << sql;
    for (const std::string& line : lines) {
      if (key.type == policy::Type::kBoolean) {
        EXPECT_EQ(line.find("keyed("), line.npos) << line;
      } else if (key.type == policy::Type::kText) {
        ++texts;
        EXPECT_NE(line.find("named("), line.npos) << sql;
        EXPECT_NE(sql.find("count(DISTINCT named("), sql.npos) << sql;
      } else {
        ++numbers;
        EXPECT_NE(line.find("keyed("), line.npos) << sql;
        EXPECT_NE(sql.find("count(DISTINCT named("), sql.npos) << sql;
      }
    }
  }
  EXPECT_GE(numbers, 5);
  EXPECT_GE(texts, 2);
}

// A place in a join's hash table is of all its conditions.
TEST(Keyed, IsAmongTheConditionsOfEveryJoinAlongIds) {
  ScratchFolder folder;
  policy::Policy there = clinic();
  write_clinic(folder, "parquet", {}, there);
  GatheredLog log;
  auto connection = std::move(Connection::open(1, log.log(), {}, kOne).value());
  const auto schemas = open_sources(*connection, there, log.log());
  ASSERT_TRUE(schemas.has_value()) << log.said;
  const auto lowered = [&](Source source, bool few_rows) {
    const auto checked = Checker::check(count_plan(std::move(source)), there, "q");
    EXPECT_TRUE(checked.has_value());
    return *lower_plan(*checked, {.few_rows = few_rows}, dialect(), *schemas).bounded;
  };
  const auto plan_of = [&](const lowering::BoundedRun& run) {
    std::string text;
    EXPECT_TRUE(connection
                    ->query("EXPLAIN " + run.rows.print(), log.log(),
                            [&](const Chunk& chunk) { text += column(chunk, 1).text(0); })
                    .has_value())
        << log.said;
    return text;
  };
  const auto labs = [](JoinKind join) {
    return subquery({Part{from("labs"), {}, {identifier("visit_id", "visit_id"), value("value")}}},
                    {{0, "id", "visit_id"}}, join);
  };
  TableUse above = labs(JoinKind::kSemi);
  above.condition = Expr::of(Op::kLess, {col("value", 1), col("age", 0)});
  const std::string of_visits = "(keyed(CAST(\"t0\".\"id\" AS BIGINT)) = ";
  const std::string of_labs = of_visits + "keyed(\"t1\".\"f0\"))";
  const struct {
    Source source;
    std::string how;
    std::string spread;
  } cases[] = {
      {from("labs"), "JOIN",
       "(keyed(CAST(\"t0\".\"visit_id\" AS BIGINT)) = keyed(CAST(\"u0\".\"id\" AS BIGINT)))"},
      {{{{"visits", "v", {}}, {"labs", "l", {{0, "id", "visit_id"}}}}},
       "JOIN",
       of_visits + "keyed(CAST(\"t1\".\"visit_id\" AS BIGINT)))"},
      {{{{"visits", "v", {}}, labs(JoinKind::kSemi)}}, "SEMI JOIN", of_labs},
      {{{{"visits", "v", {}}, labs(JoinKind::kAnti)}}, "ANTI JOIN", of_labs},
      {{{{"visits", "v", {}}, above}}, "SEMI JOIN", of_labs},
  };
  for (const auto& one : cases) {
    const auto spread = lowered(one.source, false);
    const std::string sql = spread.rows.print();
    EXPECT_NE(sql.find("\n" + one.how), sql.npos) << sql;
    EXPECT_NE(sql.find(one.spread), sql.npos) << sql;
    // Tables of the outer rows' columns alone would not be spread.
    const std::string plan = plan_of(spread);
    EXPECT_NE(plan.find("keyed("), plan.npos) << plan;
    EXPECT_EQ(plan.find("DELIM"), plan.npos) << plan;
    const std::string few = lowered(one.source, true).rows.print();
    EXPECT_EQ(few.find("keyed("), few.npos) << few;
    EXPECT_EQ(few.find("EXISTS") != few.npos, one.how != "JOIN") << few;
  }
  // One person's rows have one unit.
  const std::string sql = lowered(visits_and_patients(), false).rows.print();
  EXPECT_EQ(sql.find("keyed("), sql.npos) << sql;
}

// Nor is what is learned of the tables (Engine::facts) a join along ids alone.
TEST(Keyed, IsAmongTheConditionsOfWhatIsAskedOfTablesFirst) {
  ScratchFolder folder;
  policy::Policy there = clinic();
  write_clinic(folder, "parquet", {}, there);
  GatheredLog log;
  auto connection = std::move(Connection::open(1, log.log(), {}, kOne).value());
  const auto schemas = open_sources(*connection, there, log.log());
  ASSERT_TRUE(schemas.has_value()) << log.said;
  for (const lowering::Select& select :
       {lowering::most_and_nobody("labs", there, dialect(), *schemas),
        lowering::units_above("labs", 5, there, dialect(), *schemas),
        lowering::unique_keys(there, dialect(), *schemas).at(0).most}) {
    EXPECT_NE(select.print().find("keyed("), std::string::npos) << select.print();
    EXPECT_TRUE(connection->query(select.print(), log.log()).has_value()) << log.said;
  }
}

}  // namespace
}  // namespace discreet::engine::duckdb::keyed_test
