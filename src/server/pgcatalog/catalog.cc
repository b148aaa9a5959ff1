// SPDX-License-Identifier: Apache-2.0
#include "server/pgcatalog/catalog.h"

#include <charconv>
#include <condition_variable>
#include <map>
#include <thread>

#include "engine/duckdb/connection.h"
#include "server/pgcatalog/tables.h"

namespace discreet::server::pgcatalog {
namespace {

namespace duckdb = engine::duckdb;

/// Stops a statement that takes too long.
class Watch {
 public:
  Watch(duckdb::Connection& connection, int allowed_ms)
      : thread_([this, &connection, allowed_ms] {
          std::unique_lock lock(mutex_);
          const auto time = std::chrono::milliseconds(allowed_ms);
          while (!is_over_.wait_for(lock, is_late_ ? std::chrono::milliseconds(10) : time,
                                    [&] { return is_done_; })) {
            is_late_ = true;  // again and again: a statement may be between two stops
            connection.interrupt();
          }
        }) {}
  ~Watch() {
    {
      const std::lock_guard lock(mutex_);
      is_done_ = true;
    }
    is_over_.notify_one();
    thread_.join();
  }

 private:
  std::mutex mutex_;
  std::condition_variable is_over_;
  bool is_done_ = false;
  bool is_late_ = false;
  std::thread thread_;
};

std::uint32_t type_named(const std::string& name) {
  static const std::map<std::string, std::uint32_t> kTypes = {
      {"VARCHAR", 25},      {"\"NULL\"", 25},    {"BOOLEAN", 16},     {"TINYINT", 21},
      {"SMALLINT", 21},     {"INTEGER", 23},     {"BIGINT", 20},      {"UINTEGER", 26},
      {"UBIGINT", 20},      {"HUGEINT", 1700},   {"DOUBLE", 701},     {"FLOAT", 701},
      {"DATE", 1082},       {"TIMESTAMP", 1114}, {"VARCHAR[]", 1009}, {"UINTEGER[]", 1028},
      {"SMALLINT[]", 1005}, {"INTEGER[]", 1007}, {"BIGINT[]", 1016},  {"BOOLEAN[]", 1000}};
  if (name.starts_with("DECIMAL")) return 1700;
  const auto found = kTypes.find(name);
  return found == kTypes.end() ? 0 : found->second;
}

template <class T>
std::string digits(const duckdb::Column& column, idx_t row) {
  return std::to_string(column.values<T>()[row]);
}

std::string decimal(double value) {
  char text[64];
  const auto end = std::to_chars(text, text + sizeof(text), value).ptr;
  return {text, end};
}

std::string text_of(duckdb_vector vector, idx_t row);

std::string list_text(duckdb_vector vector, idx_t row) {
  const duckdb::Column column(vector);
  const duckdb_list_entry entry = column.values<duckdb_list_entry>()[row];
  duckdb_vector child = duckdb_list_vector_get_child(vector);
  const duckdb::Column items(child);
  std::string out = "{";
  for (idx_t i = entry.offset; i < entry.offset + entry.length; ++i) {
    if (i > entry.offset) out += ',';
    if (items.is_null(i)) {
      out += "NULL";
      continue;
    }
    const std::string item = text_of(child, i);
    const bool is_plain = !item.empty() && item.find_first_of("{}\", \\\t\n") == item.npos;
    if (is_plain) {
      out += item;
      continue;
    }
    out += '"';
    for (const char c : item) {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
    out += '"';
  }
  return out + "}";
}

/// Requires: not NULL.
std::string text_of(duckdb_vector vector, idx_t row) {
  const duckdb::LogicalType type(duckdb_vector_get_column_type(vector));
  const duckdb::Column column(vector);
  switch (duckdb_get_type_id(type.get())) {
    case DUCKDB_TYPE_BOOLEAN:
      return column.values<bool>()[row] ? "t" : "f";
    case DUCKDB_TYPE_TINYINT:
      return digits<std::int8_t>(column, row);
    case DUCKDB_TYPE_SMALLINT:
      return digits<std::int16_t>(column, row);
    case DUCKDB_TYPE_INTEGER:
      return digits<std::int32_t>(column, row);
    case DUCKDB_TYPE_BIGINT:
      return digits<std::int64_t>(column, row);
    case DUCKDB_TYPE_UINTEGER:
      return digits<std::uint32_t>(column, row);
    case DUCKDB_TYPE_UBIGINT:
      return digits<std::uint64_t>(column, row);
    case DUCKDB_TYPE_HUGEINT:  // sums of small numbers
      return std::to_string(static_cast<std::int64_t>(column.values<duckdb_hugeint>()[row].lower));
    case DUCKDB_TYPE_DOUBLE:
      return decimal(column.values<double>()[row]);
    case DUCKDB_TYPE_FLOAT:
      return decimal(static_cast<double>(column.values<float>()[row]));
    case DUCKDB_TYPE_LIST:
      return list_text(vector, row);
    case DUCKDB_TYPE_VARCHAR:
      return std::string(column.text(row));
    case DUCKDB_TYPE_DATE:
      return policy::to_string(
          policy::Value{Rational(column.values<duckdb_date>()[row].days), policy::Type::kDate});
    case DUCKDB_TYPE_TIMESTAMP:
      return policy::to_string(policy::Value{
          Rational(column.values<duckdb_timestamp>()[row].micros), policy::Type::kTimestamp});
    default:
      return "";
  }
}

/// Of a text, before it is copied; of other values nothing, since they are short.
std::size_t text_size(duckdb_vector vector, idx_t row) {
  const duckdb::LogicalType type(duckdb_vector_get_column_type(vector));
  const bool is_text = duckdb_get_type_id(type.get()) == DUCKDB_TYPE_VARCHAR;
  return is_text ? duckdb::Column(vector).text(row).size() : 0;
}

}  // namespace

Catalog::Catalog(CatalogLimits limits) : limits_(limits) {}
Catalog::~Catalog() = default;

Result<std::unique_ptr<Catalog>> Catalog::open(const policy::Policy& policy, CatalogLimits limits) {
  std::unique_ptr<Catalog> catalog(new Catalog(limits));
  std::string words;
  const engine::OwnerLog log{.say = [&](const std::string& said) { words = said; }, .progress = {}};
  DISCREET_ASSIGN(catalog->connection_, duckdb::Connection::open(1, log));
  std::vector<std::string> statements = setup(policy);
  statements.emplace_back("SET memory_limit = '256MB'");
  for (const std::string& statement : statements) {
    const auto done = catalog->connection_->query(statement, log);
    if (!done) return Error{Code::kBug, words + " in " + statement};
  }
  DISCREET_TRY(catalog->connection_->lock({}, log));
  return catalog;
}

template <class Take>
Result<void> Catalog::query(const std::string& sql, const Take& take) {
  const std::lock_guard lock(mutex_);
  std::string words;
  const engine::OwnerLog log{.say = [&](const std::string& said) { words = said; }, .progress = {}};
  Result<void> done = [&] {
    const Watch watch(*connection_, limits_.statement_ms);
    return connection_->query(sql, log, take);
  }();
  connection_->resume();
  if (done) return {};
  if (done.error().code == Code::kInterrupted) {
    return Error{Code::kInterrupted, "the statement took too long"};
  }
  words = words.substr(0, words.find('\n')).substr(0, 300);
  return Error{Code::kUnsupported, "the catalog cannot answer this: " + words};
}

Result<std::vector<CatalogColumn>> Catalog::describe(const std::string& sql) {
  std::vector<CatalogColumn> columns;
  std::string unknown;
  DISCREET_TRY(query("DESCRIBE " + sql, [&](const duckdb::Chunk& chunk) {
    const duckdb::Column names = duckdb::column(chunk, 0);
    const duckdb::Column types = duckdb::column(chunk, 1);
    for (idx_t row = 0; row < duckdb_data_chunk_get_size(chunk.get()); ++row) {
      const std::string type(types.text(row));
      columns.push_back({std::string(names.text(row)), type_named(type)});
      if (columns.back().type == 0) unknown = type;
    }
  }));
  if (!unknown.empty()) {
    return Error{Code::kUnsupported, "the catalog cannot show a column of type " + unknown};
  }
  return columns;
}

Result<std::vector<CatalogRow>> Catalog::run(const std::string& sql) {
  std::vector<CatalogRow> rows;
  bool is_full = false;
  std::size_t bytes = 0;
  DISCREET_TRY(query(sql, [&](const duckdb::Chunk& chunk) {
    const idx_t columns = duckdb_data_chunk_get_column_count(chunk.get());
    for (idx_t row = 0; row < duckdb_data_chunk_get_size(chunk.get()) && !is_full; ++row) {
      is_full = rows.size() >= limits_.rows_max || bytes > limits_.cells_bytes;
      CatalogRow cells(columns);
      bytes += columns * sizeof(cells[0]);
      for (idx_t c = 0; c < columns; ++c) {
        duckdb_vector vector = duckdb_data_chunk_get_vector(chunk.get(), c);
        if (duckdb::Column(vector).is_null(row)) continue;
        bytes += text_size(vector, row);
        if (bytes <= limits_.cells_bytes) cells[c] = text_of(vector, row);
      }
      rows.push_back(std::move(cells));
    }
  }));
  if (is_full || bytes > limits_.cells_bytes) {
    return Error{Code::kUnsupported, "too many rows, or too long ones; add a WHERE or a LIMIT"};
  }
  return rows;
}

}  // namespace discreet::server::pgcatalog
