// SPDX-License-Identifier: Apache-2.0
// A policy for a shop's orders shaped like TPC-H, with customers as units: suppliers, parts and
// places are public.
#pragma once

#include <string>
#include <vector>

namespace discreet::sql {

inline constexpr const char* kShop = R"(version: 1
engine: duckdb
snapshot: 2026-11
units:
  customers: {budget: {epsilon: 10, delta: 1e-6}}
tables:
  customer:
    source: customer.parquet
    unit: {namespace: customers, column: c_custkey}
    columns:
      c_mktsegment: {type: text, values: [AUTOMOBILE, BUILDING, FURNITURE, MACHINERY, HOUSEHOLD]}
      c_nationkey:  {type: integer, range: [0, 24]}
      c_acctbal:    {type: decimal, range: [-1000, 10000], step: 0.01}
  orders:
    source: orders.parquet
    unit: {namespace: customers, column: o_custkey}
    bounds: {groups_per_unit: 5, rows_per_unit_and_group: 20}
    columns:
      o_orderkey:      {type: integer}
      o_orderdate:     {type: date, range: [1992-01-01, 1998-12-31]}
      o_orderpriority: {type: text, values: [1-URGENT, 2-HIGH, 3-MEDIUM, 4-NOT SPECIFIED, 5-LOW]}
      o_shippriority:  {type: integer, range: [0, 1]}
      o_totalprice:    {type: decimal, range: [0, 600000], step: 0.01}
      o_comment:       {type: text}
  lineitem:
    source: lineitem.parquet
    unit: {namespace: customers, path: [lineitem.l_orderkey -> orders.o_orderkey, orders.o_custkey]}
    bounds: {groups_per_unit: 7, rows_per_unit_and_group: 60}
    columns:
      l_quantity:      {type: integer, range: [0, 50]}
      l_extendedprice: {type: decimal, range: [0, 105000], step: 0.01}
      l_discount:      {type: decimal, range: [0, 0.1], step: 0.01}
      l_tax:           {type: decimal, range: [0, 0.08], step: 0.01}
      l_returnflag:    {type: text, values: [A, N, R]}
      l_linestatus:    {type: text, values: [F, O]}
      l_shipdate:      {type: date, range: [1992-01-01, 1998-12-31]}
      l_commitdate:    {type: date, range: [1992-01-01, 1998-12-31]}
      l_receiptdate:   {type: date, range: [1992-01-01, 1998-12-31]}
      l_shipmode:      {type: text, values: [AIR, FOB, MAIL, RAIL, REG AIR, SHIP, TRUCK]}
      l_suppkey:       {type: integer}
      l_partkey:       {type: integer}
public:
  supplier:
    source: supplier.parquet
    columns: {s_suppkey: {type: integer}, s_nationkey: {type: integer, range: [0, 24]}}
  part:
    source: part.parquet
    columns: {p_partkey: {type: integer}, p_type: {type: text}}
  nation:
    source: nation.parquet
    columns:
      n_nationkey: {type: integer, range: [0, 24]}
      n_name:      {type: text, values: [CHINA, INDIA, INDONESIA, JAPAN, VIETNAM, GERMANY, FRANCE]}
      n_regionkey: {type: integer, range: [0, 4]}
  region:
    source: region.parquet
    columns: {r_regionkey: {type: integer, range: [0, 4]}, r_name: {type: text}}
)";

struct ShopQuestion {
  const char* name;
  const char* sql;
};

