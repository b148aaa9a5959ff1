// SPDX-License-Identifier: Apache-2.0
#include "engine/duckdb/text_rows.h"

#include <algorithm>
#include <memory>
#include <vector>

namespace discreet::engine::duckdb {
namespace {

using text::TextRows;
using text::TextTable;

constexpr std::uint64_t kPart = std::uint64_t{1} << 20;  // bytes of a file
constexpr std::size_t kTextMax = std::size_t{1} << 20;   // bytes of lines in a chunk
constexpr std::uint64_t kBytesOfARow = 64;               // an estimate
constexpr const char* kCannotRead = "a text file cannot be read";

/// What all threads of one scan share.
struct Scan {
  const TextTables& tables;
  const TextTable& table;
  std::vector<std::size_t> columns;  // of the table, in the order of the output
  std::vector<idx_t> outputs;        // where they stand in a chunk
  std::atomic<std::uint64_t> next;   // the first byte that no thread has taken
};

template <class T>
void destroy(void* data) {
  delete static_cast<T*>(data);
}

void bind_table(duckdb_bind_info info) {
  const auto& tables = *static_cast<TextTables*>(duckdb_bind_get_extra_info(info));
  const Constant parameter(duckdb_bind_get_parameter(info, 0));
  const std::unique_ptr<char, decltype(&duckdb_free)> name(duckdb_get_varchar(parameter.get()),
                                                           duckdb_free);
  const TextTable* table = name ? tables.find(name.get()) : nullptr;
  if (table == nullptr) return duckdb_bind_set_error(info, "there is no such text table");
  const LogicalType text(duckdb_create_logical_type(DUCKDB_TYPE_VARCHAR));
  for (const std::string& column : table->names) {
    duckdb_bind_add_result_column(info, column.c_str(), text.get());
  }
  duckdb_bind_set_cardinality(info, table->file->size() / kBytesOfARow, false);
  duckdb_bind_set_bind_data(info, new const TextTable*(table), destroy<const TextTable*>);
}

void begin_scan(duckdb_init_info info) {
  const TextTable& table = **static_cast<const TextTable**>(duckdb_init_get_bind_data(info));
  auto scan = std::unique_ptr<Scan>(new Scan{
      *static_cast<TextTables*>(duckdb_init_get_extra_info(info)), table, {}, {}, table.rows_from});
  for (idx_t i = 0; i < duckdb_init_get_column_count(info); ++i) {
    const idx_t column = duckdb_init_get_column_index(info, i);
    if (column >= table.names.size()) continue;  // where no column is wanted DuckDB names another
    scan->columns.push_back(column);
    scan->outputs.push_back(i);
  }
  duckdb_init_set_max_threads(info, 1 + table.file->size() / kPart);
  duckdb_init_set_init_data(info, scan.release(), destroy<Scan>);
}

/// One thread of a scan.
class Part {
 public:
  explicit Part(Scan& scan) : scan_(scan), rows_(scan.table, scan.columns) {}

  enum class Next { kRow, kEnd, kFailed };
  Next next() {
    while (!is_begun_ || !rows_.next()) {
      const std::uint64_t size = scan_.table.file->size();
      const std::uint64_t begin = std::min(scan_.next.fetch_add(kPart), size);
      if (begin == size) return Next::kEnd;
      if (scan_.tables.stopped()) return Next::kFailed;
      if (!rows_.go_to(begin, std::min(begin + kPart, size))) return Next::kFailed;
      is_begun_ = true;
    }
    return Next::kRow;
  }
  const TextRows& rows() const { return rows_; }

 private:
  Scan& scan_;
  TextRows rows_;
  bool is_begun_ = false;
};

/// A thread's own state; its part begins with its first chunk, as DuckDB does not show the scan to
/// it before.
using OwnPart = std::unique_ptr<Part>;

void begin_part(duckdb_init_info info) {
  duckdb_init_set_init_data(info, new OwnPart, destroy<OwnPart>);
}

void put_text(duckdb_vector vector, idx_t row, const std::optional<std::string_view>& value) {
  if (value) {
    return duckdb_vector_assign_string_element_len(vector, row, value->data(), value->size());
  }
  duckdb_vector_ensure_validity_writable(vector);
  duckdb_validity_set_row_invalid(duckdb_vector_get_validity(vector), row);
}

void fill_chunk(duckdb_function_info info, duckdb_data_chunk output) {
  Scan& scan = *static_cast<Scan*>(duckdb_function_get_init_data(info));
  OwnPart& own = *static_cast<OwnPart*>(duckdb_function_get_local_init_data(info));
  if (!own) own = std::make_unique<Part>(scan);
  Part& part = *own;
  std::vector<duckdb_vector> vectors;
  for (const idx_t place : scan.outputs) {
    vectors.push_back(duckdb_data_chunk_get_vector(output, place));
  }
  const idx_t most = duckdb_vector_size();
  idx_t count = 0;
  for (std::size_t bytes = 0; count < most && bytes < kTextMax; ++count) {
    const Part::Next next = part.next();
    if (next == Part::Next::kFailed) return duckdb_function_set_error(info, kCannotRead);
    if (next == Part::Next::kEnd) break;
    for (std::size_t i = 0; i < vectors.size(); ++i)
      put_text(vectors[i], count, part.rows().value(i));
    bytes += part.rows().line_bytes();
  }
  duckdb_data_chunk_set_size(output, count);
}

}  // namespace

bool register_text_rows(duckdb_connection connection, TextTables& tables) {
  TableFunction made(duckdb_create_table_function());
  duckdb_table_function_set_name(made.get(), "text_rows");
  const LogicalType text(duckdb_create_logical_type(DUCKDB_TYPE_VARCHAR));
  duckdb_table_function_add_parameter(made.get(), text.get());
  duckdb_table_function_set_extra_info(made.get(), &tables, nullptr);
  duckdb_table_function_set_bind(made.get(), bind_table);
  duckdb_table_function_set_init(made.get(), begin_scan);
  duckdb_table_function_set_local_init(made.get(), begin_part);
  duckdb_table_function_set_function(made.get(), fill_chunk);
  duckdb_table_function_supports_projection_pushdown(made.get(), true);
  return duckdb_register_table_function(connection, made.get()) == DuckDBSuccess;
}

}  // namespace discreet::engine::duckdb
