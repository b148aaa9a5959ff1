// SPDX-License-Identifier: Apache-2.0
#include "ledger/postgres_line.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

namespace discreet::ledger::postgres_line_test {
namespace {

using Variables = std::vector<std::pair<std::string, std::string>>;

/// Sets variables that libpq reads, and puts them back.
class Surrounded {
 public:
  explicit Surrounded(const Variables& all) {
    for (const char* const name : {"PGHOST", "PGHOSTADDR", "PGSSLMODE", "PGSERVICE"}) {
      const char* const old = std::getenv(name);
      before_.emplace_back(name, old == nullptr ? std::nullopt : std::optional<std::string>(old));
      unsetenv(name);
    }
    for (const auto& [name, value] : all) setenv(name.c_str(), value.c_str(), 1);
  }
  Surrounded(const Surrounded&) = delete;
  Surrounded& operator=(const Surrounded&) = delete;
  ~Surrounded() {
    for (const auto& [name, value] : before_) {
      unsetenv(name.c_str());
      if (value) setenv(name.c_str(), value->c_str(), 1);
    }
  }

 private:
  std::vector<std::pair<std::string, std::optional<std::string>>> before_;
};

struct Row {
  std::string url;
  std::string sslmode;  // the default that holds; "" is libpq's own
  Variables surroundings = {};
};

const std::vector<Row>& table() {
  static const std::vector<Row> rows = {
      // Sockets and loopback stay on the machine.
      {"postgres:///db", ""},
      {"postgres://u@/db?host=/var/run/postgresql", ""},
      {"postgres://u@%2Fvar%2Frun%2Fpostgresql/db", ""},
      {"postgres://u@/db?host=@abstract", ""},
      {"postgres://u@localhost/db", ""},
      {"postgresql://u@localhost:5433/db", ""},
      {"postgres://u@127.0.0.1/db", ""},
      {"postgres://u@127.9.9.9/db", ""},
      {"postgres://u@[::1]:5432/db", ""},
      {"postgres://u@localhost,127.0.0.1,[::1]/db", ""},
      {"postgres://u@/db?host=,/tmp", ""},
      {"postgres://u@db.example.org/db?hostaddr=127.0.0.1", ""},
      // Whatever can leave it is verified.
      {"postgres://u@db.example.org/db", "verify-full"},
      {"postgresql://u:secret@db.example.org:5432/db?connect_timeout=3", "verify-full"},
      {"postgres://u@10.0.0.7/db", "verify-full"},
      {"postgres://u@128.0.0.1/db", "verify-full"},
      {"postgres://u@0.0.0.0/db", "verify-full"},
      {"postgres://u@127.1/db", "verify-full"},
      {"postgres://u@[fe80::1]/db", "verify-full"},
      {"postgres://u@[::ffff:10.0.0.1]/db", "verify-full"},
      {"postgres://u@localhost.example.org/db", "verify-full"},
      {"postgres://u@127.0.0.1.example.org/db", "verify-full"},
      {"postgres://u@localhost,db.example.org/db", "verify-full"},
      {"postgres://u@db.example.org,localhost/db", "verify-full"},
      {"postgres://u@localhost/db?hostaddr=10.0.0.7", "verify-full"},
      {"postgres://u@localhost,localhost/db?hostaddr=127.0.0.1,10.0.0.7", "verify-full"},
      {"postgres://u@localhost,db.example.org/db?hostaddr=127.0.0.1,", "verify-full"},
      {"postgres://u@/db?host=db.example.org", "verify-full"},
      {"postgres:///db?service=hospital", "verify-full"},
      {"postgres://u@localhost/db?service=hospital", "verify-full"},
      {"postgres://u@localhost/db?no_such_setting=1", "verify-full"},
      // The URL has the last word.
      {"postgres://u@db.example.org/db?sslmode=verify-full", ""},
      {"postgres://u@db.example.org/db?sslmode=verify-ca", ""},
      {"postgres://u@db.example.org/db?sslmode=require", ""},
      {"postgres://u@db.example.org/db?sslmode=prefer", ""},
      {"postgres://u@db.example.org/db?sslmode=disable", ""},
      {"postgres://u@db.example.org/db?ssl=true", ""},  // JDBC's word for require
      // What the URL leaves open is looked up where libpq looks; it cannot weaken the line.
      {"postgres:///db", "verify-full", {{"PGHOST", "db.example.org"}}},
      {"postgres:///db", "", {{"PGHOST", "/tmp"}}},
      {"postgres://u@localhost/db", "", {{"PGHOST", "db.example.org"}}},
      {"postgres://u@localhost/db", "verify-full", {{"PGHOSTADDR", "10.0.0.7"}}},
      {"postgres://u@db.example.org/db", "verify-full", {{"PGSSLMODE", "disable"}}},
      {"postgres://u@db.example.org/db", "verify-full", {{"PGSSLMODE", "require"}}},
      {"postgres://u@localhost/db", "", {{"PGSSLMODE", "require"}}},
  };
  return rows;
}

TEST(PostgresLine, IsVerifiedBeyondThisMachineUnlessTheUrlSaysOtherwise) {
  for (const Row& row : table()) {
    const Surrounded surrounded(row.surroundings);
    const PgLine line(row.url);
    EXPECT_EQ(line.default_sslmode(), row.sslmode) << row.url;
    // Whoever cannot connect for want of a certificate reads what to do.
    EXPECT_EQ(line.advice().find("sslrootcert=") != std::string::npos, !row.sslmode.empty());
    EXPECT_EQ(line.advice().find("?sslmode=") != std::string::npos, !row.sslmode.empty());
  }
}

/// What libpq made of it: 0.0.0.0 counts as elsewhere and refuses at once.
std::string effective(const std::string& url) {
  const std::unique_ptr<PGconn, decltype(&PQfinish)> failed(
      PgLine(url).connect({{"connect_timeout", "2"}}), PQfinish);
  EXPECT_NE(PQstatus(failed.get()), CONNECTION_OK);
  const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> all(PQconninfo(failed.get()),
                                                                         PQconninfoFree);
  for (const PQconninfoOption* at = all.get(); at != nullptr && at->keyword != nullptr; ++at) {
    if (std::string(at->keyword) == "sslmode") return at->val;
  }
  return "";
}

TEST(PostgresLine, LibpqTakesTheDefaultAndTheUrlsOwn) {
  const Surrounded surrounded(Variables{{"PGSSLMODE", "disable"}});
  EXPECT_EQ(effective("postgres://u@0.0.0.0:1/db"), "verify-full");
  EXPECT_EQ(effective("postgres://u@0.0.0.0:1/db?sslmode=require"), "require");
  EXPECT_EQ(effective("postgres://u@0.0.0.0:1/db?sslmode=disable"), "disable");
  EXPECT_EQ(effective("postgres://u@127.0.0.1:1/db"), "disable");
}

}  // namespace
}  // namespace discreet::ledger::postgres_line_test
