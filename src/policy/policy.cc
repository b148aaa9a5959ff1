// SPDX-License-Identifier: Apache-2.0
#include "policy/policy.h"

namespace discreet::policy {

std::string to_string(Type type) {
  switch (type) {
    case Type::kBoolean:
      return "boolean";
    case Type::kInteger:
      return "integer";
    case Type::kDecimal:
      return "decimal";
    case Type::kText:
      return "text";
    case Type::kDate:
      return "date";
    case Type::kTimestamp:
      return "timestamp";
  }
  return "";
}

std::string to_string(Notion notion) {
  switch (notion) {
    case Notion::kEpsilon:
      return "epsilon";
    case Notion::kZcdp:
      return "zcdp";
    case Notion::kPure:
      return "pure";
  }
  return "";
}

const Column* Table::find(const std::string& column) const {
  for (const Column& candidate : columns) {
    if (candidate.name == column) return &candidate;
  }
  return nullptr;
}

std::optional<std::pair<std::string, std::string>> split_at_dot(const std::string& text) {
  const std::size_t dot = text.find('.');
  if (dot == std::string::npos || dot == 0 || dot + 1 == text.size()) return std::nullopt;
  return std::pair(text.substr(0, dot), text.substr(dot + 1));
}

const Table* Policy::find(const std::string& table) const {
  const auto found = tables.find(table);
  return found == tables.end() ? nullptr : &found->second;
}

}  // namespace discreet::policy
