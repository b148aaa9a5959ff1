// SPDX-License-Identifier: Apache-2.0
#include "engine/duckdb/parquet_file.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <utility>

#include "engine/duckdb/connection.h"
#include "engine/lowering/sql.h"

namespace discreet::engine::duckdb {
namespace {

constexpr std::size_t kRowsAtOnce = 500;

using Rows = std::vector<std::vector<std::optional<std::string>>>;

std::string type_word(policy::Type type) {
  switch (type) {
    case policy::Type::kBoolean:
      return "BOOLEAN";
    case policy::Type::kInteger:
      return "BIGINT";
    case policy::Type::kDecimal:
      return "DOUBLE";
    case policy::Type::kText:
      return "VARCHAR";
    case policy::Type::kDate:
      return "DATE";
    case policy::Type::kTimestamp:
      return "TIMESTAMP";
  }
  return "VARCHAR";
}

std::string create_text(const std::vector<ParquetColumn>& columns) {
  std::set<std::string> names;
  std::string out;
  for (const ParquetColumn& column : columns) {
    std::string name = column.name;
    for (int i = 2; !names.insert(name).second; ++i) name = column.name + "_" + std::to_string(i);
    out += (out.empty() ? "" : ", ") + lowering::quote_name(name) + " " + type_word(column.type);
  }
  return "CREATE TABLE answer (" + out + ")";
}

std::string insert_text(const std::vector<ParquetColumn>& columns, const Rows& rows,
                        std::size_t from, std::size_t to) {
  std::string out = "INSERT INTO answer VALUES ";
  for (std::size_t r = from; r < to; ++r) {
    out += r == from ? "(" : ", (";
    for (std::size_t c = 0; c < columns.size(); ++c) {
      out += c == 0 ? "" : ", ";
      out += rows[r][c] ? "TRY_CAST(" + lowering::quote_text(*rows[r][c]) + " AS " +
                              type_word(columns[c].type) + ")"
                        : "NULL";
    }
    out += ")";
  }
  return out;
}

/// A file that is gone with this.
class Scratch {
 public:
  static Result<Scratch> make() {
    std::string pattern = (std::filesystem::temp_directory_path() / "discreet-XXXXXX").string();
    const int fd = mkstemp(pattern.data());
    if (fd < 0) return Error{Code::kStorage, "no temporary file could be made"};
    close(fd);
    return Scratch(pattern);
  }
  Scratch(Scratch&& other) noexcept : path_(std::exchange(other.path_, "")) {}
  Scratch& operator=(Scratch&&) = delete;
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    if (!path_.empty()) unlink(path_.c_str());
  }
  const std::string& path() const { return path_; }

 private:
  explicit Scratch(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace

Result<std::string> parquet_bytes(const std::vector<ParquetColumn>& columns, const Rows& rows) {
  DISCREET_ASSIGN(const auto connection, Connection::open(1, {}));
  DISCREET_TRY(connection->query("SET preserve_insertion_order = true", {}));
  DISCREET_TRY(connection->query(create_text(columns), {}));
  for (std::size_t at = 0; at < rows.size(); at += kRowsAtOnce) {
    const std::size_t end = std::min(at + kRowsAtOnce, rows.size());
    DISCREET_TRY(connection->query(insert_text(columns, rows, at, end), {}));
  }
  DISCREET_ASSIGN(const Scratch file, Scratch::make());
  DISCREET_TRY(connection->query(
      "COPY answer TO " + lowering::quote_text(file.path()) + " (FORMAT parquet)", {}));
  std::ifstream stream(file.path(), std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  if (bytes.empty()) return Error{Code::kStorage, "the Parquet file could not be read back"};
  return bytes;
}

}  // namespace discreet::engine::duckdb
