// SPDX-License-Identifier: Apache-2.0
#include "publish/example.h"

#include <vector>

#include "policy/value.h"
#include "policy/write.h"
#include "publish/design.h"

namespace discreet::publish {
namespace {

constexpr std::size_t kTables = 3;

/// A tenth of the range, in whole steps, as `bins` has it; nothing where the range is short.
std::string bins_of(const policy::Column& column) {
  if (!column.grid || !column.values.empty() || column.type == policy::Type::kTimestamp) return "";
  const policy::Grid& grid = *column.grid;
  const Rational steps = (grid.high - grid.low) / grid.step;
  if (steps < Rational(20)) return "";
  const Rational width(Integer((steps / Rational(10)).ceil()));
  return policy::step_text(column.type, width * grid.step);
}

enum class Taken { kNo, kRead, kDesigned };

Taken taken(const std::string& text, const policy::Policy& policy) {
  const auto workload = read_workload(text, "", policy);
  if (!workload) return Taken::kNo;
  const auto terms = terms_of(*workload, policy);
  if (!terms) return Taken::kRead;
  return design(*workload, *terms) ? Taken::kDesigned : Taken::kNo;
}

std::string written(const std::string& table, const std::vector<const policy::Column*>& columns) {
  std::string bins;
  std::string tables;
  for (const policy::Column* const column : columns) {
    const std::string name = policy::yaml_text(column->name);
    if (const std::string width = bins_of(*column); !width.empty()) {
      bins += (bins.empty() ? "" : ", ") + name + ": {bins: " + width + "}";
    }
    tables += "  " + policy::yaml_text("by_" + column->name) + ": [" + name + "]\n";
  }
  return "table: " + policy::yaml_text(table) + "\nepsilon: 0.5\ndelta: 1e-6\n" +
         (bins.empty() ? "" : "columns: {" + bins + "}\n") + "tables:\n" + tables;
}

}  // namespace

std::string example_workload(const policy::Policy& policy) {
  std::string fallback;
  for (const auto& [name, table] : policy.tables) {
    if (table.is_public()) continue;
    std::vector<const policy::Column*> columns;
    for (const policy::Column& column : table.columns) {
      if (columns.size() == kTables) break;
      columns.push_back(&column);
      if (taken(written(name, columns), policy) == Taken::kNo) columns.pop_back();
    }
    if (columns.empty()) continue;
    const std::string text = written(name, columns);
    if (taken(text, policy) == Taken::kDesigned) return text;
    if (fallback.empty()) fallback = text;
  }
  return fallback;
}

}  // namespace discreet::publish
