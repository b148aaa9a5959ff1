// SPDX-License-Identifier: Apache-2.0
// DuckDB and Parquet files whose columns hold random bits of every type that is read, written
// through DuckDB's C interface without a look at them, with and without the rows of one unit. What
// is read of all others, under any filter, must be the same, and nothing may fail. (Of Parquet
// without the types in which some bits fail every question, or the writing: CAVEATS C14.)
#pragma once

#include <algorithm>
#include <cstring>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/duckdb/dialect.h"
#include "engine/duckdb/sources.h"
#include "engine/scratch_for_tests.h"
#include "plan/policy_for_tests.h"

namespace discreet::engine::duckdb {

/// A stored type, its bytes (0: a text), and what it may be declared as.
struct StoredBits {
  const char* type;
  std::size_t width;
  std::vector<policy::Type> declared;

  bool in_parquet() const {
    const std::string name = type;
    return width != 0 && !name.starts_with("TIMESTAMP");
  }
};

enum class Container { kDuckDb, kParquet };

inline const std::vector<StoredBits>& stored_bits() {
  using policy::Type;
  const std::vector<Type> number = {Type::kText, Type::kInteger, Type::kDecimal};
  const std::vector<Type> whole = {Type::kText, Type::kInteger, Type::kDecimal, Type::kBoolean};
  const std::vector<Type> moment = {Type::kText, Type::kDate, Type::kTimestamp};
  static const std::vector<StoredBits> types = {
      {"BOOLEAN", 1, whole},
      {"TINYINT", 1, whole},
      {"SMALLINT", 2, number},
      {"INTEGER", 4, whole},
      {"BIGINT", 8, whole},
      {"UTINYINT", 1, number},
      {"USMALLINT", 2, number},
      {"UINTEGER", 4, number},
      {"UBIGINT", 8, number},
      {"HUGEINT", 16, number},
      {"UHUGEINT", 16, number},
      {"FLOAT", 4, number},
      {"DOUBLE", 8, number},
      {"DECIMAL(4,1)", 2, number},
      {"DECIMAL(9,3)", 4, number},
      {"DECIMAL(18,2)", 8, number},
      {"DECIMAL(38,10)", 16, number},
      {"UUID", 16, {Type::kText}},
      {"DATE", 4, moment},
      {"TIMESTAMP", 8, moment},
      {"TIMESTAMP_S", 8, moment},
      {"TIMESTAMP_MS", 8, moment},
      {"TIMESTAMP_NS", 8, moment},
      {"TIMESTAMPTZ", 8, moment},
      {"VARCHAR", 0, {Type::kText, Type::kInteger, Type::kDate, Type::kTimestamp, Type::kBoolean}},
      {"BLOB", 0, {Type::kText}},
  };
  return types;
}

struct BitsRow {
  std::int64_t unit;
  std::int32_t part;  ///< what filters look at
  std::vector<std::string> cells;
};

/// A column of that type over a range that all engines can hold.
inline policy::Column declared_as(const std::string& name, policy::Type type) {
  using policy::Type;
  if (type == Type::kInteger) return plan::column_of(name, type, plan::Grid{-1000, 1000, 1});
  if (type == Type::kDecimal) {
    return plan::column_of(name, type, plan::Grid{0, 50, Rational::ratio(1, 100)});
  }
  if (type == Type::kDate) return plan::column_of(name, type, plan::Grid{-30'000, 50'000, 1});
  if (type == Type::kTimestamp) {
    const Rational day(plan::kMicrosecondsPerDay);
    return plan::column_of(name, type,
                           plan::Grid{Rational(-30'000) * day, Rational(50'000) * day, 1});
  }
  return plan::column_of(name, type);
}

class StoredBitsTrial {
 public:
  explicit StoredBitsTrial(std::uint64_t seed) : random_(seed) {
    const bool fine = duckdb_open(nullptr, writer_.out()) == DuckDBSuccess &&
                      duckdb_connect(writer_.get(), session_.out()) == DuckDBSuccess;
    if (!fine) std::abort();
  }

