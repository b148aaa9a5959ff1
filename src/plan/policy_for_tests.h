// SPDX-License-Identifier: Apache-2.0
// A small clinic: patients, their visits, the visits' lab values, and a public table of zip codes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "plan/interpreter_for_tests.h"
#include "plan/plan.h"
#include "policy/policy.h"

namespace discreet::plan {

inline policy::Column column_of(std::string name, Type type, std::optional<Grid> grid = {},
                                std::vector<Value> values = {}) {
  policy::Column column;
  column.name = std::move(name);
  column.type = type;
  column.grid = std::move(grid);
  column.values = std::move(values);
  return column;
}

inline policy::Policy clinic() {
  using policy::UnitPath;
  policy::Policy policy;
  policy::Units units;
  units.name = "patients";
  policy.units["patients"] = units;

  policy::Table patients;
  patients.name = "patients";
  patients.unit = UnitPath{"patients", {}, "id", false};
  patients.columns = {
      column_of("cohort", Type::kInteger, Grid{2020, 2024, 1}),
      column_of("zip", Type::kText),
      column_of("weight", Type::kDecimal, Grid{0, 200, Rational::ratio(1, 10)}),
  };

  policy::Table visits;
  visits.name = "visits";
  visits.unit = UnitPath{"patients", {}, "patient_id", false};
  visits.bounds = {2, 3, true};
  visits.columns = {
      column_of("age", Type::kInteger, Grid{0, 120, 1}),
      column_of("change", Type::kInteger, Grid{-5, 8, 1}),
      column_of("cost", Type::kDecimal, Grid{0, 5000, Rational::ratio(1, 100)}),
      column_of("clinic", Type::kText, {},
                {text_value("north"), text_value("south"), text_value("east")}),
      column_of("city", Type::kText),
      column_of("day", Type::kDate, Grid{18262, 20453, 1}),  // 2020-01-01 .. 2025-12-31
      column_of("at", Type::kTimestamp),
      column_of("urgent", Type::kBoolean),
      column_of("serial", Type::kInteger),
      column_of("note", Type::kText),
      column_of("secret", Type::kInteger, Grid{0, 9, 1}),
      column_of("filled", Type::kInteger, Grid{0, 10, 1}),
  };
  policy::Column& secret = visits.columns[10];
  secret.may_aggregate = secret.may_group = false;
  visits.columns[9].may_filter = false;
  visits.columns[11].null_rule = policy::NullRule::kDefault;
  visits.columns[11].fallback = integer_value(7);

  policy::Table labs;
  labs.name = "labs";
  labs.unit = UnitPath{"patients", {{"visit_id", "visits", "id"}}, "patient_id", false};
  labs.columns = {column_of("value", Type::kInteger, Grid{-50, 100, 1}),
                  column_of("visit_id", Type::kInteger)};

  policy::Table zips;
  zips.name = "zips";
  zips.columns = {column_of("zip", Type::kText),
                  column_of("region", Type::kText, {}, {text_value("a"), text_value("b")})};

  policy::Table events;
  events.name = "events";
  events.unit = UnitPath{"events", {}, "", true};
  events.columns = {column_of("size", Type::kInteger, Grid{0, 10, 1})};
  policy.units["events"].name = "events";

  for (policy::Table* table : {&patients, &visits, &labs, &zips, &events}) {
    policy.tables[table->name] = *table;
  }
  return policy;
}

inline Expr col(const std::string& name, std::size_t table = 0) {
  return Expr::column(table, name);
}
inline Expr num(std::int64_t n) { return Expr::literal(integer_value(n)); }
inline Expr dec(const std::string& text) {
  return Expr::literal(decimal_value(Rational::parse(text).value()));
}
inline Expr txt(const std::string& text) { return Expr::literal(text_value(text)); }

inline Source from(const std::string& table) { return {{{table, "", {}}}}; }

inline Source visits_and_patients() {
  return {{{"visits", "v", {}}, {"patients", "p", {{0, "patient_id", "id"}}}}};
}

inline Measurement measurement(MeasureKind kind, std::optional<Expr> argument = {}) {
  Measurement m;
  m.kind = kind;
  m.argument = std::move(argument);
  return m;
}

inline Plan count_plan(Source source = from("visits")) {
  Plan plan;
  plan.source = std::move(source);
  plan.measurements = {measurement(MeasureKind::kRows)};
  return plan;
}

}  // namespace discreet::plan
