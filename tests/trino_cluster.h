// SPDX-License-Identifier: Apache-2.0
// The cluster that tests/trino.sh started, and tables in it: Parquet files that DuckDB wrote,
// several for each table, so that a table is split over the workers.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/duckdb/files_for_tests.h"
#include "engine/trino/client.h"
#include "plan/reference_for_tests.h"

namespace discreet::engine::trino {

using duckdb::GatheredLog;
using lowering::quote_name;
using lowering::quote_text;

class Cluster {
 public:
  /// The one in the folder that DISCREET_TRINO names. Waits until it is up.
  static Cluster& instance() {
    static Cluster one;
    return one;
  }

  std::string url() const { return "trino://test@127.0.0.1:" + text("port") + "?tls=no"; }
  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  std::string text(const std::string& name) const {
    std::ifstream file(path(name));
    std::string out;
    std::getline(file, out);
    return out;
  }
  Client& client() { return *client_; }

  /// SQL of the owner's that must succeed; the first value, if it is a number.
  std::int64_t must(const std::string& sql) {
    GatheredLog log;
    auto rows = client_->ask(sql, log.log());
    EXPECT_TRUE(rows.has_value()) << sql.substr(0, 2000) << "\n" << log.said;
    const bool number = rows && !rows->empty() && !rows->front().empty() &&
                        std::holds_alternative<std::int64_t>(rows->front()[0]);
    return number ? std::get<std::int64_t>(rows->front()[0]) : 0;
  }

  /// kill N, again N.
  void script(const std::string& words) const {
    const std::string command = std::string(DISCREET_SOURCE_DIR) + "/tests/trino.sh " +
                                words.substr(0, words.find(' ')) + " " + folder_ +
                                words.substr(words.find(' ')) + " > /dev/null";
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
  }
  /// How many are there; 0 also while a lost one is still asked.
  std::int64_t workers() {
    const auto rows = client_->ask(
        "SELECT count(*) FROM system.runtime.nodes WHERE NOT coordinator AND state = 'active'", {});
    return rows && rows->size() == 1 ? std::get<std::int64_t>(rows->front().at(0)) : 0;
  }

  /// A rule of access control for a table, while `body` runs. The cluster reads its rules every
  /// second.
  void with_rule(const std::string& rule, const std::function<void()>& body) const {
    std::ifstream file(path("rules.json"));
    const std::string before((std::istreambuf_iterator<char>(file)), {});
    const auto write = [&](const std::string& rules) {
      std::ofstream(path("rules.new")) << rules;
      std::filesystem::rename(path("rules.new"), path("rules.json"));
      usleep(1'500'000);
    };
    std::string after = before;
    after.insert(after.find('[') + 1, rule + ",");
    write(after);
    body();
    write(before);
  }

  /// A schema of hive's that was not used before, and where its files lie.
  std::string fresh_schema() {
    const std::string name = "s" + std::to_string(getpid()) + "_" + std::to_string(++schemas_);
    must("CREATE SCHEMA hive." + name);
    return name;
  }
  /// Files of a table are in warehouse/files/SCHEMA/TABLE.
  std::string files(const std::string& schema, const std::string& table) {
    const std::string place = path("warehouse/files/" + schema + "/" + table);
    std::filesystem::create_directories(place);
    return place;
  }
  void make_table(const std::string& schema, const std::string& table,
                  const std::vector<std::pair<std::string, std::string>>& columns) {
    std::string sql;
    for (const auto& [name, type] : columns) {
      sql += (sql.empty() ? "" : ", ") + quote_name(name) + " " + type;
    }
    must("CREATE TABLE hive." + schema + "." + quote_name(table) + " (" + sql +
         ") WITH (format = 'PARQUET', external_location = 'local:///files/" + schema + "/" + table +
         "')");
  }

