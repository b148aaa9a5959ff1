// SPDX-License-Identifier: Apache-2.0
#include "engine/duckdb/keep.h"

#include <algorithm>
#include <array>
#include <new>

namespace discreet::engine::duckdb {
namespace {

using Worker = Bounding::Worker;

/// Of an aggregate: what it points to is the Bounding's or the Census's.
template <class T>
T*& held(duckdb_aggregate_state state) {
  return *reinterpret_cast<T**>(state);
}

/// The thread's own, made when it is first needed.
Worker& worker_of(duckdb_aggregate_state* states, Bounding& bounding) {
  auto*& worker = held<Worker>(states[0]);  // without groups all states are one
  if (worker == nullptr) worker = &bounding.new_worker();
  return *worker;
}

KeepTarget& target_of(duckdb_function_info info) {
  return *static_cast<KeepTarget*>(duckdb_aggregate_function_get_extra_info(info));
}

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

/// The numbers of texts, short ones that came before without another look into the key's table:
/// columns of keys have few values.
class RecentTexts {
 public:
  RecentTexts(KeyIds& keys, std::size_t column) : keys_(keys), column_(column) {}
  std::uint32_t id(const Column& texts, idx_t row) {
    const duckdb_string_t& text = texts.values<duckdb_string_t>()[row];
    if (text.value.inlined.length > InlinedText::kMost)
      return keys_.of_text(column_, texts.text(row));
    const InlinedText words(text);
    Entry& entry = entries_[words.mixed() % entries_.size()];
    if (entry.id != kNone && entry.words == words) return entry.id;
    entry = {words, keys_.of_text(column_, texts.text(row))};
    return entry.id;
  }

