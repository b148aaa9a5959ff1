// SPDX-License-Identifier: Apache-2.0
#include "engine/trino/choosing.h"

#include <utility>

#include "engine/trino/dialect.h"

namespace discreet::engine::trino {
namespace {

std::string secret_bytes(const Secret& secret) {
  std::string out;
  for (const std::uint64_t word : secret.words) {
    for (int shift = 56; shift >= 0; shift -= 8) out += static_cast<char>(word >> shift & 255);
  }
  return out;
}

std::vector<Sql> names(const char* letter, std::size_t count) {
  std::vector<Sql> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(Sql::name({numbered(letter, i)}));
  return out;
}

void append(std::vector<Sql>& to, const std::vector<Sql>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

Sql unit() { return Sql::name({"unit"}); }

Sql at_most(const char* name, std::int64_t most) {
  return Sql::infix("<=", {Sql::name({name}), dialect().number(most)});
}

/// A number to order by; those whose hashes are equal are told apart by what else is ordered by.
Sql hash(std::vector<Sql> parts) {
  return Sql::call("from_big_endian_64",
                   {Sql::call("xxhash64", {Sql::infix("||", std::move(parts))})});
}

}  // namespace

Select select_from(const Select& inner) {
  Select outer;
  outer.from = {{Sql::subquery(inner), "r", {}}};
  return outer;
}

std::string numbered(const char* letter, std::size_t index) {
  return letter + std::to_string(index);
}

Choosing::Choosing(const Secret& secret, Held unit, std::vector<Held> keys,
                   std::vector<Held> contents)
    : secret_(secret_bytes(secret)),
      unit_(unit),
      keys_(std::move(keys)),
      contents_(std::move(contents)) {}

std::vector<Sql> Choosing::unit_and_keys() const {
  std::vector<Sql> out = {unit()};
  append(out, names("k", keys_.size()));
  return out;
}

Sql Choosing::bytes_of(const Sql& field, Held held) {
  const Sql null = Sql::bytes("null");
  switch (held) {
    case Held::kNumber:
      return Sql::call("coalesce", {Sql::call("to_big_endian_64", {field}), null});
    case Held::kText:
      return Sql::call("coalesce", {Sql::call("xxhash64", {Sql::call("to_utf8", {field})}), null});
    case Held::kTruth:
      break;
  }
  return Sql::choose({field, Sql::bytes("1"), Sql::prefix("NOT", field), Sql::bytes("0"), null});
}

Select Choosing::kept_rows(const Select& rows, std::int64_t of_unit, std::int64_t most) const {
  const std::vector<Sql> keys = names("k", keys_.size());
  const std::vector<Sql> contents = names("c", contents_.size());
  std::vector<Sql> all = unit_and_keys();
  append(all, contents);
  std::vector<Sql> bytes = {Sql::bytes(secret_), bytes_of(unit(), unit_)};
  for (std::size_t i = 0; i < keys.size(); ++i) bytes.push_back(bytes_of(keys[i], keys_[i]));
  for (std::size_t i = 0; i < contents.size(); ++i) {
    bytes.push_back(bytes_of(contents[i], contents_[i]));
  }
  // A window by unit alone comes first. It cuts before anything is numbered or compared, so that
  // nobody's rows pile up; and after its exchange all that follows finds a unit's rows on one
  // worker. Rows that are equal in its order are equal in all.
  std::vector<Sql> cut_order = {hash(bytes)};
  append(cut_order, keys);
  append(cut_order, contents);
  Select placed = select_from(rows);
  placed.outputs = all;
  placed.outputs.push_back(Sql::as(Sql::row_number({unit()}, cut_order), "p"));
  Select occurrences = select_from(placed);
  occurrences.outputs = all;
  occurrences.outputs.push_back(Sql::as(Sql::over("row_number", all, {}), "o"));
  occurrences.where = {at_most("p", of_unit)};

  const Sql occurrence = Sql::name({"o"});
  bytes.push_back(bytes_of(occurrence, Held::kNumber));
  std::vector<Sql> order = {hash(std::move(bytes))};
  append(order, contents);
  order.push_back(occurrence);
  Select ranked = select_from(occurrences);
  ranked.outputs = all;
  ranked.outputs.push_back(Sql::as(Sql::row_number(unit_and_keys(), order), "n"));

  Select kept = select_from(ranked);
  kept.outputs = std::move(all);
  kept.outputs.push_back(Sql::name({"n"}));
  kept.where = {at_most("n", most)};
  return kept;
}

std::vector<Sql> Choosing::key_order() const {
  const std::vector<Sql> keys = names("k", keys_.size());
  std::vector<Sql> bytes = {Sql::bytes(secret_), bytes_of(unit(), unit_)};
  for (std::size_t i = 0; i < keys.size(); ++i) bytes.push_back(bytes_of(keys[i], keys_[i]));
  std::vector<Sql> order = {hash(std::move(bytes))};
  append(order, keys);
  return order;
}

Select Choosing::chosen(const Select& groups, std::vector<Sql> others, std::int64_t most) const {
  std::vector<Sql> outputs = names("k", keys_.size());
  append(outputs, others);
  Select ranked = select_from(groups);
  ranked.outputs = outputs;
  ranked.outputs.push_back(Sql::as(Sql::row_number({unit()}, key_order()), "g"));
  Select kept = select_from(ranked);
  kept.outputs = std::move(outputs);
  kept.where = {at_most("g", most)};
  return kept;
}

Select Choosing::chosen_by_rank(const Select& kept, std::int64_t most) const {
  std::vector<Sql> outputs = names("k", keys_.size());
  append(outputs, names("c", contents_.size()));
  outputs.push_back(Sql::name({"n"}));
  Select ranked = select_from(kept);
  ranked.outputs = outputs;
  ranked.outputs.push_back(Sql::as(Sql::over("dense_rank", {unit()}, key_order()), "g"));
  Select select = select_from(ranked);
  select.outputs = std::move(outputs);
  select.where = {at_most("g", most)};
  return select;
}

}  // namespace discreet::engine::trino
