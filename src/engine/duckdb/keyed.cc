// SPDX-License-Identifier: Apache-2.0
#include "engine/duckdb/keyed.h"

#include <algorithm>
#include <vector>

#include "base/check.h"
#include "engine/duckdb/functions.h"

namespace discreet::engine::duckdb {
namespace {

constexpr std::uint64_t kNothing = 0x6e6f7468696e6720;  // for NULL

const Secret& secret_of(duckdb_function_info info) {
  return *static_cast<const Secret*>(duckdb_scalar_function_get_extra_info(info));
}

duckdb_type type_of_column(duckdb_vector vector) {
  const LogicalType type(duckdb_vector_get_column_type(vector));
  return duckdb_get_type_id(type.get());
}

void keyed(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
  const idx_t count = duckdb_data_chunk_get_size(input);
  std::vector<SipState<>> states(count, SipState<>(secret_of(info)));
  for (idx_t i = 0; i < duckdb_data_chunk_get_column_count(input); ++i) {
    const duckdb_vector vector = duckdb_data_chunk_get_vector(input, i);
    const Column in(vector);
    const auto feed = [&](const auto& word) {
      if (!in.has_nulls()) {
        for (idx_t row = 0; row < count; ++row) states[row].add(word(row));
        return;
      }
      for (idx_t row = 0; row < count; ++row) {
        states[row].add(in.is_null(row) ? kNothing : word(row));
      }
    };
    switch (type_of_column(vector)) {
      case DUCKDB_TYPE_BOOLEAN:
        feed(
            [values = in.values<std::uint8_t>()](idx_t row) { return std::uint64_t{values[row]}; });
        break;
      case DUCKDB_TYPE_BIGINT:
        feed([values = in.values<std::uint64_t>()](idx_t row) { return values[row]; });
        break;
      case DUCKDB_TYPE_HUGEINT: {
        const auto* values = in.values<duckdb_hugeint>();
        feed([&](idx_t row) { return values[row].lower; });
        feed([&](idx_t row) { return static_cast<std::uint64_t>(values[row].upper); });
        break;
      }
      default:  // refused by bind_keyed
        DISCREET_CHECK(false);
    }
  }
  auto* out = static_cast<std::uint64_t*>(duckdb_vector_get_data(output));
  for (idx_t row = 0; row < count; ++row) out[row] = states[row].finish();
}

void bind_keyed(duckdb_bind_info info) {
  for (idx_t i = 0; i < duckdb_scalar_function_bind_get_argument_count(info); ++i) {
    const duckdb_type type = argument_type(info, i);
    if (type == DUCKDB_TYPE_BOOLEAN || type == DUCKDB_TYPE_BIGINT || type == DUCKDB_TYPE_HUGEINT) {
      continue;
    }
    return duckdb_scalar_function_bind_set_error(info, "keyed does not read this type");
  }
}

void named(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
  const Secret& secret = secret_of(info);
  const duckdb_vector vector = duckdb_data_chunk_get_vector(input, 0);
  const Column in(vector);
  const idx_t count = duckdb_data_chunk_get_size(input);
  auto* out = static_cast<duckdb_hugeint*>(duckdb_vector_get_data(output));
  if (type_of_column(vector) == DUCKDB_TYPE_BIGINT) {
    const auto* values = in.values<std::uint64_t>();  // also what lies under a NULL
    for (idx_t row = 0; row < count; ++row) {
      out[row] = {values[row], static_cast<std::int64_t>(keyed_hash(secret, {values[row]}))};
    }
    return copy_nulls(in, count, output);
  }
  for (idx_t row = 0; row < count; ++row) {
    const Hash128 hash = in.is_null(row) ? Hash128() : keyed_hash_wide(secret, in.text(row));
    out[row] = {hash.low, static_cast<std::int64_t>(hash.high)};
  }
  copy_nulls(in, count, output);
  give_back(input);
}

void bind_named(duckdb_bind_info info) {
  const duckdb_type type = argument_type(info, 0);
  if (type == DUCKDB_TYPE_BIGINT || type == DUCKDB_TYPE_VARCHAR) return;
  duckdb_scalar_function_bind_set_error(info, "named does not read this type");
}

}  // namespace

bool register_keyed(duckdb_connection connection, const Secret& secret) {
  const LogicalType any(duckdb_create_logical_type(DUCKDB_TYPE_ANY));
  const auto add = [&](const char* name, bool any_number, duckdb_type returned,
                       duckdb_scalar_function_bind_t bind, duckdb_scalar_function_t function) {
    const ScalarFunction made(duckdb_create_scalar_function());
    const LogicalType result(duckdb_create_logical_type(returned));
    duckdb_scalar_function_set_name(made.get(), name);
    duckdb_scalar_function_add_parameter(made.get(), any.get());
    if (any_number) duckdb_scalar_function_set_varargs(made.get(), any.get());
    duckdb_scalar_function_set_return_type(made.get(), result.get());
    duckdb_scalar_function_set_special_handling(made.get());  // NULLs come to us
    duckdb_scalar_function_set_bind(made.get(), bind);
    duckdb_scalar_function_set_extra_info(made.get(), const_cast<Secret*>(&secret), nullptr);
    duckdb_scalar_function_set_function(made.get(), function);
    return duckdb_register_scalar_function(connection, made.get()) == DuckDBSuccess;
  };
  return add("keyed", true, DUCKDB_TYPE_BIGINT, bind_keyed, keyed) &&
         add("named", false, DUCKDB_TYPE_HUGEINT, bind_named, named);
}

}  // namespace discreet::engine::duckdb
