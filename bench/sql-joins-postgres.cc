// SPDX-License-Identifier: Apache-2.0
// Nine of TPC-H's questions on a PostgreSQL, with customers as units: our time from a checked
// question to its exact, bounded integers, beside the server's own time for the same text. The
// driver (sql-joins-postgres.py) starts a server of its own and says where it is:
// DISCREET_BENCH_POSTGRES for the role that reads, DISCREET_BENCH_POSTGRES_OWNER for its owner.
#include <libpq-fe.h>

#include <filesystem>
#include <memory>
#include <string>

#include "bench.h"
#include "engine/open.h"
#include "session/exact_for_tests.h"

namespace discreet::sql_joins_postgres_bench {
namespace {

using bench::from_environment;

/// A plain connection.
class Server {
 public:
  explicit Server(const std::string& url) : connection_(PQconnectdb(url.c_str())) {
    if (PQstatus(connection_) != CONNECTION_OK) bench::fail(PQerrorMessage(connection_));
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server() { PQfinish(connection_); }

  int run(const std::string& sql) {
    PGresult* const done = PQexec(connection_, sql.c_str());
    const ExecStatusType status = PQresultStatus(done);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
      bench::fail(sql + "\n" + PQerrorMessage(connection_));
    }
    const int rows = PQntuples(done);
    PQclear(done);
    return rows;
  }

 private:
  PGconn* connection_;
};

/// The tables of shop_data(), with the types that a shop would have.
constexpr const char* kTables[] = {
    "customer (c_custkey bigint PRIMARY KEY, c_mktsegment text, c_nationkey integer, "
    "c_acctbal numeric(12,2))",
    "orders (o_orderkey bigint PRIMARY KEY, o_custkey bigint, o_orderdate date, "
    "o_orderpriority text, o_shippriority integer, o_totalprice numeric(12,2), o_comment text)",
    "lineitem (l_orderkey bigint, l_quantity integer, l_extendedprice numeric(12,2), "
    "l_discount numeric(4,2), l_tax numeric(4,2), l_returnflag text, l_linestatus text, "
    "l_shipdate date, l_commitdate date, l_receiptdate date, l_shipmode text, l_suppkey integer, "
    "l_partkey integer)",
    "supplier (s_suppkey integer, s_nationkey integer)",
    "part (p_partkey integer, p_type text)",
    "nation (n_nationkey integer, n_name text, n_regionkey integer)",
    "region (r_regionkey integer, r_name text)"};

void load() {
  const std::filesystem::path folder = bench::folder();  // where the server may read
  Server owner(from_environment("DISCREET_BENCH_POSTGRES_OWNER", ""));
  session::Plain made(":memory:");
  const int customers = bench::sized(50'000, 500);
  for (const std::string& statement : sql::shop_data(customers)) made.run(statement);
  for (const std::string table : kTables) {
    const std::string name = table.substr(0, table.find(' '));
    const std::string file = std::filesystem::absolute(folder / (name + ".csv")).string();
    made.run("COPY " + name + " TO '" + file + "' (HEADER FALSE)");
    owner.run("CREATE TABLE " + table);
    owner.run("COPY " + name + " FROM '" + file + "' (FORMAT csv)");
    owner.run("GRANT SELECT ON " + name + " TO reader");
    owner.run("ANALYZE " + name);
    std::filesystem::remove(file);
  }
}

struct World {
  policy::Policy policy;
  std::unique_ptr<engine::Engine> engine;
};

World open_world() {
  load();
  World out;
  out.policy = *policy::read_policy(sql::kShop, ".").policy;
  out.policy.engine = from_environment("DISCREET_BENCH_POSTGRES", "");
  for (auto& [name, table] : out.policy.tables) table.source = "public." + name;
  auto opened = engine::open_engine(out.policy, {});
  if (!opened) bench::fail(opened.error().message);
  out.engine = *std::move(opened);
  return out;
}

void run_ours(benchmark::State& state, World& world, const char* text) {
  const plan::Checked checked = session::shop_question(text, world.policy, *world.engine);
  for (auto _ : state) {
    if (!world.engine->run(checked, {})) bench::fail(text);
  }
}

void run_plain(benchmark::State& state, const char* text) {
  Server reader(from_environment("DISCREET_BENCH_POSTGRES", ""));
  for (auto _ : state) benchmark::DoNotOptimize(reader.run(text));
}

int run(const bench::Words& words) {
  World world = open_world();
  for (const sql::ShopQuestion& question : sql::kShopQuestions) {
    for (const bool is_ours : {false, true}) {  // close in time: other work hits both
      benchmark::RegisterBenchmark(
          (std::string(is_ours ? "ours/" : "plain/") + question.name).c_str(),
          [&world, &question, is_ours](benchmark::State& state) {
            is_ours ? run_ours(state, world, question.sql) : run_plain(state, question.sql);
          })
          ->UseRealTime()
          ->Unit(benchmark::kMillisecond);
    }
  }
  return bench::run_registered(words);
}

const bench::Benchmark kBenchmark("sql-joins-postgres", run);

}  // namespace
}  // namespace discreet::sql_joins_postgres_bench
