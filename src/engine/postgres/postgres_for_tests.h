// SPDX-License-Identifier: Apache-2.0
// A real PostgreSQL of this test program's own: made once, when it is first asked for, as a user
// that is not root, in a folder of its own, reachable by a socket there only; gone with the
// program, however that ends.
#pragma once

#include <gtest/gtest.h>
#include <pwd.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engine/lowering/sql.h"
#include "engine/postgres/api.h"
#include "plan/reference_for_tests.h"

namespace discreet::engine::postgres {

class PrivatePostgres {
 public:
  static PrivatePostgres& instance() {
    static PrivatePostgres one;
    return one;
  }
  PrivatePostgres(const PrivatePostgres&) = delete;
  PrivatePostgres& operator=(const PrivatePostgres&) = delete;
  ~PrivatePostgres() {
    admin_.reset();
    stop();
    std::filesystem::remove_all(folder_);
  }

  /// For the owner `dp`, or for `reader`, who may read what grant() gave.
  std::string url(const std::string& role = "reader") const { return url(role, folder_); }
  /// By another socket.
  static std::string url(const std::string& role, const std::string& folder) {
    std::string host;
    for (const char c : folder) host += c == '/' ? "%2F" : std::string(1, c);
    return "postgres://" + role + "@/postgres?host=" + host;
  }
  const std::string& folder() const { return folder_; }

  /// SQL of the owner's that must succeed; the first value, if there is one.
  std::string must(const std::string& sql) {
    const Response done(PQexec(admin_.get(), sql.c_str()));
    const ExecStatusType status = PQresultStatus(done.get());
    EXPECT_TRUE(status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK)
        << sql.substr(0, 2000) << "\n"
        << PQerrorMessage(admin_.get());
    return PQntuples(done.get()) > 0 ? PQgetvalue(done.get(), 0, 0) : "";
  }

  /// Stores a row as the bytes of a binary COPY, unless the server refuses them.
  bool store(const std::string& table, const std::string& row) {
    const std::string header("PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0", 19);
    const std::string bytes = header + row + std::string(2, '\377');
    const std::string sql = "COPY " + table + " FROM STDIN (FORMAT binary)";
    const Response begun(PQexec(admin_.get(), sql.c_str()));
    EXPECT_EQ(PQresultStatus(begun.get()), PGRES_COPY_IN) << sql;
    PQputCopyData(admin_.get(), bytes.data(), static_cast<int>(bytes.size()));
    PQputCopyEnd(admin_.get(), nullptr);
    bool stored = true;
    while (const Response done{PQgetResult(admin_.get())}) {
      stored = stored && PQresultStatus(done.get()) == PGRES_COMMAND_OK;
    }
    return stored;
  }

  /// A schema of a name that was not used before, which the reader may read.
  std::string fresh_schema() {
    const std::string name = "s" + std::to_string(++schemas_);
    must("CREATE SCHEMA " + name + "; GRANT USAGE ON SCHEMA " + name +
         " TO reader; ALTER DEFAULT PRIVILEGES IN SCHEMA " + name +
         " GRANT SELECT ON TABLES TO reader");
    return name;
  }