/// What the joins, counts and sums of nine of TPC-H's questions become when no customer may be
/// told: what would show one customer or order is summed instead.
inline constexpr ShopQuestion kShopQuestions[] = {
    {"Q1", R"(SELECT l_returnflag, l_linestatus, SUM(l_quantity) AS sum_qty,
       SUM(l_extendedprice) AS sum_base_price,
       SUM(l_extendedprice * (1 - l_discount)) AS sum_disc_price,
       SUM(l_extendedprice * (1 - l_discount) * (1 + l_tax)) AS sum_charge,
       AVG(l_quantity) AS avg_qty, AVG(l_discount) AS avg_disc, COUNT(*) AS count_order
FROM lineitem WHERE l_shipdate <= DATE '1998-12-01' - INTERVAL '90' DAY
GROUP BY l_returnflag, l_linestatus ORDER BY l_returnflag, l_linestatus)"},
    {"Q3", R"(SELECT SUM(l_extendedprice * (1 - l_discount)) AS revenue
FROM customer, orders, lineitem
WHERE c_mktsegment = 'BUILDING' AND c_custkey = o_custkey AND l_orderkey = o_orderkey
  AND o_orderdate < DATE '1995-03-15' AND l_shipdate > DATE '1995-03-15')"},
    {"Q4", R"(SELECT o_orderpriority, COUNT(*) AS order_count FROM orders
WHERE o_orderdate >= DATE '1993-07-01' AND o_orderdate < DATE '1993-07-01' + INTERVAL '3' MONTH
  AND EXISTS (SELECT * FROM lineitem
              WHERE l_orderkey = o_orderkey AND l_commitdate < l_receiptdate)
GROUP BY o_orderpriority ORDER BY o_orderpriority)"},
    {"Q5", R"(SELECT n_name, SUM(l_extendedprice * (1 - l_discount)) AS revenue
FROM customer, orders, lineitem, supplier, nation, region
WHERE c_custkey = o_custkey AND l_orderkey = o_orderkey AND l_suppkey = s_suppkey
  AND c_nationkey = s_nationkey AND s_nationkey = n_nationkey AND n_regionkey = r_regionkey
  AND r_name = 'ASIA' AND o_orderdate >= DATE '1994-01-01'
  AND o_orderdate < DATE '1994-01-01' + INTERVAL '1' YEAR
GROUP BY n_name ORDER BY revenue DESC)"},
    {"Q6", R"(SELECT SUM(l_extendedprice * l_discount) AS revenue FROM lineitem
WHERE l_shipdate >= DATE '1994-01-01' AND l_shipdate < DATE '1994-01-01' + INTERVAL '1' YEAR
  AND l_discount BETWEEN 0.06 - 0.01 AND 0.06 + 0.01 AND l_quantity < 24)"},
    {"Q10", R"(SELECT n_name, SUM(l_extendedprice * (1 - l_discount)) AS revenue
FROM customer, orders, lineitem, nation
WHERE c_custkey = o_custkey AND l_orderkey = o_orderkey AND o_orderdate >= DATE '1993-10-01'
  AND o_orderdate < DATE '1993-10-01' + INTERVAL '3' MONTH AND l_returnflag = 'R'
  AND c_nationkey = n_nationkey
GROUP BY n_name ORDER BY revenue DESC LIMIT 20)"},
    {"Q12", R"(SELECT l_shipmode,
       SUM(CASE WHEN o_orderpriority = '1-URGENT' OR o_orderpriority = '2-HIGH'
                THEN 1 ELSE 0 END) AS high_line_count,
       SUM(CASE WHEN o_orderpriority <> '1-URGENT' AND o_orderpriority <> '2-HIGH'
                THEN 1 ELSE 0 END) AS low_line_count
FROM orders, lineitem
WHERE o_orderkey = l_orderkey AND l_shipmode IN ('MAIL', 'SHIP') AND l_commitdate < l_receiptdate
  AND l_shipdate < l_commitdate AND l_receiptdate >= DATE '1994-01-01'
  AND l_receiptdate < DATE '1994-01-01' + INTERVAL '1' YEAR
GROUP BY l_shipmode ORDER BY l_shipmode)"},
    {"Q13", R"(SELECT c_count, COUNT(*) AS custdist
FROM (SELECT c_custkey, COUNT(o_orderkey)
      FROM customer LEFT OUTER JOIN orders
        ON c_custkey = o_custkey AND o_comment NOT LIKE '%special%requests%'
      GROUP BY c_custkey) AS c_orders (c_custkey, c_count)
GROUP BY c_count ORDER BY custdist DESC, c_count DESC)"},
    {"Q14", R"(SELECT 100.00 * SUM(CASE WHEN p_type LIKE 'PROMO%'
                         THEN l_extendedprice * (1 - l_discount) ELSE 0 END)
       / SUM(l_extendedprice * (1 - l_discount)) AS promo_revenue
FROM lineitem, part
WHERE l_partkey = p_partkey AND l_shipdate >= DATE '1995-09-01'
  AND l_shipdate < DATE '1995-09-01' + INTERVAL '1' MONTH)"},
};

