// SPDX-License-Identifier: Apache-2.0
// The same text, asked to us without noise and without bounds that cut, and to DuckDB itself: nine
// of TPC-H's questions, and subqueries of every kind. Parser, binder, lowering and post-processing
// together must give what SQL means.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "engine/duckdb/files_for_tests.h"
#include "session/exact_for_tests.h"

namespace discreet::session::same_text_test {
namespace {

using engine::duckdb::ScratchFolder;

const char* const kMore[] = {
    "SELECT AVG(n) FROM (SELECT o_custkey, COUNT(*) AS n FROM orders GROUP BY o_custkey) t",
    "SELECT n, COUNT(*) FROM (SELECT c_custkey, COUNT(o_orderkey) AS n FROM customer LEFT JOIN "
    "orders ON c_custkey = o_custkey GROUP BY c_custkey) t GROUP BY n",
    "SELECT COUNT(*), SUM(o_totalprice) FROM orders RIGHT JOIN customer ON c_custkey = o_custkey",
    "SELECT COUNT(*) FROM customer WHERE NOT EXISTS (SELECT 1 FROM orders WHERE o_custkey = "
    "c_custkey AND o_totalprice > 20000)",
    "SELECT COUNT(*) FROM customer c WHERE EXISTS (SELECT 1 FROM orders o JOIN lineitem l ON "
    "l.l_orderkey = o.o_orderkey WHERE o.o_custkey = c.c_custkey AND l.l_extendedprice > "
    "c.c_acctbal * 9)",
    "SELECT c_mktsegment, COUNT(*) FROM orders JOIN customer ON o_custkey = c_custkey WHERE "
    "o_custkey IN (SELECT c_custkey FROM customer WHERE c_acctbal > 0) GROUP BY c_mktsegment",
    "SELECT COUNT(*) FROM lineitem WHERE l_suppkey IN (SELECT s_suppkey FROM supplier WHERE "
    "s_nationkey < 3)",
    "WITH often AS (SELECT o_custkey, COUNT(*) AS n, SUM(o_totalprice) AS total FROM orders GROUP "
    "BY o_custkey HAVING COUNT(*) > 5) SELECT COUNT(*), SUM(total), SUM(n * 2 + 1) FROM often",
    "SELECT SUM(price), COUNT(*) FROM (SELECT o_custkey, o_totalprice AS price FROM orders WHERE "
    "o_shippriority = 1 UNION ALL SELECT c_custkey, c_acctbal FROM customer UNION ALL SELECT "
    "o_custkey, l_quantity FROM lineitem JOIN orders ON l_orderkey = o_orderkey) t",
    "SELECT l_shipmode, COUNT(*) FROM (SELECT DISTINCT l_orderkey, l_shipmode FROM lineitem) t "
    "GROUP BY l_shipmode",
    "SELECT COUNT(*) FROM lineitem a JOIN lineitem b ON a.l_orderkey = b.l_orderkey WHERE "
    "a.l_quantity < b.l_quantity",
    "SELECT SUM(q), SUM(lo), SUM(hi), SUM(d) FROM (SELECT l_orderkey, AVG(l_quantity) AS q, "
    "MIN(l_quantity) AS lo, MAX(l_extendedprice) AS hi, COUNT(DISTINCT l_shipmode) AS d FROM "
    "lineitem WHERE l_discount > 0.02 GROUP BY l_orderkey) t",
    "SELECT n_name, COUNT(*) FROM customer LEFT JOIN (SELECT n_nationkey AS k, n_name FROM nation "
    "WHERE n_nationkey < 5) n ON c_nationkey = k GROUP BY n_name",
    "SELECT COUNT(*), SUM(a.o_totalprice) FROM orders a JOIN orders b ON a.o_orderdate = "
    "b.o_orderdate",
    "SELECT SUM(GREATEST(l_quantity, 20)), SUM(LEAST(l_discount, l_tax)) FROM lineitem WHERE "
    "l_shipdate + INTERVAL '2 weeks' < DATE '1996-02-29' - INTERVAL '1 year'",
    "SELECT o_orderpriority, COUNT(DISTINCT o_custkey) FILTER (WHERE o_totalprice > 25000), "
    "COUNT(*) FROM orders GROUP BY o_orderpriority",
};

void compare(const std::string& text, Ours& ours, Plain& plain) {
  std::vector<bool> is_key;
  const Table mine = ours.run(text, is_key);
  const Table theirs = plain.run(text, is_key);
  EXPECT_FALSE(theirs.empty()) << text;
  double size = 0;
  for (const auto& [key, numbers] : theirs) {
    const auto found = mine.find(key);
    ASSERT_NE(found, mine.end()) << text << "\n" << key;
    // Where noise would need more than the mechanisms' range, steps are coarser than declared.
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      size += std::abs(numbers[i].value);
      EXPECT_NEAR(found->second[i].value, numbers[i].value,
                  1e-6 * std::abs(numbers[i].value) + 1e-6)
          << text << "\n"
          << key << " column " << i;
    }
  }
  EXPECT_GT(size, 0) << text;
  for (const auto& [key, numbers] : mine) {
    if (theirs.contains(key)) continue;
    EXPECT_EQ(numbers.back().value, 0) << text << "\n" << key;  // a listed key that has no rows
  }
}

TEST(SameText, GivesWhatDuckDbGives) {
  const ScratchFolder folder;
  {
    Plain writer(folder / "shop.duckdb");
    for (const std::string& statement : sql::shop_data(80)) writer.run(statement);
  }
  const policy::Policy policy = shop(folder.path());
  // Ours reads a copy: DuckDB opens a file once in a process.
  std::filesystem::copy_file(folder / "shop.duckdb", folder / "plain.duckdb");
  Ours ours(policy, Ours::Bounds::kCutNothing);
  Plain plain(folder / "plain.duckdb");
  for (const sql::ShopQuestion& question : sql::kShopQuestions) {
    compare(question.sql, ours, plain);
  }
  for (const char* const text : kMore) compare(text, ours, plain);
}

}  // namespace
}  // namespace discreet::session::same_text_test
