// SPDX-License-Identifier: Apache-2.0
// DuckDB's C interface with owners: what is made is destroyed.
#pragma once

#include <duckdb.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

namespace discreet::engine::duckdb {

/// Holds a handle of the C interface; kDestroy takes its address.
template <class Handle, void (*kDestroy)(Handle*)>
class Owner {
 public:
  Owner() = default;
  explicit Owner(Handle handle) : handle_(handle) {}
  Owner(Owner&& other) noexcept : handle_(std::exchange(other.handle_, Handle{})) {}
  Owner& operator=(Owner&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  Owner(const Owner&) = delete;
  Owner& operator=(const Owner&) = delete;
  ~Owner() {
    if (handle_ != Handle{}) kDestroy(&handle_);
  }

  Handle get() const { return handle_; }
  Handle* out() { return &handle_; }
  explicit operator bool() const { return handle_ != Handle{}; }

 private:
  Handle handle_{};
};

using OpenDatabase = Owner<duckdb_database, duckdb_close>;
using Session = Owner<duckdb_connection, duckdb_disconnect>;
using Config = Owner<duckdb_config, duckdb_destroy_config>;
using Prepared = Owner<duckdb_prepared_statement, duckdb_destroy_prepare>;
using Pending = Owner<duckdb_pending_result, duckdb_destroy_pending>;
using Chunk = Owner<duckdb_data_chunk, duckdb_destroy_data_chunk>;
using LogicalType = Owner<duckdb_logical_type, duckdb_destroy_logical_type>;
using ScalarFunction = Owner<duckdb_scalar_function, duckdb_destroy_scalar_function>;
using TableFunction = Owner<duckdb_table_function, duckdb_destroy_table_function>;
using AggregateFunction = Owner<duckdb_aggregate_function, duckdb_destroy_aggregate_function>;
using Expression = Owner<duckdb_expression, duckdb_destroy_expression>;
using Constant = Owner<duckdb_value, duckdb_destroy_value>;
using ClientContext = Owner<duckdb_client_context, duckdb_destroy_client_context>;
using ErrorData = Owner<duckdb_error_data, duckdb_destroy_error_data>;

/// A result; unlike the others it is a struct that its owner holds.
class QueryResult {
 public:
  QueryResult() = default;
  QueryResult(const QueryResult&) = delete;
  QueryResult& operator=(const QueryResult&) = delete;
  ~QueryResult() { duckdb_destroy_result(&result_); }

  duckdb_result* out() { return &result_; }
  /// The next chunk, or an empty one at the end.
  Chunk fetch() { return Chunk(duckdb_fetch_chunk(result_)); }

 private:
  duckdb_result result_{};
};

/// A text of at most 12 bytes as it lies in DuckDB's vectors: its length and its bytes, filled up
/// with zeros, compared as two words.
class InlinedText {
 public:
  static constexpr std::size_t kMost = 12;
  InlinedText() = default;
  /// Requires: at most so many bytes.
  explicit InlinedText(const duckdb_string_t& text) {
    static_assert(sizeof *this == sizeof text);
    std::memcpy(&first_, &text, 8);
    std::memcpy(&last_, reinterpret_cast<const char*>(&text) + 8, 8);
  }
  std::uint64_t mixed() const {
    const std::uint64_t x = (first_ ^ std::rotl(last_, 29)) * std::uint64_t{0x9e3779b97f4a7c15};
    return x ^ (x >> 32);
  }
  friend bool operator==(const InlinedText&, const InlinedText&) = default;

 private:
  std::uint64_t first_ = 0;  // the length, then 4 bytes
  std::uint64_t last_ = 0;
};

/// One column of a chunk, flat: values and which of them are there.
class Column {
 public:
  explicit Column(duckdb_vector vector)
      : data_(duckdb_vector_get_data(vector)), valid_(duckdb_vector_get_validity(vector)) {}

  const std::uint64_t* validity() const { return valid_; }
  bool has_nulls() const { return valid_ != nullptr; }
  bool is_null(idx_t row) const {
    return valid_ != nullptr && ((valid_[row / 64] >> (row % 64)) & 1) == 0;
  }
  template <class T>
  const T* values() const {
    return static_cast<const T*>(data_);
  }
  std::string_view text(idx_t row) const {
    const duckdb_string_t& value = values<duckdb_string_t>()[row];
    const std::uint32_t size = value.value.inlined.length;
    constexpr std::uint32_t kInlined = 12;
    return {size <= kInlined ? value.value.inlined.inlined : value.value.pointer.ptr, size};
  }

 private:
  void* data_;
  std::uint64_t* valid_;
};

inline Column column(const Chunk& chunk, idx_t index) {
  return Column(duckdb_data_chunk_get_vector(chunk.get(), index));
}

/// The type of an argument of a scalar function, when a statement that calls it is bound.
inline duckdb_type argument_type(duckdb_bind_info info, idx_t index) {
  const Expression argument(duckdb_scalar_function_bind_get_argument(info, index));
  const LogicalType type(duckdb_expression_return_type(argument.get()));
  return duckdb_get_type_id(type.get());
}

}  // namespace discreet::engine::duckdb
