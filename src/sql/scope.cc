// SPDX-License-Identifier: Apache-2.0
#include "sql/scope.h"

#include <algorithm>
#include <cctype>

#include "base/suggest.h"

namespace discreet::sql {
namespace {

std::string lower(std::string text) {
  for (char& c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 128) c = static_cast<char>(std::tolower(byte));
  }
  return text;
}

std::vector<std::string> declared_columns(const policy::Table& table) {
  std::vector<std::string> names;
  for (const policy::Column& column : table.columns) names.push_back(column.name);
  return names;
}

// Columns that say whose row it is: the unit itself, the first step of a path to it, and what the
// paths of other tables lead to.
std::vector<std::string> linking_columns(const policy::Table& table, const policy::Policy& policy) {
  std::vector<std::string> names;
  const auto add = [&names](const std::string& name) {
    if (!name.empty() && std::ranges::count(names, name) == 0) names.push_back(name);
  };
  if (table.unit) {
    add(table.unit->steps.empty() ? table.unit->column : table.unit->steps.front().column);
  }
  for (const auto& [name, other] : policy.tables) {
    if (!other.unit) continue;
    for (const auto& step : other.unit->steps) {
      if (step.table == table.name) add(step.key);
    }
  }
  return names;
}

std::string joined(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ".") + name;
  return out;
}

}  // namespace

std::string matching(const std::string& name, const std::vector<std::string>& names) {
  if (std::ranges::count(names, name) > 0) return name;
  if (lower(name) != name) return "";
  std::string found;
  for (const std::string& candidate : names) {
    if (lower(candidate) != name) continue;
    if (!found.empty()) return "";
    found = candidate;
  }
  return found;
}

std::vector<std::string> Scope::table_names() const {
  std::vector<std::string> names;
  for (const plan::TableUse& use : source_.tables) names.push_back(use.alias);
  return names;
}

std::optional<Found> Scope::look(std::size_t index, const std::string& name) const {
  const policy::Table& table = *tables_[index];
  const bool own_unit = table.unit && table.unit->steps.empty();
  const std::string declared = matching(name, declared_columns(table));
  if (!declared.empty()) {
    return Found{.table = index,
                 .name = declared,
                 .column = table.find(declared),
                 .is_unit = own_unit && declared == table.unit->column};
  }
  const std::string linking = matching(name, linking_columns(table, *policy_));
  if (linking.empty()) return std::nullopt;
  return Found{.table = index,
               .name = linking,
               .column = nullptr,
               .is_unit = own_unit && linking == table.unit->column};
}

std::vector<Found> Scope::candidates(const std::vector<std::string>& names) const {
  std::vector<Found> out;
  const std::string& name = names.back();
  std::string table;
  if (names.size() == 2) {
    table = matching(names.front(), table_names());
    if (table.empty()) return out;
  }
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    if (names.size() == 2 && source_.tables[i].alias != table) continue;
    if (auto found = look(i, name)) out.push_back(std::move(*found));
  }
  return out;
}

Result<Found> Scope::find(const Node& column_ref) const {
  const Place place = column_ref.place();
  for (const Node& field : column_ref.list("fields")) {
    if (field.is("A_Star")) {
      return text_->error(Code::kUnsupported, place,
                          "* would show rows; ask for aggregates, e.g. SELECT COUNT(*)");
    }
  }
  return find(column_ref.names("fields"), place);
}

Result<Found> Scope::find(const std::vector<std::string>& names, Place place) const {
  if (names.empty() || names.size() > 2) {
    return text_->error(Code::kNotFound, place, "a column is written as column or as table.column");
  }
  const std::string& name = names.back();
  if (names.size() == 2 && matching(names.front(), table_names()).empty()) {
    return text_->error(Code::kNotFound, place,
                        "there is no table " + in_quotes(names.front()) + " in FROM" +
                            did_you_mean(names.front(), table_names()) + "; there is " +
                            one_of(table_names()));
  }
  const std::vector<Found> found = candidates(names);
  if (found.size() == 1) return found.front();
  if (found.size() > 1) {
    if (std::ranges::count(merged_, found.front().name) > 0) return found.front();
    std::vector<std::string> both;
    for (const Found& one : found) both.push_back(source_.tables[one.table].alias + "." + one.name);
    return text_->error(Code::kInvalidInput, place,
                        in_quotes(name) + " is in several tables; write " + one_of(both));
  }
  std::vector<std::string> known;
  std::string where;
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    const bool looked_at =
        names.size() == 1 || matching(names.front(), {source_.tables[i].alias}) != "";
    if (!looked_at) continue;
    std::ranges::copy(declared_columns(*tables_[i]), std::back_inserter(known));
    where += (where.empty() ? "" : ", ") + tables_[i]->name;
  }
  const std::string hint = did_you_mean(name, known);
  const bool few = hint.empty() && !known.empty() && known.size() <= 12;
  return text_->error(Code::kNotFound, place,
                      "there is no column " + in_quotes(joined(names)) + " in " + where + hint +
                          (few ? "; the policy declares " + one_of(known) : ""));
}

bool Scope::is_unit_beyond(const std::vector<std::string>& names) const {
  if (names.size() != 1 || !candidates(names).empty()) return false;
  for (const policy::Table* table : tables_) {
    if (table->unit && !matching(names.back(), {table->unit->column}).empty()) return true;
  }
  return false;
}

}  // namespace discreet::sql
