// SPDX-License-Identifier: Apache-2.0
// SmartNoise's metadata: database -> schema -> table -> settings and columns, the columns beside
// the settings or under `columns`.
#include <algorithm>
#include <array>
#include <set>

#include "policy/document.h"
#include "policy/draft.h"
#include "policy/value.h"
#include "policy/write.h"

namespace discreet::policy {
namespace {

using Kind = Node::Kind;

const char* const kSpace = "people";
const char* const kOpen = "\"?\"";

struct Setting {
  const char* name;
  const char* meaning;  ///< why it does not carry over
};

constexpr std::array<Setting, 6> kSettings{{
    {"rows", "a number that was public there; if it is, rows_max can bound it for good"},
    {"sample_max_ids", "what one unit adds is always bounded here"},
    {"censor_dims", "keys that are not listed are always found privately here"},
    {"clamp_counts", "answers are as they were drawn; round them afterwards if you like"},
    {"clamp_columns", "values are always clamped to their range here"},
    {"use_dpsu", "keys are found by partition selection here"},
}};

bool is_true(const Node* node) {
  return node != nullptr && (node->text == "true" || node->text == "True" || node->text == "TRUE");
}

std::string text_of(const Node* node) {
  return node != nullptr && node->is(Kind::kScalar) ? node->text : "";
}

std::string comment(const std::string& indent, const std::string& name, const Node& node,
                    const std::string& why) {
  const std::string value = node.is(Kind::kScalar) ? in_quotes(node.text) : "...";
  return indent + "# not kept: " + name + ": " + value + " (" + why + ")\n";
}

/// A constant, or "?" where there is none that fits the type.
std::string constant_text(const Node* node, Type type) {
  if (node == nullptr) return kOpen;
  const auto value = parse_value(type, text_of(node));
  return value ? to_string(*value) : kOpen;
}

std::string column_text(const Node& node) {
  const Node* type_node = node.find("type");
  const auto type = parse_type(text_of(type_node));
  const std::string name = yaml_text(node.key);
  if (!type) {
    return "      # not kept: " + name + " (its type " + in_quotes(text_of(type_node)) +
           " has no privacy domain)\n";
  }
  std::string out = "      " + name + ": {type: " + to_string(*type);
  const Node* low = node.find("lower");
  const Node* high = node.find("upper");
  const bool ranged = (low != nullptr || high != nullptr) && has_range(*type);
  if (ranged) {
    out += ", range: [" + constant_text(low, *type) + ", " + constant_text(high, *type) + "]";
    if (*type == Type::kDecimal) out += ", step: \"?\"";
  }
  std::string comments;
  for (const Node& child : node.children) {
    const bool kept = child.key == "type" || child.key == "private_id" ||
                      (ranged && (child.key == "lower" || child.key == "upper"));
    const bool no_change = child.key == "nullable";  // NULLs are dropped either way
    const std::string fallback = child.key == "missing_value" ? constant_text(&child, *type) : "";
    if (!fallback.empty() && fallback != kOpen) {
      out +=
          ", \"null\": {default: " + (*type == Type::kText ? yaml_text(fallback) : fallback) + "}";
    } else if (!kept && !no_change) {
      comments += comment("      ", name + "." + yaml_text(child.key), child,
                          child.key == "cardinality" ? "list the keys, or they are found privately"
                                                     : "no such property here");
    }
  }
  return out + "}\n" + comments;
}

/// The columns stand beside the settings, or under `columns`.
std::vector<const Node*> column_nodes(const Node& table) {
  std::vector<const Node*> out;
  const Node* inner = table.find("columns");
  const bool nested = inner != nullptr && inner->is(Kind::kMap) && inner->find("type") == nullptr;
  for (const Node& child : nested ? inner->children : table.children) {
    if (child.is(Kind::kMap)) out.push_back(&child);
  }
  return out;
}

std::string smartnoise_unit(const Node& table, const std::vector<const Node*>& columns) {
  const std::string start = std::string("    unit: {namespace: ") + kSpace;
  if (is_true(table.find("row_privacy"))) return start + ", row: true}   # row_privacy\n";
  for (const Node* column : columns) {
    if (is_true(column->find("private_id"))) {
      return start + ", column: " + yaml_text(column->key) + "}   # private_id\n";
    }
  }
  return start + ", column: \"?\"}   # no column was marked private_id\n";
}

std::string bounds_text(const Node& table) {
  const Node* max_ids = table.find("max_ids");
  const auto count = Rational::parse(text_of(max_ids));
  if (!count || count->denominator() != 1 || count->sign() <= 0) return "";
  return "    # max_ids was " + count->to_string() +
         " rows of a unit in all; change it if a unit has many rows in few groups\n"
         "    bounds: {groups_per_unit: " +
         count->to_string() + ", rows_per_unit_and_group: 1}\n";
}

std::string smartnoise_table(const std::string& name, const std::string& schema,
                             const Node& table) {
  std::string out = "  " + yaml_text(name) + ":\n";
  out += "    source: \"?\"   # there: " + yaml_text(schema + "." + table.key) + "\n";
  const std::vector<const Node*> columns = column_nodes(table);
  out += smartnoise_unit(table, columns) + bounds_text(table);
  for (const Setting& setting : kSettings) {
    const Node* node = table.find(setting.name);
    if (node != nullptr) out += comment("    ", setting.name, *node, setting.meaning);
  }
  std::string lines;
  bool any = false;
  for (const Node* column : columns) {
    if (is_true(column->find("private_id"))) continue;  // it is the unit; nobody needs to reach it
    lines += column_text(*column);
    any = any || lines.find("{type: ") != std::string::npos;
  }
  return out + (any ? "    columns:\n" + lines : lines);
}

std::string free_name(const std::string& schema, const std::string& table,
                      std::set<std::string>& taken) {
  std::string name = table_name_of(table);
  if (!taken.insert(name).second) {
    name = table_name_of(schema + "_" + table);
    for (int i = 2; !taken.insert(name).second; ++i) {
      name = table_name_of(schema + "_" + table) + "_" + std::to_string(i);
    }
  }
  return name;
}

}  // namespace

Result<std::string> import_smartnoise(std::string_view text) {
  const Document document = read_document(text);
  const std::string form =
      "; SmartNoise's metadata is a map database: {schema: {table: {column: {type: int}}}}";
  if (!document.root || !document.mistakes.empty()) {
    const Mistake& first = document.mistakes.front();
    return invalid_input("line " + std::to_string(first.line) + ": " + first.message + " (" +
                         first.fix + ")" + form);
  }
  std::string out = draft_head("SmartNoise's metadata", kSpace);
  std::set<std::string> taken;
  for (const Node& database : document.root->children) {
    for (const Node& schema : database.children) {
      for (const Node& table : schema.children) {
        if (!table.is(Kind::kMap) || column_nodes(table).empty()) continue;
        out += smartnoise_table(free_name(schema.key, table.key, taken), schema.key, table);
      }
    }
  }
  if (taken.empty()) return invalid_input("there is no table with columns in it" + form);
  return out;
}

}  // namespace discreet::policy
