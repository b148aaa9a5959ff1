// SPDX-License-Identifier: Apache-2.0
// The clinic of clinic_for_tests.h in a PostgreSQL server, without and with Bob: asked through a
// session, and through a *naive proxy*, which sends the analyst's SQL to the server as it is and
// adds noise to the numbers that come back.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "engine/open.h"
#include "engine/postgres/postgres_for_tests.h"
#include "session/neighbours_for_tests.h"

namespace discreet::session {

using engine::postgres::Connected;
using engine::postgres::PrivatePostgres;
using engine::postgres::Response;

inline PrivatePostgres& server() { return PrivatePostgres::instance(); }

/// The clinic of clinic_for_tests.h in a schema of its own. With Bob: two visits of patient 1000,
/// with whatever breaks a naive engine.
class PostgresClinic {
 public:
  explicit PostgresClinic(bool bob) : schema_(server().fresh_schema()) {
    run("CREATE TABLE @visits AS SELECT i AS id, (1 + i % 300)::bigint AS patient_id, "
        "(ARRAY['north', 'south', 'east'])[1 + i % 3] AS clinic, "
        "(ARRAY['Ulm', 'Bonn'])[1 + i % 2] AS city, 20 + i % 20 AS age, "
        "(10 + i % 90)::numeric(12, 2) AS cost, (i % 10)::double precision AS score, "
        "(i % 100)::bigint AS big, DATE '2024-01-01' + i % 300 AS day, (i % 7)::text AS code, "
        "'z' || i % 4 AS zip, 'p' || (1 + i % 300) AS name, 4711 AS undeclared "
        "FROM generate_series(0, 899) AS r(i)");
    run("CREATE TABLE @patients AS SELECT i::bigint AS id, (ARRAY['f', 'm'])[1 + i % 2] AS sex "
        "FROM generate_series(1, 300) AS r(i)");
    run("CREATE TABLE @labs AS SELECT i % 900 AS visit_id, (i % 40 - 10)::numeric(6, 1) AS result "
        "FROM generate_series(0, 1799) AS r(i)");
    run("CREATE TABLE @stays AS SELECT (1 + i % 400)::bigint AS patient, i % 10 AS nights FROM "
        "generate_series(0, 799) AS r(i)");
    run("CREATE TABLE @zips AS SELECT 'z' || i AS zip, (ARRAY['lake', 'hill'])[1 + i % 2] AS "
        "county FROM generate_series(0, 3) AS r(i)");
    run("CREATE TABLE @survey AS SELECT i AS person, 1000 * i AS income, "
        "(ARRAY['a', 'b'])[1 + i % 2] AS region FROM generate_series(0, 99) AS r(i)");
    if (bob) {
      run("INSERT INTO @visits SELECT 9999 + i, 1000, 'east', 'Bobtown', 40, 0, 1e308, "
          "9223372036854775807, 'infinity', 'Bob', 'z0', 'Bob', 0 FROM generate_series(0, 1) AS "
          "r(i)");
    }
    run("ANALYZE @visits");
    std::string text = kClinicPolicy;
    const auto replace = [&](const std::string& what, const std::string& with) {
      const std::size_t at = text.find(what);
      DISCREET_CHECK(at != std::string::npos);
      text.replace(at, what.size(), with);
    };
    replace("engine: duckdb", "engine: \"" + server().url() + "\"");
    for (const char* table : {"visits", "patients", "labs", "stays", "zips"}) {
      replace(std::string(table) + ".parquet", schema_ + "." + table);
    }
    replace("survey.csv", schema_ + ".survey");
    const policy::Reading reading = policy::read_policy(text, ".");
    DISCREET_CHECK(reading.policy.has_value());
    policy_ = *reading.policy;
    auto ledger = ledger::Ledger::create({.path = scratch_ / "clinic.ledger",
                                          .key = scratch_ / "key",
                                          .witness = scratch_ / "witness"});
    DISCREET_CHECK(ledger.has_value());
    ledger_ = std::move(*ledger);
    using ledger::fixture::price;
    for (const char* units : {"patients", "people"}) {
      DISCREET_CHECK(ledger_
                         ->add_namespace({.name = units,
                                          .cap = price("1e12", "1e-3"),
                                          .analysts = {{"ann", price("1e12", "1e-3")}}})
                         .has_value());
    }
    auto engine = engine::open_engine(policy_, log_.log());
    EXPECT_TRUE(engine.has_value()) << engine.error().message << log_.said;
    DISCREET_CHECK(engine.has_value());
    engine_ = *std::move(engine);
    session_ = std::make_unique<Session>(policy_, *ledger_, *engine_);
    // The proxy's own line to the server: no time zone, no path, no transaction of ours.
    proxy_.reset(PQconnectdb(server().url().c_str()));
    Response(PQexec(proxy_.get(), ("SET search_path = " + schema_ + ", public").c_str()));
    PQsetNoticeProcessor(proxy_.get(), [](void*, const char*) {}, nullptr);
  }

  /// The owner's SQL; @ stands for the schema.
  void run(std::string sql) {
    for (std::size_t at = 0; (at = sql.find('@', at)) != std::string::npos;) {
      sql.replace(at, 1, schema_ + ".");
    }
    server().must(sql);
  }

