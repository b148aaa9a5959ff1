// SPDX-License-Identifier: Apache-2.0
// A small clinic in files, with its policy, a ledger and DuckDB: what a session stands on.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "engine/duckdb/dialect.h"
#include "engine/duckdb/duckdb_engine.h"
#include "engine/duckdb/files_for_tests.h"
#include "engine/duckdb/run.h"
#include "ledger/ledger.h"
#include "ledger/ledger_for_tests.h"
#include "ledger/scratch_for_tests.h"
#include "policy/policy.h"
#include "session/session.h"

namespace discreet::session {

inline constexpr const char* kClinicPolicy = R"(version: 1
engine: duckdb
snapshot: 2026-11
units:
  patients: {budget: {epsilon: 1000, delta: 1e-3}}
  people: {budget: {epsilon: 1000}}
tables:
  visits:
    source: visits.parquet
    unit: {namespace: patients, column: patient_id}
    bounds: {groups_per_unit: 2, rows_per_unit_and_group: 3}
    columns:
      clinic:  {type: text, values: [north, south, east]}
      city:    {type: text}
      age:     {type: integer, range: [0, 120]}
      cost:    {type: decimal, range: [0, 5000], step: 0.01}
      score:   {type: decimal, range: [-10, 10], step: 0.001}
      big:     {type: integer, range: [0, 1000]}
      day:     {type: date, range: [2020-01-01, 2026-12-31]}
      code:    {type: text}
      zip:     {type: text}
      name:    {type: text, may: [filter]}
  patients:
    source: patients.parquet
    unit: {namespace: patients, column: id}
    columns:
      sex:     {type: text, values: [f, m, x]}
  labs:
    source: labs.parquet
    unit: {namespace: patients, path: [labs.visit_id -> visits.id, visits.patient_id]}
    columns:
      result:  {type: decimal, range: [-50, 50], step: 0.1}
  survey:
    source: survey.csv
    unit: {namespace: people, column: person}
    columns:
      income:  {type: integer, range: [0, 200000]}
      region:  {type: text, values: [a, b]}
  stays:
    source: stays.parquet
    unit: {namespace: patients, path: [stays.patient -> patients.id, patients.id]}
    columns:
      nights:  {type: integer, range: [0, 100]}
public:
  zips:
    source: zips.parquet
    columns:
      zip:     {type: text}
      county:  {type: text, values: [lake, hill]}
)";

/// 300 patients with three visits each, two lab values a visit, and two stays each; 200 stays are
/// nobody's. Columns that are not declared are
/// in the file all the same. `name` is a patient's.
inline constexpr const char* kClinicRows[] = {
    "CREATE TABLE visits AS SELECT i AS id, 1 + i % 300 AS patient_id, "
    "(['north', 'south', 'east'])[CAST(1 + i % 3 AS INTEGER)] AS clinic, "
    "(['Ulm', 'Bonn'])[CAST(1 + i % 2 AS INTEGER)] AS city, CAST(20 + i % 20 AS INTEGER) AS age, "
    "CAST(10 + i % 90 AS DECIMAL(12, 2)) AS cost, CAST(i % 10 AS DOUBLE) AS score, "
    "CAST(i % 100 AS BIGINT) AS big, DATE '2024-01-01' + CAST(i % 300 AS INTEGER) AS day, "
    "CAST(i % 7 AS VARCHAR) AS code, 'z' || CAST(i % 4 AS VARCHAR) AS zip, "
    "'p' || CAST(1 + i % 300 AS VARCHAR) AS name, 4711 AS undeclared FROM range(900) AS r(i)",
    "CREATE TABLE patients AS SELECT i AS id, (['f', 'm'])[CAST(1 + i % 2 AS INTEGER)] AS sex "
    "FROM range(1, 301) AS r(i)",
    "CREATE TABLE labs AS SELECT i % 900 AS visit_id, CAST(i % 40 - 10 AS DECIMAL(6, 1)) AS result "
    "FROM range(1800) AS r(i)",
    "CREATE TABLE stays AS SELECT 1 + i % 400 AS patient, i % 10 AS nights FROM range(800) AS r(i)",
    "CREATE TABLE zips AS SELECT 'z' || CAST(i AS VARCHAR) AS zip, "
    "(['lake', 'hill'])[CAST(1 + i % 2 AS INTEGER)] AS county FROM range(4) AS r(i)",
};

/// The survey is a CSV file: 100 people, one line each.
inline std::string survey_csv() {
  std::string csv = "person,income,region\n";
  for (int i = 0; i < 100; ++i) {
    csv += std::to_string(i) + "," + std::to_string(1000 * i) + (i % 2 == 0 ? ",a\n" : ",b\n");
  }
  return csv;
}

/// A question that costs `epsilon`, asked by ann.
inline Request request(const std::string& sql, const char* epsilon = "1",
                       const std::string& id = {}) {
  Request out{.sql = sql, .analyst = "ann", .request_id = id};
  out.options.epsilon = *Epsilon::parse(epsilon);
  out.options.delta = *Delta::parse("1e-9");
  return out;
}

/// So much epsilon that the noise is 0 but with a chance below 1e-100: for asking what was
/// measured.
inline constexpr const char* kLoud = "1e9";