/// The statements that make a shop of so many customers, from hashes, so that it is the same
/// everywhere: 10 orders for each, 4 lines for an order; a quarter of them never ordered.
inline std::vector<std::string> shop_data(int customers) {
  std::vector<std::string> statements = {
      "CREATE TABLE customer AS SELECT CAST(i AS BIGINT) AS c_custkey, (['AUTOMOBILE', "
      "'BUILDING', 'FURNITURE', 'MACHINERY', 'HOUSEHOLD'])[CAST(1 + hash(i, 1) % 2 AS "
      "INTEGER)] AS c_mktsegment, CAST(hash(i, 2) % 7 AS INTEGER) AS c_nationkey, "
      "CAST((hash(i, 3) % 1000000) / 100.0 - 900 AS DECIMAL(12, 2)) AS c_acctbal FROM "
      "range(@c) r(i)",
      "CREATE TABLE orders AS SELECT CAST(i AS BIGINT) AS o_orderkey, CAST(hash(i, 4) % (@c *"
      " 3 // 4) AS BIGINT) AS o_custkey, DATE '1992-01-01' + CAST(hash(i, 5) % 1500 AS "
      "INTEGER) AS o_orderdate, (['1-URGENT', '2-HIGH', '3-MEDIUM', '4-NOT SPECIFIED', "
      "'5-LOW'])[CAST(1 + hash(i, 6) % 5 AS INTEGER)] AS o_orderpriority, CAST(hash(i, 7) % 2"
      " AS INTEGER) AS o_shippriority, CAST((hash(i, 8) % 5000000) / 100.0 AS DECIMAL(12, 2))"
      " AS o_totalprice, (['quick', 'special handling requests', 'fine', NULL])[CAST(1 + "
      "hash(i, 9) % 4 AS INTEGER)] AS o_comment FROM range(@c * 10) r(i)",
      "CREATE TABLE lineitem AS SELECT CAST(hash(i, 10) % (@c * 10) AS BIGINT) AS l_orderkey,"
      " CAST(1 + hash(i, 11) % 50 AS INTEGER) AS l_quantity, CAST((hash(i, 12) % 10000000) / "
      "100.0 AS DECIMAL(12, 2)) AS l_extendedprice, CAST((hash(i, 13) % 11) / 100.0 AS "
      "DECIMAL(4, 2)) AS l_discount, CAST((hash(i, 14) % 9) / 100.0 AS DECIMAL(4, 2)) AS "
      "l_tax, (['A', 'N', 'R'])[CAST(1 + hash(i, 15) % 3 AS INTEGER)] AS l_returnflag, (['F',"
      " 'O'])[CAST(1 + hash(i, 16) % 2 AS INTEGER)] AS l_linestatus, DATE '1992-01-01' + "
      "CAST(hash(i, 17) % 1600 AS INTEGER) AS l_shipdate, DATE '1992-01-01' + CAST(hash(i, "
      "18) % 1600 AS INTEGER) AS l_commitdate, DATE '1992-01-01' + CAST(hash(i, 19) % 1600 AS"
      " INTEGER) AS l_receiptdate, (['AIR', 'FOB', 'MAIL', 'RAIL', 'REG AIR', 'SHIP', "
      "'TRUCK'])[CAST(1 + hash(i, 20) % 7 AS INTEGER)] AS l_shipmode, CAST(hash(i, 21) % 20 "
      "AS INTEGER) AS l_suppkey, CAST(hash(i, 22) % 30 AS INTEGER) AS l_partkey FROM range(@c"
      " * 40) r(i)",
      "CREATE TABLE supplier AS SELECT CAST(i AS INTEGER) AS s_suppkey, CAST(i % 7 AS "
      "INTEGER) AS s_nationkey FROM range(20) r(i)",
      "CREATE TABLE part AS SELECT CAST(i AS INTEGER) AS p_partkey, CASE WHEN i % 3 = 0 THEN "
      "'PROMO TIN' ELSE 'SMALL TIN' END AS p_type FROM range(30) r(i)",
      "CREATE TABLE nation AS SELECT CAST(i AS INTEGER) AS n_nationkey, (['CHINA', 'INDIA', "
      "'INDONESIA', 'JAPAN', 'VIETNAM', 'GERMANY', 'FRANCE'])[CAST(1 + i AS INTEGER)] AS "
      "n_name, CAST(i // 5 AS INTEGER) AS n_regionkey FROM range(7) r(i)",
      "CREATE TABLE region AS SELECT CAST(i AS INTEGER) AS r_regionkey, (['ASIA', "
      "'EUROPE'])[CAST(1 + i AS INTEGER)] AS r_name FROM range(2) r(i)",
  };
  for (std::string& statement : statements) {
    for (std::size_t at = 0; (at = statement.find("@c", at)) != std::string::npos;) {
      statement.replace(at, 2, std::to_string(customers));
    }
  }
  return statements;
}

}  // namespace discreet::sql