  Result<Answered> ask(const Request& question) { return session_->ask(question, log_.log()); }
  Session& session() { return *session_; }
  std::string spent() { return ledger::fixture::spent(*ledger_, "ann", "patients"); }
  const std::string& said() const { return log_.said; }
  std::string schema() const { return schema_; }
  std::size_t records() {
    std::size_t count = 0;
    DISCREET_CHECK(ledger_->history([&](const ledger::Record&) {
      ++count;
      return Result<void>{};
    }));
    return count;
  }
  double measured(const std::string& sql) {
    const auto answered = ask(request(sql, kLoud));
    EXPECT_TRUE(answered.has_value()) << sql << "\n" << answered.error().message << said();
    if (!answered || answered->sheet.rows.size() != 1) return -1e300;
    return std::stod(answered->sheet.rows[0].back().value.value_or("-1e300"));
  }

  /// The naive proxy: the rows as texts, or the error as the server words it, and whether it took
  /// noticeably long.
  std::string proxied(const std::string& sql) {
    const auto start = std::chrono::steady_clock::now();
    const Response done(PQexec(proxy_.get(), sql.c_str()));
    const auto took = std::chrono::steady_clock::now() - start;
    std::string seen = took > std::chrono::milliseconds(900) ? "slow\n" : "";
    const ExecStatusType status = PQresultStatus(done.get());
    if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK) {
      return seen + PQresultErrorMessage(done.get());
    }
    for (int row = 0; row < PQntuples(done.get()); ++row) {
      for (int column = 0; column < PQnfields(done.get()); ++column) {
        seen += PQgetvalue(done.get(), row, column);
        seen += "|";
      }
    }
    return seen;
  }

 private:
  std::string schema_;
  ledger::Scratch scratch_{ledger::Scratch::Place::kMemory};
  engine::duckdb::GatheredLog log_;
  policy::Policy policy_;
  std::unique_ptr<ledger::Ledger> ledger_;
  std::unique_ptr<engine::Engine> engine_;
  std::unique_ptr<Session> session_;
  Connected proxy_;
};

/// Both databases; made once, since making them is most of the time.
struct Two {
  PostgresClinic without{false};
  PostgresClinic with{true};

  static Two& instance() {
    static Two two;
    return two;
  }

  /// Asks us on both: all that is seen but noised numbers is the same. The error, if there is one.
  std::optional<Error> ask(const std::string& sql, const char* epsilon = "1") {
    const std::string id = "request " + std::to_string(++asked);
    const std::size_t before = without.records();
    const auto a = without.ask(request(sql, epsilon, id));
    const auto b = with.ask(request(sql, epsilon, id));
    EXPECT_EQ(a.has_value(), b.has_value())
        << sql << "\n"
        << (a ? "" : a.error().message) << (b ? "" : b.error().message) << with.said();
    EXPECT_EQ(without.records(), with.records()) << sql;
    EXPECT_EQ(without.spent(), with.spent()) << sql;
    if (!a || !b) {
      if (!a && !b) {
        EXPECT_EQ(a.error().message, b.error().message) << sql;
        EXPECT_EQ(a.error().code, b.error().code) << sql;
        EXPECT_EQ(without.records(), before) << sql;  // refused before it was charged
        EXPECT_EQ(b.error().message.find("Bob's"), std::string::npos);
      }
      return a ? b.error() : a.error();
    }
    const auto explained = without.session().explain(request(sql, epsilon, id));
    const bool found = explained && explained->keys.starts_with("found");
    EXPECT_EQ(seen_of(*a, found), seen_of(*b, found)) << sql;
    return std::nullopt;
  }
  void answered(const std::string& sql, const char* epsilon = "1") {
    const auto error = ask(sql, epsilon);
    EXPECT_FALSE(error.has_value()) << sql << "\n" << error->message;
  }
  void refused(const std::string& sql) {
    const auto error = ask(sql);
    ASSERT_TRUE(error.has_value()) << sql << " was answered";
    EXPECT_TRUE(error->code == Code::kInvalidInput || error->code == Code::kUnsupported ||
                error->code == Code::kRefused || error->code == Code::kNotFound)
        << sql << "\n"
        << error->message;
  }
  /// What is measured without Bob, and with him, by a question so loud that there is no noise.
  std::pair<double, double> measured(const std::string& sql) {
    const double a = without.measured(sql);
    return {a, with.measured(sql)};
  }
  void moved_by(const std::string& sql, double most) {
    const auto [a, b] = measured(sql);
    EXPECT_LE(std::abs(b - a), most) << sql;
  }
  /// The attack works on the proxy: it tells the two apart.
  void proxy_tells(const std::string& sql, const std::string& by = {}) {
    const std::string a = without.proxied(sql);
    const std::string b = with.proxied(sql);
    EXPECT_NE(a, b) << sql;
    if (!by.empty()) {
      EXPECT_EQ(a.find(by), std::string::npos) << sql << "\n" << a;
      EXPECT_NE(b.find(by), std::string::npos) << sql << "\n" << b;
    }
  }

  int asked = 0;
};

}  // namespace discreet::session