  /// One pair of files with some eight of the types, asked with one filter. Says what is wrong; "": nothing.
  std::string next() {
    container_ = pick(2) == 0 ? Container::kDuckDb : Container::kParquet;
    static const std::vector<std::string> kFilters = {"part = 0", "part = 1", "u < 5"};
    filter_ = kFilters[static_cast<std::size_t>(pick(3))];
    choose_columns();
    std::vector<BitsRow> all;
    const int count = 1 + pick(40);
    for (int i = 0; i < count; ++i) all.push_back(row(1 + pick(9)));
    std::vector<BitsRow> others = all;
    for (int i = 1 + pick(5); i > 0; --i) {
      const auto at = static_cast<std::ptrdiff_t>(random_() % (all.size() + 1));
      all.insert(all.begin() + at, row(kOne));
    }
    const ScratchFolder folder;
    policy::Policy policy;
    policy.directory = folder.path();
    policy.units["people"].name = "people";
    add(policy, "with_one", write(folder, "with", all));
    add(policy, "without", write(folder, "without", others));
    GatheredLog log;
    auto connection = std::move(Connection::open(1, log.log()).value());
    const auto schemas = open_sources(*connection, policy, log.log());
    if (!schemas) return "cannot be opened: " + log.said;
    std::string wrong;
    const auto rows = [&](const std::string& name) {
      return read(*connection, name, schemas->at(name), wrong);
    };
    const Rows with = rows("with_one");
    const Rows without = rows("without");
    if (!wrong.empty() || with == without) return wrong;
    wrong = (container_ == Container::kParquet ? "Parquet, " : "DuckDB, ") + filter_;
    for (const std::size_t i : columns_) wrong += std::string(", ") + stored_bits()[i].type;
    for (const auto* side : {&with, &without}) {
      wrong += side == &with ? "\nwith:" : "\nwithout:";
      for (const auto& [unit, text] : *side) wrong += "\n" + std::to_string(unit) + " " + text;
    }
    return wrong;
  }

 private:
  static constexpr std::int64_t kOne = 77;
  using Rows = std::multiset<std::pair<std::int64_t, std::string>>;  // in any order

  int pick(int below) { return static_cast<int>(random_() % static_cast<std::uint64_t>(below)); }

  /// Any bits, or those near the ends of what a word can say.
  std::string cell(const StoredBits& stored) {
    if (stored.width == 0) return text();
    std::string bits;
    while (bits.size() < stored.width) bits += static_cast<char>(random_());
    const int ends = pick(6);
    if (ends < 3) {
      const char fill = ends == 0 ? '\0' : '\xff';
      std::fill(bits.begin(), bits.end(), fill);
      if (pick(2) == 0) bits.back() = static_cast<char>(pick(2) == 0 ? 0x7f : 0x80);
      if (pick(2) == 0) bits.front() = static_cast<char>(bits.front() + pick(5) - 2);
    }
    if (std::string(stored.type) == "BOOLEAN") bits[0] &= 1;  // no file can hold another
    return bits;
  }

  std::string text() {
    // clang-format off
    static const std::vector<std::string> kParts = {
        "-", "+", ":", ".", " ", "T", "Z", "e", "infinity", "epoch", "BC", "(BC)", "UTC", "/", "00",
        "America/New_York", "9", "99999", "2024-02-29", "24:00:00", "23:59:60", "1970-01-01",
        "290000-01-01", "true", "nan", "0x1F", "\xe2\x82\xac", "294247-01-10 04:00:54.775807",
        "\xff", "\xc3", "\xed\xa0\x80", std::string(1, '\0')};
    // clang-format on
    std::string out;
    for (int i = pick(5); i > 0; --i) out += kParts[random_() % kParts.size()];
    return out;
  }

  BitsRow row(std::int64_t unit) {
    BitsRow out{unit, pick(3), {}};
    for (const std::size_t i : columns_) out.cells.push_back(cell(stored_bits()[i]));
    return out;
  }

  static std::string column_name(std::size_t i) { return "x" + std::to_string(i); }

  void choose_columns() {
    for (columns_.clear(); columns_.empty();) {
      for (std::size_t i = 0; i < stored_bits().size(); ++i) {
        const bool fits = container_ == Container::kDuckDb || stored_bits()[i].in_parquet();
        if (fits && pick(3) == 0) columns_.push_back(i);
      }
    }
  }

  void run(const std::string& sql) const {
    if (duckdb_query(session_.get(), sql.c_str(), nullptr) != DuckDBSuccess) std::abort();
  }

