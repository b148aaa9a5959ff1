// SPDX-License-Identifier: Apache-2.0
// A question's binding as text, for the golden questions.
#include <array>

#include "sql/clinic_for_tests.h"

namespace discreet::sql::describe_test {
namespace {

std::string measurement_text(const plan::Measurement& m, const std::vector<std::string>& tables) {
  constexpr std::array<const char*, 6> kNames = {"rows", "units",   "distinct",
                                                 "sum",  "squares", "quantile"};
  std::string out = kNames[static_cast<std::size_t>(m.kind)];
  if (m.argument) out += " " + plan::to_string(*m.argument, tables);
  if (m.clamp) out += " in [" + m.clamp->low.to_string() + ", " + m.clamp->high.to_string() + "]";
  if (m.centre != Rational(0)) out += " about " + m.centre.to_string();
  for (const Rational& fraction : m.fractions) out += " at " + fraction.to_string();
  if (m.intervals) out += " with intervals";
  return out + " weight " + m.weight.to_string();
}

std::vector<std::string> names_of(const plan::Source& source) {
  std::vector<std::string> tables;
  for (const plan::TableUse& use : source.tables) tables.push_back(use.alias);
  return tables;
}

std::string source_text(const plan::Source& source, const std::string& indent);

std::string part_text(const plan::Part& part, const std::string& indent) {
  constexpr std::array<const char*, 8> kFolds = {"",     "key ",   "rows ",     "distinct ",
                                                 "sum ", "least ", "greatest ", "mean "};
  const std::vector<std::string> tables = names_of(part.source);
  std::string out = source_text(part.source, indent);
  if (part.filter) out += indent + "where " + plan::to_string(*part.filter, tables) + "\n";
  out += indent + (part.grouped ? "group" : "show");
  for (const plan::Field& field : part.fields) {
    out += (&field == &part.fields.front() ? " " : "; ") + field.name + " = " +
           kFolds[static_cast<std::size_t>(field.fold)] +
           (field.expr ? plan::to_string(*field.expr, tables) : "*");
    if (field.grid) {
      out += " in [" + field.grid->low.to_string() + ", " + field.grid->high.to_string() + "]";
    }
  }
  return out + "\n";
}

std::string source_text(const plan::Source& source, const std::string& indent) {
  constexpr std::array<const char*, 4> kKinds = {"from ", "left ", "semi ", "anti "};
  const std::vector<std::string> tables = names_of(source);
  std::string out;
  for (const plan::TableUse& use : source.tables) {
    out += indent + kKinds[static_cast<std::size_t>(use.join)] +
           (use.is_subquery() ? "subquery" : use.table) +
           (use.alias == use.table ? "" : " as " + use.alias);
    for (const plan::JoinOn& on : use.on) {
      out += " on " + tables[on.left_table] + "." + on.left + " = " + use.alias + "." + on.right;
    }
    if (use.condition) out += " if " + plan::to_string(*use.condition, tables);
    if (use.limits) {
      out += " limits " + std::to_string(use.limits->rows_per_unit) + " a unit " +
             std::to_string(use.limits->rows_per_key) + " a key";
    }
    out += "\n";
    for (const plan::Part& part : use.parts) out += part_text(part, indent + "  ");
  }
  return out;
}

}  // namespace

}  // namespace discreet::sql::describe_test

namespace discreet::sql {

std::string describe(const Query& query) {
  using namespace describe_test;
  const std::vector<std::string> tables = names_of(query.plan.source);
  std::string out = source_text(query.plan.source, "");
  if (query.plan.filter) out += "where " + plan::to_string(*query.plan.filter, tables) + "\n";
  for (const plan::Key& key : query.plan.keys) {
    out += "key " + key.name + ": " + plan::to_string(key.expr, tables) + "\n";
  }
  for (std::size_t i = 0; i < query.plan.measurements.size(); ++i) {
    out +=
        "#" + std::to_string(i) + " " + measurement_text(query.plan.measurements[i], tables) + "\n";
  }
  for (const Output& output : query.outputs) {
    out += "show " + output.name + ": " + policy::to_string(output.type) + " " +
           to_string(output.post) + "\n";
  }
  if (query.having) out += "having " + to_string(*query.having) + "\n";
  for (const OrderBy& order : query.order) {
    out += "order " + to_string(order.post) + (order.descending ? " descending" : "") +
           (order.nulls_first ? " nulls first" : "") + "\n";
  }
  if (query.limit) out += "limit " + std::to_string(*query.limit) + "\n";
  if (query.offset != 0) out += "offset " + std::to_string(query.offset) + "\n";
  if (query.drawing != Drawing::kTable) {
    constexpr std::array<const char*, 4> kNames = {"", "histogram", "boxplot", "top"};
    out += std::string("draw ") + kNames[static_cast<std::size_t>(query.drawing)] +
           (query.best > 0 ? " " + std::to_string(query.best) : "") + "\n";
  }
  out += "bounds " + std::to_string(query.plan.bounds.groups_per_unit) + " groups " +
         std::to_string(query.plan.bounds.rows_per_unit_and_group) + " rows\n";
  return out;
}

}  // namespace discreet::sql
