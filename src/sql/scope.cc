// SPDX-License-Identifier: Apache-2.0
#include "sql/scope.h"

#include <algorithm>
#include <cctype>

#include "base/suggest.h"
#include "plan/identity.h"

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
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    if (tables_[i].table != nullptr) names.push_back(source_.tables[i].alias);
    for (const Visible& column : tables_[i].columns) {
      if (std::ranges::count(names, column.qualifier) == 0) names.push_back(column.qualifier);
    }
  }
  return names;
}

std::vector<Found> Scope::look(std::size_t index, const std::string& qualifier,
                               const std::string& name) const {
  const plan::TableUse& use = source_.tables[index];
  const policy::Table* const table = tables_[index].table;
  if (table == nullptr) {
    std::vector<std::string> names;
    for (const Visible& column : tables_[index].columns) {
      if (qualifier.empty() || column.qualifier == qualifier) names.push_back(column.name);
    }
    const std::string meant = matching(name, names);
    std::vector<Found> out;
    for (const Visible& column : tables_[index].columns) {
      if (meant.empty() || column.name != meant) continue;
      if (!qualifier.empty() && column.qualifier != qualifier) continue;
      const bool is_unit = !column.identifier.empty() &&
                           plan::is_unit_itself(use, column.identifier, *context_.policy);
      out.push_back({index, column.name, column.value, column.identifier, column.type, is_unit});
    }
    return out;
  }
  if (!qualifier.empty() && use.alias != qualifier) return {};
  const std::vector<std::string> linking = plan::identifiers_of(use, *context_.policy);
  const std::string declared = matching(name, declared_columns(*table));
  const std::string meant = declared.empty() ? matching(name, linking) : declared;
  if (meant.empty()) return {};
  const policy::Column* const column = table->find(meant);
  return {{index, meant, column == nullptr ? "" : meant,
           std::ranges::count(linking, meant) > 0 ? meant : "",
           column == nullptr ? policy::Type::kText : column->type,
           plan::is_unit_itself(use, meant, *context_.policy)}};
}

std::vector<Found> Scope::candidates(const std::vector<std::string>& names) const {
  if (names.empty() || names.size() > 2) return {};
  std::string qualifier;
  if (names.size() == 2) {
    qualifier = matching(names.front(), table_names());
    if (qualifier.empty()) return {};
  }
  if (first_) {
    std::vector<Found> inside = look(*first_, qualifier, names.back());
    if (!inside.empty()) return inside;
  }
  std::vector<Found> out;
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    if (first_ != i) std::ranges::copy(look(i, qualifier, names.back()), std::back_inserter(out));
  }
  return out;
}

std::vector<Found> Scope::all(const std::string& qualifier) const {
  std::vector<Found> out;
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    const plan::JoinKind join = source_.tables[i].join;
    if (join == plan::JoinKind::kSemi || join == plan::JoinKind::kAnti) continue;
    std::vector<std::string> names;
    if (const policy::Table* table = tables_[i].table) {
      names = declared_columns(*table);
      for (const std::string& name : plan::identifiers_of(source_.tables[i], *context_.policy)) {
        if (std::ranges::count(names, name) == 0) names.push_back(name);
      }
    }
    for (const Visible& column : tables_[i].columns) names.push_back(column.name);
    for (const std::string& name : names) {
      std::ranges::copy(look(i, qualifier, name), std::back_inserter(out));
    }
  }
  return out;
}

Scope Scope::of(Relation relation, const std::string& alias, const Context& context) {
  Scope scope(context);
  plan::TableUse use;
  use.alias = alias;
  use.parts = std::move(relation.parts);
  scope.add(std::move(use), {nullptr, std::move(relation.columns)});
  return scope;
}

Scope Scope::with(Relation relation) const {
  Scope both = *this;
  plan::TableUse use;
  use.parts = std::move(relation.parts);
  use.join = plan::JoinKind::kSemi;
  both.first_ = both.tables_.size();
  both.add(std::move(use), {nullptr, std::move(relation.columns)});
  return both;
}

Result<Found> Scope::find(const Node& column_ref) const {
  const Place place = column_ref.place();
  for (const Node& field : column_ref.list("fields")) {
    if (field.is("A_Star")) {
      return text().error(Code::kUnsupported, place,
                          "* would show rows; ask for aggregates, e.g. SELECT COUNT(*)");
    }
  }
  return find(column_ref.names("fields"), place);
}

Result<Found> Scope::find(const std::vector<std::string>& names, Place place) const {
  if (names.empty() || names.size() > 2) {
    return text().error(Code::kNotFound, place, "a column is written as column or as table.column");
  }
  const std::string& name = names.back();
  if (names.size() == 2 && matching(names.front(), table_names()).empty()) {
    return text().error(Code::kNotFound, place,
                        "there is no table " + in_quotes(names.front()) + " in FROM" +
                            did_you_mean(names.front(), table_names()) + "; there is " +
                            one_of(table_names()));
  }
  const std::vector<Found> found = candidates(names);
  if (found.size() == 1) return found.front();
  if (found.size() > 1) {
    if (std::ranges::count(merged_, found.front().name) > 0) return found.front();
    std::vector<std::string> both;
    for (const Found& one : found) {
      std::string qualifier = source_.tables[one.table].alias;
      for (const Visible& column : tables_[one.table].columns) {
        if (column.name == one.name && column.value == one.value) qualifier = column.qualifier;
      }
      both.push_back(qualifier + "." + one.name);
    }
    return text().error(Code::kInvalidInput, place,
                        in_quotes(name) + " is in several tables; write " + one_of(both));
  }
  std::vector<std::string> known;
  std::string where;
  const std::string qualifier = names.size() == 1 ? "" : matching(names.front(), table_names());
  for (const Found& one : all(qualifier)) {
    if (!one.value.empty()) known.push_back(one.name);
  }
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    if (!qualifier.empty() && source_.tables[i].alias != qualifier) continue;
    const std::string& called =
        tables_[i].table != nullptr ? tables_[i].table->name : source_.tables[i].alias;
    if (!called.empty()) where += (where.empty() ? "" : ", ") + called;
  }
  const std::string hint = did_you_mean(name, known);
  const bool declared =
      std::ranges::all_of(tables_, [](const Entry& entry) { return entry.table != nullptr; });
  const bool few = hint.empty() && !known.empty() && known.size() <= 12;
  return text().error(
      Code::kNotFound, place,
      "there is no column " + in_quotes(joined(names)) + " in " + where + hint +
          (few ? (declared ? "; the policy declares " : "; there is ") + one_of(known) : ""));
}

bool Scope::is_unit_beyond(const std::vector<std::string>& names) const {
  if (names.size() != 1 || !candidates(names).empty()) return false;
  return std::ranges::any_of(tables_, [&](const Entry& entry) {
    return entry.table != nullptr && entry.table->unit &&
           !matching(names.back(), {entry.table->unit->column}).empty();
  });
}

}  // namespace discreet::sql