  /// Returns the policy's word for the table that was written.
  std::string write(const ScratchFolder& folder, const std::string& name,
                    const std::vector<BitsRow>& rows) const {
    const bool is_parquet = container_ == Container::kParquet;
    const std::string file = name + (is_parquet ? ".parquet" : ".duckdb");
    const std::string path = "'" + (folder / file) + "'";
    run(is_parquet ? "ATTACH ':memory:' AS f" : "ATTACH " + path + " AS f");
    std::string sql = "CREATE TABLE f.t (u BIGINT, part INTEGER";
    for (const std::size_t i : columns_) {
      sql += ", " + column_name(i) + " " + stored_bits()[i].type;
    }
    run(sql + ")");
    duckdb_appender appender = nullptr;
    if (duckdb_appender_create_ext(session_.get(), "f", nullptr, "t", &appender) != DuckDBSuccess) {
      std::abort();
    }
    std::vector<duckdb_logical_type> types;
    for (idx_t i = 0; i < columns_.size() + 2; ++i) {
      types.push_back(duckdb_appender_column_type(appender, i));
    }
    const Chunk chunk(duckdb_create_data_chunk(types.data(), types.size()));
    for (duckdb_logical_type& type : types) duckdb_destroy_logical_type(&type);
    for (std::size_t r = 0; r < rows.size(); ++r) put(chunk, r, rows[r]);
    duckdb_data_chunk_set_size(chunk.get(), rows.size());
    const bool fine = duckdb_append_data_chunk(appender, chunk.get()) == DuckDBSuccess &&
                      duckdb_appender_close(appender) == DuckDBSuccess;
    duckdb_appender_destroy(&appender);
    if (!fine) std::abort();
    if (is_parquet) run("COPY f.t TO " + path + " (FORMAT parquet)");
    run("DETACH f");
    return is_parquet ? file : file + ":t";
  }

  void put(const Chunk& chunk, idx_t at, const BitsRow& row) const {
    const auto word = [&](idx_t column, const void* bits, std::size_t width) {
      auto* data = static_cast<char*>(
          duckdb_vector_get_data(duckdb_data_chunk_get_vector(chunk.get(), column)));
      std::memcpy(data + at * width, bits, width);
    };
    word(0, &row.unit, sizeof row.unit);
    word(1, &row.part, sizeof row.part);
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const std::string& cell = row.cells[c];
      if (stored_bits()[columns_[c]].width != 0) {
        word(c + 2, cell.data(), cell.size());
      } else {
        duckdb_vector_assign_string_element_len(duckdb_data_chunk_get_vector(chunk.get(), c + 2),
                                                at, cell.data(), cell.size());
      }
    }
  }

  static void add(policy::Policy& policy, const std::string& name, const std::string& source) {
    policy::Table& table = policy.tables[name];
    table.name = name;
    table.source = source;
    table.unit = policy::UnitPath{"people", {}, "u", false};
  }

  /// All ways in which a column may be read, as one text.
  std::string all_readings(const lowering::StoredTable& table) const {
    using lowering::Sql;
    std::string out = "concat_ws('|'";
    std::size_t at = 2;
    for (const std::size_t i : columns_) {
      const lowering::StoredColumn& stored = table.columns.at(at++);
      const Sql raw = Sql::name({stored.name});
      std::vector<Sql> values = {dialect().identifier(stored, raw)};
      for (const policy::Type type : stored_bits()[i].declared) {
        const policy::Column column = declared_as(stored.name, type);
        values.push_back(dialect().read(stored, raw, column, column.grid));
        if (type != policy::Type::kText) continue;
        values.push_back(dialect().length(values.back()));
        values.push_back(dialect().trim(dialect().cut(values[1], 3)));
        values.push_back(dialect().first_characters(values[1], 2));
      }
      for (const Sql& value : values) {
        out += ", coalesce(CAST(" + value.print() + " AS VARCHAR), 'NULL')";
      }
    }
    return out + ")";
  }

  /// What that is for the others, under the filter.
  Rows read(Connection& connection, const std::string& name, const lowering::StoredTable& table,
            std::string& wrong) const {
    GatheredLog log;
    Rows rows;
    const auto done =
        connection.query("SELECT u, " + all_readings(table) + " FROM " + name + " WHERE " + filter_,
                         log.log(), [&](const Chunk& chunk) {
                           for (idx_t r = 0; r < duckdb_data_chunk_get_size(chunk.get()); ++r) {
                             const std::int64_t unit = column(chunk, 0).values<std::int64_t>()[r];
                             if (unit != kOne) rows.emplace(unit, column(chunk, 1).text(r));
                           }
                         });
    if (!done) wrong += name + " where " + filter_ + ": " + log.said;
    return rows;
  }

  OpenDatabase writer_;
  duckdb::Session session_;
  std::mt19937_64 random_;
  Container container_ = Container::kDuckDb;
  std::string filter_;
  std::vector<std::size_t> columns_;  // by their place in stored_bits()
};

}  // namespace discreet::engine::duckdb
