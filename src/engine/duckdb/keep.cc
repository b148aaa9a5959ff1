// SPDX-License-Identifier: Apache-2.0
#include "engine/duckdb/keep.h"

#include <new>

namespace discreet::engine::duckdb {
namespace {

using Worker = Bounding::Worker;

struct State {
  Worker* worker;
};

/// A chunk's rows on their way into a worker.
struct Batch {
  std::uint64_t* rows;
  std::size_t words;  // of a row
  idx_t count;

  std::uint64_t* row(idx_t i) const { return rows + i * words; }
};

void put_units(const Bounding& bounding, const Column& units, const Batch& batch) {
  if (!bounding.task().wide_unit) {
    const auto* values = units.values<std::uint64_t>();
    for (idx_t i = 0; i < batch.count; ++i) batch.row(i)[0] = values[i];
    return;
  }
  for (idx_t i = 0; i < batch.count; ++i) {
    Hash128 hash = keyed_hash_wide(bounding.secret(), units.text(i));
    batch.row(i)[0] = hash.low;
    batch.row(i)[1] = hash.high;
  }
}

void put_key(KeyIds& keys, std::size_t k, const Column& column, const Batch& batch,
             std::size_t word) {
  auto put = [&](auto value) {
    for (idx_t i = 0; i < batch.count; ++i) {
      std::uint64_t& place = batch.row(i)[word];
      std::uint32_t id = column.is_null(i) ? KeyIds::kNull : value(i);
      place = keys.extend(k, static_cast<std::uint32_t>(place), id);  // contents come later
    }
  };
  switch (keys.kind(k)) {
    case KeyKind::kBoolean:
      return put([&](idx_t i) { return KeyIds::of_boolean(column.values<bool>()[i]); });
    case KeyKind::kNumber:
      return put([&](idx_t i) { return keys.of_number(k, column.values<std::int64_t>()[i]); });
    case KeyKind::kText:
    case KeyKind::kCutText:
      return put([&](idx_t i) { return keys.of_text(k, column.text(i)); });
  }
}

void put_content(const Bounding& bounding, std::size_t c, duckdb_type type, const Column& column,
                 const Batch& batch) {
  const RowLayout::Field& field = bounding.layout().field(c);
  auto put = [&](auto value) {
    for (idx_t i = 0; i < batch.count; ++i) {
      if (!column.is_null(i)) RowLayout::put(field, batch.row(i), value(i));
    }
  };
  if (type == DUCKDB_TYPE_BOOLEAN) {
    put([&](idx_t i) -> std::int64_t { return column.values<bool>()[i] ? 1 : 0; });
  } else if (type == DUCKDB_TYPE_VARCHAR) {
    put([&](idx_t i) {
      return static_cast<std::int64_t>(keyed_hash(bounding.secret(), column.text(i)));
    });
  } else {
    put([&](idx_t i) { return column.values<std::int64_t>()[i]; });
  }
}

void take_in(Bounding& bounding, Worker& worker, duckdb_vector structs, idx_t count) {
  const BoundingTask& task = bounding.task();
  Batch batch{worker.rows.begin(count), bounding.layout().words(), count};
  idx_t child = 0;
  auto next = [&] { return duckdb_struct_vector_get_child(structs, child++); };
  put_units(bounding, Column(next()), batch);
  for (std::size_t k = 0; k < task.keys.size(); ++k) {
    put_key(worker.keys, k, Column(next()), batch, bounding.layout().unit_words());
  }
  for (std::size_t c = 0; c < task.contents.size(); ++c) {
    duckdb_vector vector = next();
    LogicalType type(duckdb_vector_get_column_type(vector));
    put_content(bounding, c, duckdb_get_type_id(type.get()), Column(vector), batch);
  }
  worker.rows.commit();
}

void update(duckdb_function_info info, duckdb_data_chunk input, duckdb_aggregate_state* states) {
  auto& target = *static_cast<KeepTarget*>(duckdb_aggregate_function_get_extra_info(info));
  Bounding* bounding = target.bounding.load();
  idx_t count = duckdb_data_chunk_get_size(input);
  if (count == 0) return;
  if (bounding == nullptr || count > Intake::kRowsMax) {
    return duckdb_aggregate_function_set_error(info, "keep() is for the engine alone");
  }
  auto* state = reinterpret_cast<State*>(states[0]);  // without groups all states are one
  try {
    if (state->worker == nullptr) state->worker = &bounding->new_worker();
    take_in(*bounding, *state->worker, duckdb_data_chunk_get_vector(input, 0), count);
  } catch (const std::bad_alloc&) {
    duckdb_aggregate_function_set_error(info, "out of memory");
  }
}

void finalize(duckdb_function_info, duckdb_aggregate_state*, duckdb_vector result, idx_t count,
              idx_t offset) {
  auto* out = static_cast<bool*>(duckdb_vector_get_data(result));
  for (idx_t i = 0; i < count; ++i) out[offset + i] = true;
}

}  // namespace

bool register_keep(duckdb_connection connection, KeepTarget& target) {
  AggregateFunction made(duckdb_create_aggregate_function());
  duckdb_aggregate_function_set_name(made.get(), "keep");
  LogicalType any(duckdb_create_logical_type(DUCKDB_TYPE_ANY));
  duckdb_aggregate_function_add_parameter(made.get(), any.get());
  LogicalType truth(duckdb_create_logical_type(DUCKDB_TYPE_BOOLEAN));
  duckdb_aggregate_function_set_return_type(made.get(), truth.get());
  duckdb_aggregate_function_set_extra_info(made.get(), &target, nullptr);
  duckdb_aggregate_function_set_special_handling(made.get());
  duckdb_aggregate_function_set_functions(
      made.get(), [](duckdb_function_info) -> idx_t { return sizeof(State); },
      [](duckdb_function_info, duckdb_aggregate_state state) {
        *reinterpret_cast<State*>(state) = State{nullptr};
      },
      update,
      // Workers belong to the Bounding, which unites them itself.
      [](duckdb_function_info, duckdb_aggregate_state*, duckdb_aggregate_state*, idx_t) {},
      finalize);
  return duckdb_register_aggregate_function(connection, made.get()) == DuckDBSuccess;
}

}  // namespace discreet::engine::duckdb