 private:
  Cluster() {
    const char* const named = std::getenv("DISCREET_TRINO");
    folder_ = named != nullptr ? named : std::string(DISCREET_SOURCE_DIR) + "/build/trino";
    for (int i = 0; i < 3000 && !std::filesystem::exists(path("ready")); ++i) {
      if (std::filesystem::exists(path("failed")) ||
          (i == 50 && !std::filesystem::exists(folder_))) {
        break;
      }
      usleep(200'000);
    }
    GatheredLog log;
    auto opened = std::filesystem::exists(path("ready")) ? Client::open(url(), log.log())
                                                         : Error{Code::kNotFound, "not ready"};
    if (!opened) {
      std::fprintf(stderr, "no cluster in %s (%s); ./dev test starts one\n", folder_.c_str(),
                   opened.error().message.c_str());
      std::exit(1);
    }
    client_ = *std::move(opened);
  }

  std::string folder_;
  std::unique_ptr<Client> client_;
  int schemas_ = 0;
};

/// The columns of plan/policy_for_tests.h: how DuckDB writes them, how Trino reads them.
struct ClinicColumn {
  std::string name;
  std::string written;
  std::string read;
};

inline const std::map<std::string, std::vector<ClinicColumn>>& clinic_columns() {
  static const std::map<std::string, std::vector<ClinicColumn>> columns = {
      {"patients",
       {{"id", "BIGINT", "bigint"},
        {"cohort", "SMALLINT", "smallint"},
        {"zip", "VARCHAR", "varchar"},
        {"weight", "DECIMAL(9,3)", "decimal(9,3)"}}},
      {"visits",
       {{"id", "INTEGER", "integer"},
        {"patient_id", "BIGINT", "bigint"},
        {"age", "INTEGER", "integer"},
        {"change", "TINYINT", "tinyint"},
        {"cost", "DECIMAL(18,3)", "decimal(18,3)"},
        {"clinic", "VARCHAR", "varchar(20)"},
        {"city", "VARCHAR", "varchar"},
        {"day", "DATE", "date"},
        {"at", "TIMESTAMP", "timestamp(6)"},
        {"urgent", "BOOLEAN", "boolean"},
        {"serial", "BIGINT", "bigint"},
        {"note", "VARCHAR", "varchar"},
        {"secret", "INTEGER", "integer"},
        {"filled", "BIGINT", "bigint"}}},
      {"labs", {{"visit_id", "INTEGER", "integer"}, {"value", "DECIMAL(38,0)", "decimal(38,0)"}}},
      {"zips", {{"zip", "VARCHAR", "varchar"}, {"region", "VARCHAR", "varchar"}}},
      {"events", {{"size", "SMALLINT", "smallint"}}},
  };
  return columns;
}

/// Makes every table of the policy in a schema of its own, in `split` files each, and points it
/// there.
inline void write_clinic(const plan::Database& database, policy::Policy& policy,
                         std::size_t split) {
  Cluster& cluster = Cluster::instance();
  const std::string schema = cluster.fresh_schema();
  policy.engine = cluster.url();
  for (auto& [name, table] : policy.tables) {
    duckdb::FileColumns written;
    std::vector<std::pair<std::string, std::string>> read;
    for (const ClinicColumn& column : clinic_columns().at(name)) {
      written.emplace_back(column.name, column.written);
      read.emplace_back(column.name, column.read);
    }
    const auto found = database.find(name);
    const std::vector<plan::RawRow> rows =
        found == database.end() ? std::vector<plan::RawRow>{} : found->second;
    const std::string place = cluster.files(schema, name);
    for (std::size_t part = 0; part < split; ++part) {
      std::vector<plan::RawRow> some;
      for (std::size_t i = part; i < rows.size(); i += split) some.push_back(rows[i]);
      const duckdb::ScratchFolder folder;
      const std::string file = duckdb::write_table(folder, "parquet", name, written, some);
      std::filesystem::copy(folder / file, place + "/" + std::to_string(part) + ".parquet");
    }
    cluster.make_table(schema, name, read);
    table.source = "hive." + schema + "." + name;
  }
}

}  // namespace discreet::engine::trino
