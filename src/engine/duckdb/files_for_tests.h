// SPDX-License-Identifier: Apache-2.0
// The rows of a test as files: Parquet, CSV, JSON or a DuckDB database in a folder of their own,
// written by a DuckDB that is not locked.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/duckdb/connection.h"
#include "engine/lowering/sql.h"
#include "engine/scratch_for_tests.h"
#include "plan/policy_for_tests.h"
#include "plan/reference_for_tests.h"

namespace discreet::engine::duckdb {

using engine::GatheredLog;
using engine::ScratchFolder;
using lowering::quote_name;
using lowering::quote_text;

inline void write_file(const std::string& path, const std::string& contents) {
  std::ofstream(path, std::ios::binary) << contents;
}

/// One private table `t` with a unit `u` and an integer `x`.
inline policy::Policy one_table(const ScratchFolder& folder, const std::string& source) {
  policy::Policy policy;
  policy.units["people"].name = "people";
  policy.directory = folder.path();
  policy::Table& table = policy.tables["t"];
  table.name = "t";
  table.source = source;
  table.unit = policy::UnitPath{"people", {}, "u", false};
  table.columns = {plan::column_of("x", policy::Type::kInteger, plan::Grid{0, 100, 1})};
  return policy;
}

/// Runs SQL that must succeed.
inline void must(Connection& connection, const std::string& sql) {
  GatheredLog gathered;
  Result<void> done = connection.query(sql, gathered.log());
  ASSERT_TRUE(done.has_value()) << sql << "\n" << gathered.said;
}

/// A table's columns and their types in the file.
using FileColumns = std::vector<std::pair<std::string, std::string>>;

inline std::string value_sql(const policy::Value& value, const std::string& type) {
  if (value.is_null()) return "NULL";
  if (const bool* truth = std::get_if<bool>(&value.data)) return *truth ? "TRUE" : "FALSE";
  if (std::holds_alternative<std::string>(value.data)) return quote_text(value.text());
  const std::string number = value.number().to_string();
  if (type == "DATE") return "(DATE '1970-01-01' + " + number + ")";
  if (type == "TIMESTAMP") return "make_timestamp(" + number + ")";
  return "CAST(" + quote_text(number) + " AS " + type + ")";
}

inline void make_table(Connection& connection, const std::string& table, const FileColumns& columns,
                       const std::vector<plan::RawRow>& rows) {
  std::string sql = "CREATE TABLE " + quote_name(table) + " (";
  for (const auto& [name, type] : columns) sql += quote_name(name) + " " + type + ", ";
  must(connection, sql.substr(0, sql.size() - 2) + ")");
  std::string values;
  for (const plan::RawRow& row : rows) {
    values += values.empty() ? "(" : ", (";
    for (const auto& [name, type] : columns) {
      values += value_sql(plan::raw(row, name), type) + ", ";
    }
    values.replace(values.size() - 2, 2, ")");
  }
  if (!values.empty()) {
    must(connection, "INSERT INTO " + quote_name(table) + " VALUES " + values);
  }
}

/// Writes tables of one format into a folder. `format`: parquet, csv, json, duckdb.
class TableWriter {
 public:
  TableWriter(const ScratchFolder& folder, std::string format)
      : folder_(folder), format_(std::move(format)) {
    auto opened = Connection::open(1, {});
    if (!opened) std::abort();
    connection_ = *std::move(opened);
    if (format_ != "duckdb") return;
    must(*connection_, "ATTACH " + quote_text(folder / "all.duckdb") + " AS f");
    must(*connection_, "USE f");
  }

  /// The source that a policy names.
  std::string write(const std::string& table, const FileColumns& columns,
                    const std::vector<plan::RawRow>& rows) {
    make_table(*connection_, table, columns, rows);
    if (format_ == "duckdb") return "all.duckdb:" + table;
    const std::string file = table + "." + format_;
    must(*connection_, "COPY " + quote_name(table) + " TO " + quote_text(folder_ / file) +
                           (format_ == "csv"    ? " (FORMAT csv, HEADER)"
                            : format_ == "json" ? " (FORMAT json)"
                                                : " (FORMAT parquet)"));
    return file;
  }

 private:
  const ScratchFolder& folder_;
  std::string format_;
  std::unique_ptr<Connection> connection_;
};

inline std::string write_table(const ScratchFolder& folder, const std::string& format,
                               const std::string& table, const FileColumns& columns,
                               const std::vector<plan::RawRow>& rows) {
  return TableWriter(folder, format).write(table, columns, rows);
}

/// The columns of plan/policy_for_tests.h, as files hold them.
inline const std::map<std::string, FileColumns>& clinic_columns() {
  static const std::map<std::string, FileColumns> columns = {
      {"patients",
       {{"id", "BIGINT"}, {"cohort", "SMALLINT"}, {"zip", "VARCHAR"}, {"weight", "DECIMAL(9,3)"}}},
      {"visits",
       {{"id", "INTEGER"},
        {"patient_id", "BIGINT"},
        {"age", "INTEGER"},
        {"change", "TINYINT"},
        {"cost", "DECIMAL(18,3)"},
        {"clinic", "VARCHAR"},
        {"city", "VARCHAR"},
        {"day", "DATE"},
        {"at", "TIMESTAMP"},
        {"urgent", "BOOLEAN"},
        {"serial", "BIGINT"},
        {"note", "VARCHAR"},
        {"secret", "INTEGER"},
        {"filled", "BIGINT"}}},
      {"labs", {{"visit_id", "INTEGER"}, {"value", "HUGEINT"}}},
      {"zips", {{"zip", "VARCHAR"}, {"region", "VARCHAR"}}},
      {"events", {{"size", "UTINYINT"}}},
  };
  return columns;
}

/// Writes every table of the policy and points it there.
inline void write_clinic(const ScratchFolder& folder, const std::string& format,
                         const plan::Database& database, policy::Policy& policy) {
  policy.directory = folder.path();
  TableWriter writer(folder, format);
  for (auto& [name, table] : policy.tables) {
    const auto rows = database.find(name);
    table.source =
        writer.write(name, clinic_columns().at(name),
                     rows == database.end() ? std::vector<plan::RawRow>{} : rows->second);
  }
}

}  // namespace discreet::engine::duckdb