 private:
  static constexpr std::uint32_t kNone = KeyIds::kNull;  // no text has it
  struct Entry {
    InlinedText words;
    std::uint32_t id = kNone;
  };
  KeyIds& keys_;
  std::size_t column_;
  std::array<Entry, 64> entries_;
};

/// Numbers of the keys so far, extended by a column: place(i) is the i-th row's.
template <class Place>
void put_key(KeyIds& keys, std::size_t k, const Column& column, idx_t count, Place place) {
  auto put = [&](auto value) {
    for (idx_t i = 0; i < count; ++i) {
      auto& number = place(i);
      const std::uint32_t id = column.is_null(i) ? KeyIds::kNull : value(i);
      number = keys.extend(k, static_cast<std::uint32_t>(number), id);
    }
  };
  switch (keys.kind(k)) {
    case KeyKind::kBoolean:
      return put([&](idx_t i) { return KeyIds::of_boolean(column.values<bool>()[i]); });
    case KeyKind::kNumber:
      return put([&](idx_t i) { return keys.of_number(k, column.values<std::int64_t>()[i]); });
    case KeyKind::kText:
    case KeyKind::kCutText: {
      RecentTexts recent(keys, k);
      return put([&](idx_t i) { return recent.id(column, i); });
    }
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
    put_key(worker.keys, k, Column(next()), count, [&](idx_t i) -> std::uint64_t& {
      return batch.row(i)[bounding.layout().unit_words()];  // contents come later
    });
  }
  for (std::size_t c = 0; c < task.contents.size(); ++c) {
    duckdb_vector vector = next();
    LogicalType type(duckdb_vector_get_column_type(vector));
    put_content(bounding, c, duckdb_get_type_id(type.get()), Column(vector), batch);
  }
  worker.rows.commit();
}

void update(duckdb_function_info info, duckdb_data_chunk input, duckdb_aggregate_state* states) {
  Bounding* bounding = target_of(info).bounding.load();
  idx_t count = duckdb_data_chunk_get_size(input);
  if (count == 0) return;
  if (bounding == nullptr || count > Intake::kRowsMax) {
    return duckdb_aggregate_function_set_error(info, "keep() is for the engine alone");
  }
  try {
    take_in(*bounding, worker_of(states, *bounding), duckdb_data_chunk_get_vector(input, 0), count);
  } catch (const std::bad_alloc& fault) {
    duckdb_aggregate_function_set_error(info, fault.what());
  }
}

// DuckDB groups the rows; a state is a group's, or what one thread sees of it.
void update_census(duckdb_function_info info, duckdb_data_chunk input,
                   duckdb_aggregate_state* states) {
  Census* const census = target_of(info).census.load();
  const idx_t count = duckdb_data_chunk_get_size(input);
  if (count == 0) return;
  if (census == nullptr || count > Intake::kRowsMax) {
    return duckdb_aggregate_function_set_error(info, "census() is for the engine alone");
  }
  const Column names(duckdb_data_chunk_get_vector(input, 0));
  std::array<std::uint32_t, Intake::kRowsMax> owners;
  bool fine =
      !census->abandoned() && census->find({names.values<std::int64_t>(), count}, owners.data());
  for (idx_t i = 0; names.has_nulls() && i < count; ++i) fine = fine && !names.is_null(i);
  try {
    for (idx_t i = 0; i < count && fine; ++i) {
      auto*& group = held<Census::Group>(states[i]);
      if (group == nullptr) group = census->new_group();
      fine = group != nullptr && census->count(*group, owners[i]);
    }
  } catch (const std::bad_alloc&) {
    return duckdb_aggregate_function_set_error(info, "out of memory");
  }
  if (fine) return;
  census->abandon();
  duckdb_aggregate_function_set_error(info, "there is something to cut");  // ends the statement
}

void combine_census(duckdb_function_info info, duckdb_aggregate_state* sources,
                    duckdb_aggregate_state* targets, idx_t count) {
  Census* const census = target_of(info).census.load();
  for (idx_t i = 0; i < count && census != nullptr; ++i) {
    auto* const from = held<Census::Group>(sources[i]);
    auto*& into = held<Census::Group>(targets[i]);
    if (from == nullptr) continue;
    if (into == nullptr) {
      into = from;
    } else {
      census->merge(*from, *into);
    }
  }
}

void finalize_census(duckdb_function_info, duckdb_aggregate_state* states, duckdb_vector result,
                     idx_t count, idx_t offset) {
  auto* out = static_cast<std::int64_t*>(duckdb_vector_get_data(result));
  for (idx_t i = 0; i < count; ++i) {
    const auto* const group = held<Census::Group>(states[i]);
    out[offset + i] = group == nullptr ? -1 : static_cast<std::int64_t>(group->number());
  }
}

void update_owners(duckdb_function_info info, duckdb_data_chunk input, duckdb_aggregate_state*) {
  Census* census = target_of(info).census.load();
  const idx_t count = duckdb_data_chunk_get_size(input);
  if (count == 0) return;
  if (census == nullptr) {
    return duckdb_aggregate_function_set_error(info, "owners() is for the engine alone");
  }
  duckdb_vector structs = duckdb_data_chunk_get_vector(input, 0);
  const Column keys(duckdb_struct_vector_get_child(structs, 0));
  const Column units(duckdb_struct_vector_get_child(structs, 1));
  try {
    census->add_owners({keys.values<std::int64_t>(), count}, units.values<std::int64_t>());
  } catch (const std::bad_alloc&) {
    duckdb_aggregate_function_set_error(info, "out of memory");
  }
}

void finalize(duckdb_function_info, duckdb_aggregate_state*, duckdb_vector result, idx_t count,
              idx_t offset) {
  auto* out = static_cast<std::int64_t*>(duckdb_vector_get_data(result));
  std::fill_n(out + offset, count, 0);
}

// Workers belong to the Bounding, which unites them itself; owners are in one place.
void combine(duckdb_function_info, duckdb_aggregate_state*, duckdb_aggregate_state*, idx_t) {}

bool register_aggregate(duckdb_connection connection, const char* name, KeepTarget& target,
                        duckdb_aggregate_update_t update_states,
                        duckdb_aggregate_combine_t combine_states = combine,
                        duckdb_aggregate_finalize_t finalize_states = finalize) {
  AggregateFunction made(duckdb_create_aggregate_function());
  duckdb_aggregate_function_set_name(made.get(), name);
  LogicalType any(duckdb_create_logical_type(DUCKDB_TYPE_ANY));
  duckdb_aggregate_function_add_parameter(made.get(), any.get());
  LogicalType number(duckdb_create_logical_type(DUCKDB_TYPE_BIGINT));
  duckdb_aggregate_function_set_return_type(made.get(), number.get());
  duckdb_aggregate_function_set_extra_info(made.get(), &target, nullptr);
  duckdb_aggregate_function_set_special_handling(made.get());  // NULLs come to us
  duckdb_aggregate_function_set_functions(
      made.get(), [](duckdb_function_info) -> idx_t { return sizeof(void*); },
      [](duckdb_function_info, duckdb_aggregate_state state) { held<void>(state) = nullptr; },
      update_states, combine_states, finalize_states);
  return duckdb_register_aggregate_function(connection, made.get()) == DuckDBSuccess;
}

}  // namespace

bool register_keep(duckdb_connection connection, KeepTarget& target) {
  return register_aggregate(connection, "keep", target, update) &&
         register_aggregate(connection, "census", target, update_census, combine_census,
                            finalize_census) &&
         register_aggregate(connection, "owners", target, update_owners);
}

}  // namespace discreet::engine::duckdb
