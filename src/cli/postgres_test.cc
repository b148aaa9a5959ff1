// SPDX-License-Identifier: Apache-2.0
// The program against a real PostgreSQL, as an owner uses it: persons in households, joins, a key
// that repeats, a password that is wrong, a server that stops in between.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "cli/process_for_tests.h"
#include "engine/postgres/postgres_for_tests.h"

namespace discreet::cli::postgres_test {
namespace {

using engine::postgres::PrivatePostgres;

class OnPostgres : public testing::Test {
 protected:
  void SetUp() override {
    PrivatePostgres& server = PrivatePostgres::instance();
    schema_ = server.fresh_schema();
    server.must("CREATE TABLE " + schema_ +
                ".people AS SELECT i AS person, i / 6 AS household, 20 + i % 50 AS age FROM "
                "generate_series(0, 299) r(i)");
    server.must("CREATE TABLE " + schema_ +
                ".orders AS SELECT i AS id, i % 300 AS person FROM generate_series(0, 899) r(i)");
    server.must("CREATE TABLE " + schema_ +
                ".items AS SELECT i % 900 AS order_id, (i % 7)::numeric(6, 2) AS price FROM "
                "generate_series(0, 1799) r(i)");
    folder_ = testing::TempDir() + "postgres_cli_" + std::to_string(getpid());
    std::filesystem::create_directories(folder_);
    setenv("XDG_STATE_HOME", (folder_ + "/state").c_str(), 1);
    write_policy(server.url());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write_policy(const std::string& url) {
    std::ofstream(folder_ + "/policy.yaml")
        << "version: 1\nengine: \"" << url << "\"\nsnapshot: a\nunits:\n"
        << "  persons: {budget: {epsilon: 1000, delta: 1e-6}, analysts: {ann: {epsilon: "
           "900}},\n"
        << "    within: {namespace: households, column: people.household, members: 5}}\n"
        << "  households: {budget: {epsilon: 1000, delta: 1e-6}, analysts: {ann: {epsilon: "
           "900}}}\n"
        << "tables:\n  people:\n    source: " << schema_ << ".people\n"
        << "    unit: {namespace: persons, column: person}\n"
        << "    columns: {age: {type: integer, range: [0, 120]}}\n"
        << "  orders:\n    source: " << schema_ << ".orders\n"
        << "    unit: {namespace: persons, column: person}\n"
        << "    bounds: {groups_per_unit: 1, rows_per_unit_and_group: 3}\n    columns: {}\n"
        << "  items:\n    source: " << schema_ << ".items\n"
        << "    unit: {namespace: persons, path: [items.order_id -> orders.id, orders.person]}\n"
        << "    bounds: {groups_per_unit: 1, rows_per_unit_and_group: 6}\n"
        << "    columns: {price: {type: decimal, range: [0, 10], step: 0.01}}\n";
  }
  Finished run(std::vector<std::string> words) const {
    words.insert(words.end(),
                 {"--policy", folder_ + "/policy.yaml", "--ledger", folder_ + "/l.ledger"});
    return discreet(words);
  }
  Finished query(const std::string& sql, const std::string& epsilon = "100") const {
    return run({"query", sql, "--epsilon", epsilon, "--analyst", "ann", "--format", "csv"});
  }

  std::string schema_;
  std::string folder_;
};

TEST_F(OnPostgres, FromTheLedgerToTheAnswer) {
  EXPECT_EQ(run({"ledger", "init"}).status, 0);
  // Of each six persons five count.
  const Finished count = query("SELECT COUNT(*) AS n FROM people WHERE age >= 0");
  EXPECT_EQ(count.status, 0) << count.err;
  EXPECT_NE(count.out.find("\n250"), std::string::npos) << count.out;
  const Finished sum = query(
      "SELECT COUNT(*) AS n FROM items i JOIN orders o ON i.order_id = o.id "
      "JOIN people p ON p.person = o.person WHERE p.age < 200",
      "600");
  EXPECT_EQ(sum.status, 0) << sum.err;
  EXPECT_NE(sum.out.find("\n1500"), std::string::npos) << sum.out;
  const Finished told =
      run({"explain", "SELECT SUM(price) FROM items", "--epsilon", "1", "--analyst", "ann"});
  EXPECT_EQ(told.status, 0) << told.err;
  EXPECT_NE(told.out.find("households pays as well: epsilon 1"), std::string::npos) << told.out;
  EXPECT_NE(told.out.find("row_number()"), std::string::npos) << told.out;  // who counts
  const Finished history = discreet({"ledger", "history", "--ledger", folder_ + "/l.ledger"});
  EXPECT_NE(history.out.find("also charge"), std::string::npos) << history.out;
  EXPECT_EQ(discreet({"ledger", "verify", "--ledger", folder_ + "/l.ledger"}).status, 0);

  // Facts about rows that the owner can have checked.
  EXPECT_EQ(discreet({"policy", "check", "--data", "--policy", folder_ + "/policy.yaml"}).status,
            0);
  PrivatePostgres::instance().must("UPDATE " + schema_ + ".orders SET id = 1 WHERE id = 2");
  const Finished twice =
      discreet({"policy", "check", "--data", "--policy", folder_ + "/policy.yaml"});
  EXPECT_EQ(twice.status, 2) << twice.out;
  EXPECT_NE(twice.err.find("occurs twice in orders.id"), std::string::npos) << twice.err;

  // The world: a wrong password, and a table that is taken away; exit status 5, no row's words.
  const std::string url = PrivatePostgres::instance().url("guarded:wrong");
  write_policy(url);
  const Finished wrong = query("SELECT COUNT(*) FROM people", "1");
  EXPECT_EQ(wrong.status, 5) << wrong.err;
  EXPECT_EQ(wrong.err.find("wrong@"), std::string::npos);
  write_policy(PrivatePostgres::instance().url());
  PrivatePostgres::instance().must("ALTER TABLE " + schema_ +
                                   ".people ALTER age TYPE date USING "
                                   "DATE '2020-01-01'");
  const Finished changed = query("SELECT COUNT(*) FROM people", "1");
  EXPECT_EQ(changed.status, 2) << changed.err;
  EXPECT_NE(changed.err.find("declare it anew"), std::string::npos) << changed.err;
}

}  // namespace
}  // namespace discreet::cli::postgres_test
