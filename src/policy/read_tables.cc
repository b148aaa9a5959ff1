// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <utility>

#include "policy/read.h"

namespace discreet::policy {
namespace {

using Kind = Node::Kind;

const char* const kUnitExample = "unit: {namespace: patients, column: patient_id}";
const char* const kPathExample = "path: [labs.visit_id -> visits.id, visits.patient_id]";
constexpr std::int64_t kBoundMax = 1'000'000;  // as the checker's (plan/source.cc)
constexpr std::int64_t kRowsPerUnitMax = 1'000'000'000;
constexpr std::int64_t kRowsMax = 1'000'000'000'000'000;

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

/// One entry of a path: "labs.visit_id -> visits.id", or "visits.patient_id" at the end.
struct Hop {
  std::pair<std::string, std::string> from;
  std::optional<std::pair<std::string, std::string>> to;
};

std::optional<Hop> parse_hop(const std::string& text) {
  const std::size_t arrow = text.find("->");
  const auto from = split_at_dot(trimmed(text.substr(0, arrow)));
  if (!from) return std::nullopt;
  if (arrow == std::string::npos) return Hop{*from, std::nullopt};
  const auto to = split_at_dot(trimmed(text.substr(arrow + 2)));
  if (!to || to->second.find("->") != std::string::npos) return std::nullopt;
  return Hop{*from, to};
}

/// Follows the entries from `table`. False at the first that does not connect, which is noted.
bool read_path(const std::string& table, const Node& node, const std::string& path, UnitPath& unit,
               Mistakes& mistakes) {
  const auto wrong = [&](const Node& entry, const std::string& what, const std::string& fix) {
    mistakes.add(entry.line, path + what, fix);
    return false;
  };
  const std::vector<const Node*> entries = texts_of(node, path, mistakes);
  if (node.children.empty()) return wrong(node, " is empty", kPathExample);
  if (entries.size() != node.children.size()) return false;
  std::string at = table;
  std::set<std::string> visited{table};
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Node& entry = *entries[i];
    const std::string quoted = ": " + in_quotes(entry.text);
    const auto hop = parse_hop(entry.text);
    if (!hop)
      return wrong(entry, quoted + " is no step", std::string("for example: ") + kPathExample);
    for (const auto& name :
         {hop->from.second, hop->to ? hop->to->first : "t", hop->to ? hop->to->second : "k"}) {
      if (!check_name(name, entry.line, path + quoted, mistakes)) return false;
    }
    if (hop->from.first != at) {
      return wrong(entry, quoted + " does not start at " + at,
                   "each step starts at the table where the one before it ended, the first at the "
                   "table itself");
    }
    if (i + 1 == entries.size()) {
      unit.column = hop->from.second;
      return !hop->to || wrong(entry, " does not end at the unit's column",
                               "add a last entry, such as " + hop->to->first + ".patient_id");
    }
    if (!hop->to) {
      return wrong(entry, quoted + " stands before the end",
                   "a step in the middle is table.column -> table.key");
    }
    at = hop->to->first;
    if (!visited.insert(at).second) {
      return wrong(entry, " is a cycle: it comes back to " + at,
                   "a path leads from row to row to the unit's column and never back");
    }
    unit.steps.push_back({hop->from.second, at, hop->to->second});
  }
  return true;
}

/// The only namespace when none is named.
std::string read_space(Fields& fields, const Policy& policy, Mistakes& mistakes) {
  if (!fields.has("namespace")) {
    if (policy.units.size() == 1) return policy.units.begin()->first;
    fields.require("namespace", "name one of units, such as namespace: patients");
    return "";
  }
  const auto space = fields.get_text("namespace");
  if (!space || policy.units.contains(*space)) return space.value_or("");
  std::vector<std::string> names;
  for (const auto& [name, units] : policy.units) names.push_back(name);
  mistakes.add(fields.line_of("namespace"),
               fields.path() + " names " + in_quotes(*space) + ", which is not declared",
               names.empty() ? "declare it under units"
                             : "declare it under units, or take " + names.front());
  return "";
}

UnitPath read_unit(const std::string& table, Fields& parent, const Node& node, const Policy& policy,
                   Mistakes& mistakes) {
  UnitPath unit;
  const std::string path = parent.path_of("unit");
  if (node.is(Kind::kScalar)) {  // unit: patient_id, when there is one namespace
    (void)check_name(node.text, node.line, path, mistakes);
    unit.column = node.text;
    if (policy.units.size() == 1) {
      unit.space = policy.units.begin()->first;
    } else {
      mistakes.add(node.line, path + " names no namespace", kUnitExample);
    }
    return unit;
  }
  Fields fields(node, path, {"namespace", "column", "path", "row"}, mistakes);
  if (!node.is(Kind::kMap)) return unit;
  unit.space = read_space(fields, policy, mistakes);
  bool good = true;
  const int ways = fields.has("column") + fields.has("path") + fields.has("row");
  if (ways != 1) {
    mistakes.add(fields.line(),
                 path + (ways == 0 ? " does not say whose a row is" : " says it twice"),
                 "give one of column: patient_id, path: [...], or row: true (each row is a unit)");
  }
  unit.column = fields.get_name("column").value_or("");
  if (const Node* steps = fields.get_list("path", kPathExample)) {
    good = read_path(table, *steps, fields.path_of("path"), unit, mistakes);
  }
  unit.row_is_unit = fields.get_boolean("row").value_or(false);
  if (ways == 1 && fields.has("row") && !unit.row_is_unit) {
    fields.wrong("row", "is not true", "write row: true, or name the unit's column");
  }
  if (ways != 1 || !good) unit.space.clear();  // noted; other tables need not agree with it
  return unit;
}

ContributionBounds read_bounds(Fields& parent, const Node& node, Mistakes& mistakes) {
  ContributionBounds bounds;
  Fields fields(node, parent.path_of("bounds"), {"groups_per_unit", "rows_per_unit_and_group"},
                mistakes);
  bounds.groups_per_unit = fields.get_count("groups_per_unit", kBoundMax).value_or(1);
  bounds.rows_per_unit_and_group =
      fields.get_count("rows_per_unit_and_group", kBoundMax).value_or(1);
  bounds.declared = true;
  return bounds;
}

void read_columns(Fields& fields, Table& table, Places& places, Mistakes& mistakes) {
  const Node* node = fields.get_map("columns", "columns: {age: {type: integer, range: [0, 120]}}");
  if (node == nullptr) return;
  for (const Node& child : node->children) {
    const std::string path = fields.path_of("columns") + "." + shown(child.key);
    table.columns.push_back(read_column(child, path, mistakes));
    if (!table.columns.back().values_from.empty()) {
      places.values_from.push_back({table.name, child.key, child.find("values_from")->line});
    }
  }
}

bool check_table_name(const Node& node, const std::string& path, const Policy& policy,
                      Mistakes& mistakes) {
  if (!check_name(node.key, node.key_line, path, mistakes)) return false;
  if (node.key.find('.') != std::string::npos || node.key.find("->") != std::string::npos) {
    mistakes.add(node.key_line, path + " has a dot or an arrow in its name",
                 "name it without; source may be what you like");
    return false;
  }
  if (policy.tables.contains(node.key)) {
    mistakes.add(node.key_line, path + " is declared under tables and under public",
                 "keep one: a public table is about nobody");
    return false;
  }
  return true;
}

void read_table(const Node& node, bool is_public, Policy& policy, Places& places,
                Mistakes& mistakes) {
  const std::string path = (is_public ? "public." : "tables.") + shown(node.key);
  Table table;
  table.name = node.key;
  const bool good_name = check_table_name(node, path, policy, mistakes);
  if (is_public && node.is(Kind::kScalar) && !node.is_open()) {  // short for {source: ...}
    table.source = node.text;
    if (node.text.empty()) mistakes.add(node.line, path + " is empty", "name its source");
  } else {
    std::vector<std::string> known{"source", "columns", "rows_max"};
    if (!is_public) known.insert(known.begin() + 1, {"unit", "bounds", "rows_per_unit"});
    Fields fields(node, path, known, mistakes);
    fields.require("source", "name a file or a table, such as source: visits.parquet");
    table.source = fields.get_text("source").value_or("");
    table.rows_max = fields.get_count("rows_max", kRowsMax);
    read_columns(fields, table, places, mistakes);
    if (!is_public) {
      fields.require("unit", std::string("say whose its rows are: ") + kUnitExample +
                                 "; a table about nobody belongs under public");
      table.unit = UnitPath{};
      if (const Node* unit = fields.get("unit")) {
        table.unit = read_unit(table.name, fields, *unit, policy, mistakes);
        places.unit_lines[table.name] = fields.line_of("unit");
      }
      if (const Node* bounds = fields.get("bounds")) {
        table.bounds = read_bounds(fields, *bounds, mistakes);
      }
      table.rows_per_unit = fields.get_count("rows_per_unit", kRowsPerUnitMax);
    }
  }
  if (is_public) {
    const Node* source = node.is(Kind::kMap) ? node.find("source") : &node;
    places.public_lines[table.name] = source == nullptr ? node.line : source->line;
  }
  if (good_name) policy.tables[table.name] = std::move(table);
}

}  // namespace

void read_tables(const Node& node, bool is_public, Policy& policy, Places& places,
                 Mistakes& mistakes) {
  for (const Node& child : node.children) read_table(child, is_public, policy, places, mistakes);
}

}  // namespace discreet::policy
