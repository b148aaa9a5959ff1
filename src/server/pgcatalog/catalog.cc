// SPDX-License-Identifier: Apache-2.0
#include "server/pgcatalog/catalog.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <map>
#include <system_error>
#include <thread>

#include "engine/duckdb/connection.h"
#include "server/pgcatalog/tables.h"

namespace discreet::server::pgcatalog {
namespace {

namespace duckdb = engine::duckdb;

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

/// A thread that stops statements that take too long.
class Catalog::Deadlines {
 public:
  explicit Deadlines(std::chrono::milliseconds most) : most_(most), thread_([this] { watch(); }) {}
  ~Deadlines() {
    {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }

  void begin(duckdb::Connection& connection) {
    const std::lock_guard lock(mutex_);
    running_[&connection] = Steady::now() + most_;
    changed_.notify_one();
  }
  void end(duckdb::Connection& connection) {
    const std::lock_guard lock(mutex_);
    running_.erase(&connection);
  }

 private:
  using Steady = std::chrono::steady_clock;

  void watch() {
    std::unique_lock lock(mutex_);
    while (!is_over_) {
      if (running_.empty()) {
        changed_.wait(lock);
        continue;
      }
      Steady::time_point next = Steady::time_point::max();
      for (auto& [connection, end] : running_) {
        if (end <= Steady::now()) {
          connection->interrupt();
          end = Steady::now() + kAgain;
        }
        next = std::min(next, end);
      }
      changed_.wait_until(lock, next);
    }
  }

  static constexpr std::chrono::milliseconds kAgain{10};  // it may be between two steps
  const std::chrono::milliseconds most_;
  std::mutex mutex_;  // guards the rest
  std::condition_variable changed_;
  bool is_over_ = false;
  std::map<duckdb::Connection*, Steady::time_point> running_;
  std::thread thread_;  // last: it uses the rest
};

/// A client's turn, with a connection of its own (G3).
class Catalog::Turn {
 public:
  static Result<std::unique_ptr<Turn>> wait_for(Catalog& catalog, const std::string& client) {
    std::unique_lock lock(catalog.mutex_);
    const auto place = catalog.waiting_.insert(catalog.waiting_.end(), client);
    const bool is_next =
        catalog.changed_.wait_for(lock, std::chrono::milliseconds(catalog.limits_.wait_ms),
                                  [&] { return may_go(catalog, place); });
    catalog.waiting_.erase(place);
    catalog.changed_.notify_all();
    if (!is_next) return Error{Code::kInterrupted, "the catalog is busy; try again"};
    std::unique_ptr<Turn> turn(new Turn(catalog, client));
    catalog.running_.insert(client);
    if (!catalog.free_.empty()) {
      turn->connection_ = std::move(catalog.free_.back());
      catalog.free_.pop_back();
      return turn;
    }
    ++catalog.opened_;
    lock.unlock();
    auto made = catalog.open_one();
    if (!made) return made.error();
    turn->connection_ = std::move(*made);
    return turn;
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() {
    const std::lock_guard lock(catalog_.mutex_);
    if (connection_) {
      catalog_.free_.push_back(std::move(connection_));
    } else {
      --catalog_.opened_;
    }
    catalog_.running_.erase(client_);
    catalog_.changed_.notify_all();
  }
  duckdb::Connection& connection() { return *connection_; }

 private:
  Turn(Catalog& catalog, std::string client) : catalog_(catalog), client_(std::move(client)) {}

  /// Whether nobody who came before could go in its place.
  static bool may_go(const Catalog& catalog, std::list<std::string>::const_iterator place) {
    if (catalog.free_.empty() && catalog.opened_ >= catalog.limits_.connections) return false;
    const auto first = std::ranges::find_if(catalog.waiting_, [&](const std::string& client) {
      return !catalog.running_.contains(client);
    });
    return first == place;
  }

  Catalog& catalog_;
  const std::string client_;
  Opened connection_;
};

Catalog::Catalog(const policy::Policy& policy, CatalogLimits limits)
    : limits_(limits), setup_(setup(policy)) {}
Catalog::~Catalog() = default;

Result<std::unique_ptr<Catalog>> Catalog::open(const policy::Policy& policy, CatalogLimits limits) {
  std::unique_ptr<Catalog> catalog(new Catalog(policy, limits));
  try {
    catalog->deadlines_ =
        std::make_unique<Deadlines>(std::chrono::milliseconds(limits.statement_ms));
  } catch (const std::system_error&) {
    return Error{Code::kStorage, "the system has no thread left for the catalog"};
  }
  DISCREET_ASSIGN(Opened first, catalog->open_one());
  catalog->free_.push_back(std::move(first));
  catalog->opened_ = 1;
  return catalog;
}

Result<Catalog::Opened> Catalog::open_one() const {
  std::string words;
  const engine::OwnerLog log{.say = [&](const std::string& said) { words = said; }, .progress = {}};
  DISCREET_ASSIGN(Opened connection, duckdb::Connection::open(1, log));
  std::vector<std::string> statements = setup_;
  statements.emplace_back("SET memory_limit = '128MB'");
  for (const std::string& statement : statements) {
    const auto done = connection->query(statement, log);
    if (!done) return Error{Code::kBug, words + " in " + statement};
  }
  DISCREET_TRY(connection->lock({}, log));
  return connection;
}

template <class Take>
Result<void> Catalog::query(const std::string& sql, const std::string& client, const Take& take) {
  DISCREET_ASSIGN(const std::unique_ptr<Turn> turn, Turn::wait_for(*this, client));
  duckdb::Connection& connection = turn->connection();
  std::string words;
  const engine::OwnerLog log{.say = [&](const std::string& said) { words = said; }, .progress = {}};
  deadlines_->begin(connection);
  const Result<void> done = connection.query(sql, log, take);
  deadlines_->end(connection);
  connection.resume();
  if (done) return {};
  if (done.error().code == Code::kInterrupted) {
    return Error{Code::kInterrupted, "the statement took too long"};
  }
  words = words.substr(0, words.find('\n')).substr(0, 300);
  return Error{Code::kUnsupported, "the catalog cannot answer this: " + words};
}

Result<std::vector<CatalogColumn>> Catalog::describe(const std::string& sql,
                                                     const std::string& client) {
  std::vector<CatalogColumn> columns;
  std::string unknown;
  DISCREET_TRY(query("DESCRIBE " + sql, client, [&](const duckdb::Chunk& chunk) {
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

Result<std::vector<CatalogRow>> Catalog::run(const std::string& sql, const std::string& client) {
  std::vector<CatalogRow> rows;
  bool is_full = false;
  std::size_t bytes = 0;
  DISCREET_TRY(query(sql, client, [&](const duckdb::Chunk& chunk) {
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