 private:
  PrivatePostgres() {
    std::string pattern = (std::filesystem::temp_directory_path() / "dpg-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) std::abort();
    folder_ = pattern;
    if (geteuid() == 0) {
      user_ = getpwnam("postgres");
      if (user_ == nullptr || chown(folder_.c_str(), user_->pw_uid, user_->pw_gid) != 0) {
        std::abort();
      }
    }
    const std::string data = folder_ + "/data";
    const pid_t made = spawn({"initdb", "-D", data, "-U", "dp", "-A", "trust", "-E", "UTF8",
                              "--no-locale", "--no-sync"});
    int status = 1;
    waitpid(made, &status, 0);
    if (status != 0) std::abort();
    std::ofstream(data + "/pg_hba.conf")
        << "local all guarded scram-sha-256\nlocal all all trust\n";
    server_ =
        spawn({"postgres", "-D", data, "-k", folder_, "-c", "listen_addresses=", "-c", "fsync=off",
               "-c", "max_connections=20", "-c", "shared_buffers=16MB", "-c", "autovacuum=off"});
    for (int i = 0; i < 2000 && PQping(url("dp").c_str()) != PQPING_OK; ++i) usleep(5'000);
    admin_.reset(PQconnectdb(url("dp").c_str()));
    PQsetNoticeProcessor(admin_.get(), [](void*, const char*) {}, nullptr);
    must(
        "CREATE ROLE reader LOGIN; CREATE ROLE guarded LOGIN PASSWORD 'right'; "
        "CREATE ROLE writer LOGIN");
    must(
        "CREATE COLLATION caseless (provider = icu, locale = 'und-u-ks-level2', "
        "deterministic = false)");
  }

  pid_t spawn(const std::vector<std::string>& words) {
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child != 0) return child;
    if (user_ != nullptr && (setgid(user_->pw_gid) != 0 || setuid(user_->pw_uid) != 0)) _exit(1);
    prctl(PR_SET_PDEATHSIG, SIGQUIT);  // a crashed test takes it along
    if (std::freopen((folder_ + "/log").c_str(), "a", stdout) == nullptr) _exit(1);
    dup2(1, 2);
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    execv(("/usr/lib/postgresql/15/bin/" + words[0]).c_str(), arguments.data());
    _exit(1);
  }
  void stop() {
    if (server_ <= 0) return;
    kill(server_, SIGQUIT);
    waitpid(server_, nullptr, 0);
    server_ = 0;
  }

  std::string folder_;
  passwd* user_ = nullptr;
  pid_t server_ = 0;
  Connected admin_;
  int schemas_ = 0;
};

/// A table's columns and their types in the database.
using TableColumns = std::vector<std::pair<std::string, std::string>>;

inline std::string value_sql(const policy::Value& value, const std::string& type) {
  if (value.is_null()) return "NULL";
  if (const bool* truth = std::get_if<bool>(&value.data)) return *truth ? "TRUE" : "FALSE";
  if (std::holds_alternative<std::string>(value.data)) return lowering::quote_text(value.text());
  const std::string number = value.number().to_string();
  if (type == "date") return "(DATE '1970-01-01' + " + number + ")";
  if (type.starts_with("timestamp")) {
    const Integer micros = value.number().numerator();
    return "(TIMESTAMP '1970-01-01' + make_interval(days => " +
           Integer(micros / 86'400'000'000).get_str() + ") + " +
           Integer(micros % 86'400'000'000).get_str() + " * INTERVAL '1 microsecond')";
  }
  return "CAST('" + number + "' AS " + type + ")";
}

inline void make_table(const std::string& schema, const std::string& table,
                       const TableColumns& columns, const std::vector<plan::RawRow>& rows) {
  PrivatePostgres& server = PrivatePostgres::instance();
  const std::string name = schema + "." + lowering::quote_name(table);
  std::string sql;
  for (const auto& [column, type] : columns) {
    sql += (sql.empty() ? "" : ", ") + lowering::quote_name(column) + " " + type;
  }
  server.must("CREATE TABLE " + name + " (" + sql + ")");
  std::string values;
  for (const plan::RawRow& row : rows) {
    values += values.empty() ? "(" : ", (";
    for (const auto& [column, type] : columns) {
      values += value_sql(plan::raw(row, column), type) + ", ";
    }
    values.replace(values.size() - 2, 2, ")");
  }
  if (!values.empty()) server.must("INSERT INTO " + name + " VALUES " + values);
}

/// The columns of plan/policy_for_tests.h, as a database holds them.
inline const std::map<std::string, TableColumns>& clinic_columns() {
  static const std::map<std::string, TableColumns> columns = {
      {"patients",
       {{"id", "bigint"}, {"cohort", "smallint"}, {"zip", "text"}, {"weight", "numeric(9,3)"}}},
      {"visits",
       {{"id", "integer"},
        {"patient_id", "bigint"},
        {"age", "integer"},
        {"change", "smallint"},
        {"cost", "numeric(18,3)"},
        {"clinic", "varchar(20)"},
        {"city", "text COLLATE caseless"},
        {"day", "date"},
        {"at", "timestamp"},
        {"urgent", "boolean"},
        {"serial", "bigint"},
        {"note", "text"},
        {"secret", "integer"},
        {"filled", "bigint"}}},
      {"labs", {{"visit_id", "integer"}, {"value", "numeric"}}},
      {"zips", {{"zip", "text"}, {"region", "text"}}},
      {"events", {{"size", "smallint"}}},
  };
  return columns;
}

/// Makes every table of the policy in a schema of its own and points it there.
inline void write_clinic(const plan::Database& database, policy::Policy& policy) {
  PrivatePostgres& server = PrivatePostgres::instance();
  const std::string schema = server.fresh_schema();
  policy.engine = server.url();
  for (auto& [name, table] : policy.tables) {
    const auto rows = database.find(name);
    make_table(schema, name, clinic_columns().at(name),
               rows == database.end() ? std::vector<plan::RawRow>{} : rows->second);
    table.source = schema + "." + name;
  }
}

}  // namespace discreet::engine::postgres
