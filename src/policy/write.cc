// SPDX-License-Identifier: Apache-2.0
#include "policy/write.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "policy/policy.h"
#include "policy/read.h"
#include "policy/value.h"

namespace discreet::policy {
namespace {

/// Words that some YAML readers take for something else than text.
constexpr std::array<std::string_view, 9> kSpecial{"null", "true", "false", "yes", "no",
                                                   "on",   "off",  "y",     "n"};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_plain(std::string_view text) {
  if (text.empty() || !is_letter(text.front())) return false;
  std::string lower;
  for (const char c : text) {
    if (!is_letter(c) && !is_digit(c) && c != '.' && c != '/' && c != '-') return false;
    lower += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return std::find(kSpecial.begin(), kSpecial.end(), lower) == kSpecial.end();
}

/// Numbers and dates stand bare, text as text.
std::string scalar(const Value& value) {
  return value.type == Type::kText ? yaml_text(to_string(value)) : to_string(value);
}

std::string caps_text(const Caps& caps) {
  return std::string("{") + (caps.is_rho ? "rho: " : "epsilon: ") + caps.epsilon.to_string() +
         ", delta: " + caps.delta.to_string() + "}";
}

template <class Items, class Text>
std::string list(const Items& items, Text text) {
  std::string out;
  for (const auto& item : items) out += (out.empty() ? "" : ", ") + text(item);
  return "[" + out + "]";
}

std::string text_list(const std::vector<std::string>& texts) {
  return list(texts, [](const std::string& text) { return yaml_text(text); });
}

std::string unit_text(const std::string& table, const UnitPath& unit) {
  std::string out = "{namespace: " + yaml_text(unit.space);
  if (unit.row_is_unit) return out + ", row: true}";
  if (unit.steps.empty()) return out + ", column: " + yaml_text(unit.column) + "}";
  std::vector<std::string> entries;
  std::string at = table;
  for (const UnitPath::Step& step : unit.steps) {
    entries.push_back(at + "." + step.column + " -> " + step.table + "." + step.key);
    at = step.table;
  }
  entries.push_back(at + "." + unit.column);
  return out + ", path: " + text_list(entries) + "}";
}

std::string may_text(const Column& column) {
  const std::vector<std::string> words = may_words(column);
  return words.size() == 3 ? "" : ", may: " + text_list(words);
}

}  // namespace

std::string units_text(const Units& units) {
  std::string out = "  " + yaml_text(units.name) + ":\n";
  out += "    budget: " + caps_text(units.budget) + "\n";
  if (units.notion != Notion::kEpsilon) out += "    notion: " + to_string(units.notion) + "\n";
  if (units.neighbours == Neighbours::kReplaceOne) out += "    neighbours: replace-one\n";
  if (!units.analysts.empty()) out += "    analysts:\n";
  for (const auto& [name, caps] : units.analysts) {
    out += "      " + yaml_text(name) + ": " + caps_text(caps) + "\n";
  }
  if (units.largest_question) {
    out += "    largest_question: " + caps_text(*units.largest_question) + "\n";
  }
  if (!units.block_column.empty()) {
    out += "    blocks: {column: " + yaml_text(units.block_column) +
           ", values: " + text_list(units.block_values) + "}\n";
  }
  if (units.within) {
    out += "    within: {namespace: " + yaml_text(units.within->space) +
           ", column: " + yaml_text(units.within->column) +
           ", members: " + std::to_string(units.within->members) + "}\n";
  }
  return out;
}

std::string column_text(const Column& column) {
  std::string out = yaml_text(column.name) + ": {type: " + to_string(column.type);
  if (column.grid) {
    const GridText grid = grid_text(column.type, *column.grid);
    out += ", range: [" + grid.low + ", " + grid.high + "]";
    if (column.grid->step != default_step(column.type)) out += ", step: " + grid.step;
  }
  if (!column.values.empty()) out += ", values: " + list(column.values, scalar);
  if (!column.values_from.empty()) out += ", values_from: " + yaml_text(column.values_from);
  if (column.null_rule == NullRule::kDefault) {
    out += ", \"null\": {default: " + scalar(column.fallback) + "}";
  }
  out += may_text(column);
  if (!column.bought.empty()) out += ", bought: " + yaml_text(column.bought);
  return out + "}";
}

namespace {

std::string table_text(const Table& table) {
  std::string out = "  " + yaml_text(table.name) + ":\n";
  out += "    source: " + yaml_text(table.source) + "\n";
  if (table.unit) out += "    unit: " + unit_text(table.name, *table.unit) + "\n";
  if (table.unit && table.bounds.declared) {
    out += "    bounds: {groups_per_unit: " + std::to_string(table.bounds.groups_per_unit) +
           ", rows_per_unit_and_group: " + std::to_string(table.bounds.rows_per_unit_and_group) +
           "}\n";
  }
  if (table.rows_per_unit) {
    out += "    rows_per_unit: " + std::to_string(*table.rows_per_unit) + "\n";
  }
  if (table.rows_max) out += "    rows_max: " + std::to_string(*table.rows_max) + "\n";
  if (!table.columns.empty()) out += "    columns:\n";
  for (const Column& column : table.columns) {
    out += "      " + column_text(column) + (column.bought.empty() ? "" : kBoughtComment) + "\n";
  }
  return out;
}

std::string tables_text(const Policy& policy, bool are_public) {
  std::string out;
  for (const auto& [name, table] : policy.tables) {
    if (table.is_public() == are_public) out += table_text(table);
  }
  return out.empty() ? "" : (are_public ? "public:\n" : "tables:\n") + out;
}

std::string daily_text(const Daily& daily) {
  return "  " + yaml_text(daily.name) + ": {table: " + yaml_text(daily.table) +
         ", day: " + yaml_text(daily.day) +
         ", first: " + to_string(Value{Rational(daily.first), Type::kDate}) +
         ", days: " + std::to_string(daily.days) +
         ", days_per_unit: " + std::to_string(daily.days_per_unit) +
         ", rows_per_day: " + std::to_string(daily.rows_per_day) +
         ", rho: " + daily.rho.to_string() + "}\n";
}

}  // namespace

std::string yaml_text(std::string_view text) {
  if (is_plain(text)) return std::string(text);
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      std::array<char, 8> buffer{};
      std::snprintf(buffer.data(), buffer.size(), "\\x%02x", static_cast<unsigned>(byte));
      out += buffer.data();
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string write_policy(const Policy& policy) {
  std::string out = "version: " + std::to_string(kPolicyFormat) + "\n";
  out += "engine: " + yaml_text(policy.engine) + "\n";
  out += "snapshot: " + yaml_text(policy.snapshot) + "\n";
  if (!policy.ledger.empty()) out += "ledger: " + yaml_text(policy.ledger) + "\n";
  if (policy.noise == NoisePreference::kLaplace) out += "noise: laplace\n";
  if (policy.noise == NoisePreference::kGaussian) out += "noise: gaussian\n";
  if (policy.joined_rows_per_unit != kJoinedRowsPerUnit) {
    out += "joined_rows_per_unit: " + std::to_string(policy.joined_rows_per_unit) + "\n";
  }
  if (policy.santha_vazirani) {
    out += "randomness: santha-vazirani " + policy.santha_vazirani->to_string() + "\n";
  }
  out += policy.units.empty() ? "units: {}\n" : "units:\n";
  for (const auto& [name, units] : policy.units) out += units_text(units);
  out += tables_text(policy, false) + tables_text(policy, true);
  if (!policy.views.empty()) out += "views:\n";
  for (const auto& [name, select] : policy.views) {
    out += "  " + yaml_text(name) + ": " + yaml_text(select) + "\n";
  }
  if (!policy.daily.empty()) out += "daily:\n";
  for (const auto& [name, daily] : policy.daily) out += daily_text(daily);
  if (!policy.other_releases.empty()) {
    out += "other_releases: " + text_list(policy.other_releases) + "\n";
  }
  return out;
}

std::vector<std::string> may_words(const Column& column) {
  std::vector<std::string> words;
  if (column.may_aggregate) words.emplace_back("aggregate");
  if (column.may_group) words.emplace_back("group");
  if (column.may_filter) words.emplace_back("filter");
  return words;
}

}  // namespace discreet::policy
