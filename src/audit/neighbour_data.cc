// SPDX-License-Identifier: Apache-2.0
#include "audit/neighbour_data.h"

#include <cstdlib>
#include <utility>
#include <vector>

#include "engine/duckdb/connection.h"
#include "engine/duckdb/sources.h"

namespace discreet::audit {
namespace {

using engine::duckdb::SourceName;

std::string quoted(const std::string& text, char mark) {
  std::string out(1, mark);
  for (const char c : text) {
    out += c;
    if (c == mark) out += c;
  }
  return out + mark;
}

/// What reads the source, as the engine does: text where a file declares no types.
Result<std::string> reader_of(const SourceName& source, engine::duckdb::Connection& connection,
                              int number, const engine::OwnerLog& log) {
  const std::string path = quoted(source.path, '\'');
  switch (source.kind) {
    case SourceName::Kind::kParquet:
      return "read_parquet(" + path + ")";
    case SourceName::Kind::kCsv:
      return "read_csv(" + path + ", all_varchar = true, header = true, delim = " +
             (source.path.ends_with(".tsv") ? "'\t'" : "','") + ")";
    case SourceName::Kind::kTable: {
      const std::string name = "source" + std::to_string(number);
      DISCREET_TRY(connection.query("ATTACH " + path + " AS " + name + " (READ_ONLY)", log));
      const std::size_t dot = source.table.find('.');
      const std::string table = dot == std::string::npos
                                    ? quoted(source.table, '"')
                                    : quoted(source.table.substr(0, dot), '"') + "." +
                                          quoted(source.table.substr(dot + 1), '"');
      return name + "." + table;
    }
    case SourceName::Kind::kJson:
      break;
  }
  return Error{Code::kUnsupported,
               "a neighbour can be made of Parquet, CSV and DuckDB sources, not of JSON"};
}

}  // namespace

Result<NeighbourData> NeighbourData::make(const policy::Policy& policy, const Neighbour& neighbour,
                                          const engine::OwnerLog& log) {
  const char* const base = std::getenv("TMPDIR");
  std::string pattern =
      std::string(base == nullptr || *base == '\0' ? "/tmp" : base) + "/discreet-neighbour-XXXXXX";
  if (mkdtemp(pattern.data()) == nullptr) {
    return Error{Code::kStorage, "no folder for the neighbour's data can be made; set TMPDIR"};
  }
  NeighbourData data(pattern, policy);
  DISCREET_ASSIGN(const auto connection, engine::duckdb::Connection::open(0, log));
  int copied = 0;
  int number = 0;
  for (auto& [name, table] : data.policy_.tables) {
    ++number;
    DISCREET_ASSIGN(const SourceName source,
                    engine::duckdb::parse_source(table.source, policy.directory));
    DISCREET_ASSIGN(const auto columns,
                    engine::duckdb::describe_source(table.source, policy.directory, log));
    bool has = false;
    for (const policy::SchemaColumn& column : columns) has = has || column.name == neighbour.column;
    if (!has) {  // as it is, from where it is
      table.source = source.kind == SourceName::Kind::kTable
                         ? std::filesystem::absolute(source.path).string() + ":" + source.table
                         : std::filesystem::absolute(source.path).string();
      continue;
    }
    DISCREET_ASSIGN(const std::string reader, reader_of(source, *connection, number, log));
    const bool csv = source.kind == SourceName::Kind::kCsv;
    const std::string file = pattern + "/" + std::to_string(number) + (csv ? ".csv" : ".parquet");
    DISCREET_TRY(connection->query(
        "COPY (SELECT * FROM " + reader + " WHERE CAST(" + quoted(neighbour.column, '"') +
            " AS VARCHAR) IS DISTINCT FROM " + quoted(neighbour.value, '\'') + ") TO " +
            quoted(file, '\'') + (csv ? " (FORMAT csv, HEADER)" : " (FORMAT parquet)"),
        log));
    table.source = file;
    ++copied;
  }
  if (copied == 0) {
    return Error{Code::kNotFound, "no table of the policy has a column " +
                                      in_quotes(neighbour.column) +
                                      "; name the column that tells whose row it is"};
  }
  data.policy_.directory = pattern;
  return data;
}

NeighbourData::NeighbourData(NeighbourData&& other) noexcept
    : folder_(std::exchange(other.folder_, {})), policy_(std::move(other.policy_)) {}

NeighbourData::~NeighbourData() {
  if (folder_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

}  // namespace discreet::audit