class Clinic {
 public:
  /// `changes` are made to the rows before they are written; `more_survey` ends the CSV file.
  explicit Clinic(const std::vector<std::string>& changes = {}, const std::string& more_survey = {},
                  std::size_t threads = 2, const char* cap = "1e12")
      : threads_(threads) {
    write(changes, more_survey);
    policy::Reading reading = policy::read_policy(kClinicPolicy, folder_.path());
    DISCREET_CHECK(reading.policy.has_value());
    policy_ = *reading.policy;
    using ledger::fixture::price;
    auto ledger = ledger::Ledger::create({.path = scratch_ / "clinic.ledger",
                                          .key = scratch_ / "key",
                                          .witness = scratch_ / "witness"});
    DISCREET_CHECK(ledger.has_value());
    ledger_ = std::move(*ledger);
    for (const char* units : {"patients", "people"}) {
      const auto added = ledger_->add_namespace(
          {.name = units,
           .cap = price(cap, "1e-3"),
           .analysts = {{"ann", price(cap, "1e-3")}, {"press", price("2", "1e-6")}}});
      DISCREET_CHECK(added.has_value());
    }
    open();
  }

  /// Writes the tables anew, as an owner would between two questions.
  void write(const std::vector<std::string>& changes, const std::string& more_survey = {}) {
    auto connection = engine::duckdb::Connection::open(1, {});
    DISCREET_CHECK(connection.has_value());
    for (const char* sql : kClinicRows) engine::duckdb::must(**connection, sql);
    for (const std::string& sql : changes) engine::duckdb::must(**connection, sql);
    for (const char* table : {"visits", "patients", "labs", "stays", "zips"}) {
      engine::duckdb::must(**connection, std::string("COPY ") + table + " TO '" +
                                             file(table).string() + "' (FORMAT parquet)");
    }
    std::ofstream(folder_ / "survey.csv", std::ios::binary) << survey_csv() << more_survey;
  }

  /// Opens the files again, under a new label for the data.
  void reopen(const std::string& snapshot) {
    policy_.snapshot = snapshot;
    open();
  }

  Result<Answered> ask(const Request& question) { return session_->ask(question, log_.log()); }
  Result<Answered> ask(const std::string& sql, const char* epsilon = "1") {
    return ask(request(sql, epsilon));
  }
  /// Asks what must be answered.
  AnswerSheet answer(const std::string& sql, const char* epsilon = "1") {
    auto answered = ask(sql, epsilon);
    EXPECT_TRUE(answered.has_value()) << sql << "\n" << answered.error().message;
    return answered ? answered->sheet : AnswerSheet{};
  }
  /// The one number of a loud answer, which is what was measured.
  double measured(const std::string& sql) {
    const AnswerSheet sheet = answer(sql, kLoud);
    EXPECT_EQ(sheet.rows.size(), 1U) << sql;
    if (sheet.rows.size() != 1 || !sheet.rows[0].back().value) return -1e300;
    return std::stod(*sheet.rows[0].back().value);
  }

  std::vector<ledger::Record> history() {
    std::vector<ledger::Record> records;
    const auto read = ledger_->history([&](const ledger::Record& record) {
      records.push_back(record);
      return Result<void>{};
    });
    EXPECT_TRUE(read.has_value());
    return records;
  }
  /// What was spent of the total and by an analyst: "0.5 0.5".
  std::string spent(const std::string& analyst = "ann", const std::string& units = "patients") {
    return ledger::fixture::spent(*ledger_, analyst, units);
  }

  /// What the files give for a checked question under a chosen secret: for replays.
  mechanism::Groups groups(const plan::Checked& checked, const engine::Secret& secret) {
    namespace duckdb = engine::duckdb;
    if (raw_ == nullptr) {
      auto connection = duckdb::Connection::open(1, {});
      DISCREET_CHECK(connection.has_value());
      raw_ = std::move(*connection);
      auto schemas = duckdb::open_sources(*raw_, policy_, {});
      DISCREET_CHECK(schemas.has_value());
      raw_schemas_ = std::move(*schemas);
    }
    auto groups = duckdb::run_lowered(
        *raw_, engine::lowering::lower_plan(checked, duckdb::dialect(), raw_schemas_),
        checked.steps().size(), secret, {});
    DISCREET_CHECK(groups.has_value());
    return std::move(*groups);
  }

  std::filesystem::path file(const std::string& table) const {
    return folder_ / (table + ".parquet");
  }
  std::string folder() const { return folder_.path(); }
  Session& session() { return *session_; }
  ledger::Ledger& ledger() { return *ledger_; }
  const policy::Policy& policy() const { return policy_; }
  /// What the engine told the owner.
  const std::string& said() const { return log_.said; }

 private:
  void open() {
    raw_ = nullptr;
    auto engine = engine::duckdb::DuckDbEngine::open(policy_, log_.log(), threads_);
    EXPECT_TRUE(engine.has_value()) << engine.error().message << log_.said;
    DISCREET_CHECK(engine.has_value());
    session_ = nullptr;
    engine_ = std::move(*engine);
    session_ = std::make_unique<Session>(policy_, *ledger_, *engine_);
  }

  ledger::Scratch scratch_{ledger::Scratch::Place::kMemory};
  engine::duckdb::ScratchFolder folder_;
  engine::duckdb::GatheredLog log_;
  std::size_t threads_;
  policy::Policy policy_;
  std::unique_ptr<ledger::Ledger> ledger_;
  std::unique_ptr<engine::duckdb::DuckDbEngine> engine_;
  std::unique_ptr<Session> session_;
  std::unique_ptr<engine::duckdb::Connection> raw_;
  engine::lowering::Schemas raw_schemas_;
};

}  // namespace discreet::session
