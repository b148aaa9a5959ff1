// SPDX-License-Identifier: Apache-2.0
// Questions over TPC-H in a Trino cluster with customers as units, beside the same questions
// without privacy, asked to the same cluster. DISCREET_TRINO names the cluster's folder
// (tests/trino.sh). How DuckDB grows with the rows is measured by `bench sql`; bench/scale.py runs
// both. With DISCREET_BENCH_POSTGRES, a server that has the table visits of `bench sql`, one
// question is asked there instead.
#include <unistd.h>

#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <sstream>
#include <string>

#include "bench.h"
#include "engine/open.h"
#include "engine/trino/client.h"
#include "plan/checker.h"
#include "policy/policy.h"
#include "sql/query.h"

namespace discreet::scale_bench {
namespace {

using bench::fail;

std::string folder() { return bench::from_environment("DISCREET_TRINO", "build/trino"); }

/// Seconds of processor time that the cluster's three processes have taken, their compiling and
/// collecting included: it does not grow when the machine is busy with other work.
double cluster_seconds() {
  double ticks = 0;
  for (const char* node : {"coordinator", "worker1", "worker2"}) {
    std::string pid;
    std::ifstream(folder() + "/" + node + "/pid") >> pid;
    std::ifstream file("/proc/" + pid + "/stat");
    std::string words((std::istreambuf_iterator<char>(file)), {});
    std::istringstream rest(words.substr(std::min(words.rfind(')') + 1, words.size())));
    std::string skipped;
    for (int i = 0; i < 11; ++i) rest >> skipped;
    double user = 0;
    double system = 0;
    rest >> user >> system;
    ticks += user + system;
  }
  return ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
}

std::string engine_url() {
  std::ifstream file(folder() + "/port");
  std::string port;
  if (!std::getline(file, port)) fail("no cluster; ./dev bench scale starts one");
  return "trino://bench@127.0.0.1:" + port + "?tls=no";
}

std::string schema() { return bench::sized("tpch.sf1", "tpch.tiny"); }

std::string policy_text() {
  return "version: 1\nengine: " + engine_url() +
         "\nsnapshot: 2026-11\n"
         "units:\n"
         "  customers: {budget: {epsilon: 10, delta: 1e-6}}\n"
         "tables:\n"
         "  customer:\n"
         "    source: " +
         schema() +
         ".customer\n"
         "    unit: {namespace: customers, column: custkey}\n"
         "    columns:\n"
         "      mktsegment: {type: text, values: [AUTOMOBILE, BUILDING, FURNITURE, MACHINERY, "
         "HOUSEHOLD]}\n"
         "  orders:\n"
         "    source: " +
         schema() +
         ".orders\n"
         "    unit: {namespace: customers, column: custkey}\n"
         "    bounds: {groups_per_unit: 5, rows_per_unit_and_group: 20}\n"
         "    columns:\n"
         "      orderkey:      {type: integer}\n"
         "      orderdate:     {type: date, range: [1992-01-01, 1998-12-31]}\n"
         "      orderpriority: {type: text, values: [1-URGENT, 2-HIGH, 3-MEDIUM, 4-NOT SPECIFIED, "
         "5-LOW]}\n"
         "      totalprice:    {type: decimal, range: [0, 600000], step: 1}\n"
         "  lineitem:\n"
         "    source: " +
         schema() +
         ".lineitem\n"
         "    unit: {namespace: customers, path: [lineitem.orderkey -> orders.orderkey, "
         "orders.custkey]}\n"
         "    bounds: {groups_per_unit: 7, rows_per_unit_and_group: 60}\n"
         "    columns:\n"
         "      quantity:      {type: integer, range: [0, 50]}\n"
         "      extendedprice: {type: decimal, range: [0, 105000], step: 1}\n"
         "      returnflag:    {type: text, values: [A, N, R]}\n"
         "      shipdate:      {type: date, range: [1992-01-01, 1998-12-31]}\n";
}

struct Question {
  const char* name;
  const char* text;
  const char* plain;  ///< with {} for the schema; sums of doubles as text, which the client reads
};

constexpr Question kQuestions[] = {
    {"orders, counted by priority",
     "SELECT orderpriority, COUNT(*) FROM orders GROUP BY orderpriority",
     "SELECT orderpriority, count(*) FROM {}.orders GROUP BY orderpriority"},
    {"orders, prices by priority",
     "SELECT orderpriority, COUNT(*), SUM(totalprice) FROM orders GROUP BY orderpriority",
     "SELECT orderpriority, count(*), CAST(sum(totalprice) AS VARCHAR) FROM {}.orders GROUP BY "
     "orderpriority"},
    {"lines with their orders, counted by flag",
     "SELECT returnflag, COUNT(*) FROM lineitem JOIN orders ON lineitem.orderkey = orders.orderkey "
     "GROUP BY returnflag",
     "SELECT returnflag, count(*) FROM {}.lineitem l JOIN {}.orders o ON l.orderkey = o.orderkey "
     "GROUP BY returnflag"},
    {"lines with their orders, prices by flag",
     "SELECT returnflag, SUM(extendedprice) FROM lineitem JOIN orders ON lineitem.orderkey = "
     "orders.orderkey GROUP BY returnflag",
     "SELECT returnflag, CAST(sum(extendedprice) AS VARCHAR) FROM {}.lineitem l JOIN {}.orders o "
     "ON l.orderkey = "
     "o.orderkey GROUP BY returnflag"},
    {"Q3",
     "SELECT SUM(extendedprice) FROM customer, orders, lineitem WHERE mktsegment = 'BUILDING' AND "
     "customer.custkey = orders.custkey AND lineitem.orderkey = orders.orderkey AND orderdate < "
     "DATE '1995-03-15' AND shipdate > DATE '1995-03-15'",
     "SELECT CAST(sum(extendedprice) AS VARCHAR) FROM {}.customer c, {}.orders o, {}.lineitem l "
     "WHERE mktsegment = "
     "'BUILDING' AND c.custkey = o.custkey AND l.orderkey = o.orderkey AND orderdate < DATE "
     "'1995-03-15' AND shipdate > DATE '1995-03-15'"},
};

policy::Policy read(const std::string& text) {
  auto read = policy::read_policy(text, ".");
  if (!read.policy) fail("the policy of this benchmark is wrong");
  return *std::move(read.policy);
}

std::unique_ptr<engine::Engine> open(const policy::Policy& policy) {
  auto opened = engine::open_engine(policy, {});
  if (!opened) fail(opened.error().message);
  return *std::move(opened);
}

/// The cluster. Opening it is not part of a question's time.
struct World {
  const policy::Policy policy = read(policy_text());
  const std::unique_ptr<engine::Engine> engine = open(policy);
  const std::unique_ptr<engine::trino::Client> client = [] {
    auto opened = engine::trino::Client::open(engine_url(), {});
    if (!opened) fail(opened.error().message);
    return *std::move(opened);
  }();
};

void ask(benchmark::State& state, const char* text, const policy::Policy& policy,
         engine::Engine& engine) {
  sql::Options options;
  options.epsilon = Epsilon::parse("1").value();
  options.delta = Delta::parse("1e-6").value();
  auto query = sql::bind(text, options, policy);
  if (!query) fail(query.error().message);
  auto checked = plan::Checker::check(query->plan, policy, "bench");
  if (!checked) fail(checked.error().message);
  const engine::OwnerLog log{.say = [](const std::string& words) { std::cerr << words << "\n"; },
                             .progress = {}};
  for (auto _ : state) {
    auto answer = engine.run(*checked, log);
    if (!answer) fail(answer.error().message);
  }
}

void plain(benchmark::State& state, const Question& question, World& world) {
  std::string text = question.plain;
  for (std::size_t at = 0; (at = text.find("{}")) != text.npos;) text.replace(at, 2, schema());
  for (auto _ : state) {
    auto done = world.client->ask(text, {});
    if (!done) fail("the plain question failed");
  }
}

/// COUNT and SUM by city in PostgreSQL, as SmartNoise is asked for them.
void by_city_in_postgres(benchmark::State& state, const std::string& url) {
  const policy::Policy policy =
      read("version: 1\nengine: " + url +
           "\nsnapshot: 2026-11\nunits:\n  people: {budget: {epsilon: 10, delta: 1e-6}}\n"
           "tables:\n  visits:\n    source: visits\n"
           "    unit: {namespace: people, column: user_id}\n"
           "    bounds: {groups_per_unit: 3, rows_per_unit_and_group: 4}\n"
           "    columns:\n      city: {type: text}\n"
           "      income: {type: decimal, range: [0, 500000], step: 1}\n");
  ask(state, "SELECT city, COUNT(*), SUM(income) FROM visits GROUP BY city", policy, *open(policy));
}

int run(const bench::Words& words) {
  const std::string server = bench::from_environment("DISCREET_BENCH_POSTGRES", "");
  if (!server.empty()) {
    benchmark::RegisterBenchmark("postgres/by_city", by_city_in_postgres, server)
        ->UseRealTime()
        ->Unit(benchmark::kMillisecond);
    return bench::run_registered(words);
  }
  World world;
  for (const Question& question : kQuestions) {
    for (const bool is_ours : {false, true}) {
      benchmark::RegisterBenchmark(
          ((is_ours ? "ours/" : "plain/") + std::string(question.name)).c_str(),
          [&world, &question, is_ours](benchmark::State& state) {
            const double before = cluster_seconds();
            is_ours ? ask(state, question.text, world.policy, *world.engine)
                    : plain(state, question, world);
            state.counters["cpu"] = cluster_seconds() - before;
          })
          ->UseRealTime()
          ->Iterations(1)
          ->Unit(benchmark::kMillisecond);
    }
  }
  return bench::run_registered(words);
}

const bench::Benchmark kBenchmark("scale", run);

}  // namespace
}  // namespace discreet::scale_bench
