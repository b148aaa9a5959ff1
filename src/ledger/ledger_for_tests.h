// SPDX-License-Identifier: Apache-2.0
// Short spellings for tests of the ledger.
#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ledger/ledger.h"
#include "ledger/postgres_server_for_tests.h"
#include "ledger/scratch_for_tests.h"
#include "ledger/store_place.h"
#include "privacy/charge_for_tests.h"

namespace discreet::ledger::fixture {

inline Price price(const char* amount, const char* delta = "0") {
  return *accounting::Filter::price(*Rational::parse(amount), *Rational::parse(delta));
}

inline ChargeLine line(const char* epsilon, const char* delta = "0") {
  Cost cost = pure_cost(*Epsilon::parse(epsilon));
  cost.delta = *Delta::parse(delta);
  return {{"laplace(" + std::string(epsilon) + ")"}, cost};
}

/// A question and its charge.
struct Ask {
  std::string analyst = "ann";
  std::string id = "request 1";
  std::string key = "SELECT count(*)";
  std::string snapshot = "2026-11";
  std::vector<ChargeLine> lines = {line("0.5")};
  std::vector<std::string> blocks = {};
  std::string units = "patients";
  Neighbours neighbours = Neighbours::kAddRemove;
  std::string attribute = "year";  ///< of its blocks
  std::vector<std::string> older_keys = {};

  Charge charge() const {
    return ChargeForTests::make({units, neighbours, blocks, blocks.empty() ? "" : attribute}, lines,
                                Hash{1, 2, 3}, id);
  }
  Question question() const { return {analyst, key, snapshot, older_keys}; }
};

inline Result<Outcome> ask(Ledger& ledger, const Ask& ask) {
  return ledger.charge(ask.charge(), ask.question());
}

/// Asks and, when it was charged, stores `bytes`.
inline Result<Answer> ask_and_store(Ledger& ledger, const Ask& what, const std::string& bytes) {
  DISCREET_ASSIGN(Outcome outcome, ask(ledger, what));
  if (Answer* seen = std::get_if<Answer>(&outcome)) return std::move(*seen);
  return ledger.store(std::get<Paid>(std::move(outcome)), bytes);
}

/// patients: epsilon 10, delta 1e-6; ann 2, press 1.
inline NamespaceTerms patients() {
  return {.name = "patients",
          .cap = price("10", "1e-6"),
          .analysts = {{"ann", price("2", "1e-6")}, {"press", price("1", "1e-6")}}};
}

/// Where tests keep a ledger: a file, or with DISCREET_TEST_LEDGER=postgres a new database, so that
/// the same tests try both stores.
inline std::filesystem::path place_in(const Scratch& scratch, const std::string& name) {
  const char* const kind = std::getenv("DISCREET_TEST_LEDGER");
  if (kind != nullptr && std::string_view(kind) == "postgres") {
    return PostgresServer::instance().fresh();
  }
  return scratch / name;
}

/// A ledger in a directory of its own, and the ways to open and to harm it.
class Home {
 public:
  Scratch scratch{Scratch::Place::kMemory};  // what is stored counts here, not where
  std::int64_t now_ms = 1'700'000'000'000;
  std::uint64_t witness_every = 1;
  std::int64_t witness_ms = 0;
  bool index_misleads = false;
  std::filesystem::path path = place_in(scratch, "patients.ledger");
  std::filesystem::path key = scratch / "key";
  std::filesystem::path witness = scratch / "witness";

  World world() {
    return {.clock = [this] { return now_ms; },
            .witness = file_witness,
            .sqlite_vfs = {},
            .index_misleads = index_misleads};
  }
  std::unique_ptr<Ledger> create(const NamespaceTerms& terms = patients()) {
    auto ledger = Ledger::create({.path = path,
                                  .key = key,
                                  .witness = witness,
                                  .witness_every = witness_every,
                                  .witness_ms = witness_ms,
                                  .world = world()});
    EXPECT_TRUE(ledger) << ledger.error().message;
    const auto added = (*ledger)->add_namespace(terms);
    EXPECT_TRUE(added) << added.error().message;
    return std::move(ledger).value();
  }
  Result<std::unique_ptr<Ledger>> try_open(Access access = Access::kUse) {
    return Ledger::open(
        {.path = path, .key = key, .witness = witness, .access = access, .world = world()});
  }
  std::unique_ptr<Ledger> open(Access access = Access::kUse) {
    auto ledger = try_open(access);
    EXPECT_TRUE(ledger) << ledger.error().message;
    return ledger ? std::move(ledger).value() : nullptr;
  }
  /// The text of the error with which it does not open.
  std::string why_not(Access access = Access::kUse) {
    auto ledger = try_open(access);
    EXPECT_FALSE(ledger);
    return ledger ? "" : ledger.error().message;
  }
  /// Bytes in the store's SQL, given as digits of base 16.
  std::string bytes(const std::string& hex) const {
    return is_postgres(path) ? "'\\x" + hex + "'::bytea" : "x'" + hex + "'";
  }
  /// The table of records in the store's SQL, and the number of a row in it: with PostgreSQL that
  /// of the first record of a transaction.
  std::string table() const { return is_postgres(path) ? "batches" : "records"; }
  std::string number() const { return is_postgres(path) ? "first" : "sequence"; }
  /// Changes the store behind the ledger's back.
  void sql(const std::string& text) {
    if (is_postgres(path)) {
      auto session = PgSession::open(path.string());
      ASSERT_TRUE(session) << session.error().message;
      const auto done = session->run("SET search_path = discreet_ledger; " + text);
      ASSERT_TRUE(done) << done.error().message;
      return;
    }
    sqlite3* database = nullptr;
    EXPECT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
    char* message = nullptr;
    EXPECT_EQ(sqlite3_exec(database, text.c_str(), nullptr, nullptr, &message), SQLITE_OK)
        << (message != nullptr ? message : "");
    sqlite3_free(message);
    sqlite3_close(database);
  }
};

inline std::vector<Record> history_of(Home& home) {
  std::vector<Record> history;
  EXPECT_TRUE(home.open(Access::kLook)->history([&](const Record& record) -> Result<void> {
    history.push_back(record);
    return {};
  }));
  return history;
}

/// In the place of what PostgreSQL has, each record as if it were alone in its transaction.
inline void put_into_database(Home& home, const std::vector<Record>& history) {
  std::string sql = "DELETE FROM batches;";
  for (const Record& record : history) {
    const std::string number = std::to_string(record.sequence);
    std::string bytes;
    write_record(bytes, record);
    sql += "INSERT INTO batches VALUES (" + number + ", " + number + ", " +
           home.bytes(to_hex(record.hash)) + ", " + home.bytes(to_hex(bytes)) + ");";
  }
  home.sql(sql);
}

/// What was spent of the total and by an analyst, as text: "0.5 0.5".
inline std::string spent(Ledger& ledger, const std::string& analyst = "ann",
                         const std::string& units = "patients") {
  const State state = *ledger.state();
  const NamespaceState& space = **state.find(units);
  return space.total.spent().amount.to_string() + " " +
         (*space.analyst(analyst))->spent().amount.to_string();
}

}  // namespace discreet::ledger::fixture
