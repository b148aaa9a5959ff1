// SPDX-License-Identifier: Apache-2.0
// A person whose id two tables store differently: of both tables together one row is kept.
#pragma once

#include <gtest/gtest.h>

#include "engine/questions_for_tests.h"

namespace discreet::engine {

/// `make(name)` makes table "a", whose ids are whole numbers, or "b", of the same five ids in
/// another type, and says where it is; `open` takes the policy.
template <class Make, class Open>
void expect_one_row_of_each_unit(const std::string& engine, Make make, Open open) {
  policy::Policy policy;
  policy.engine = engine;
  policy.units["people"].name = "people";
  for (const std::string name : {"a", "b"}) {
    policy::Table table;
    table.name = name;
    table.source = make(name);
    table.unit = policy::UnitPath{"people", {}, "u", false};
    table.bounds = {1, 1, true};
    table.columns = {column_of("x", Type::kInteger, Grid{0, 100, 1})};
    policy.tables[name] = table;
  }
  auto opened = open(policy);
  Part a, b;
  a.source = from("a");
  b.source = from("b");
  TableUse both;
  both.parts = {a, b};
  Plan plan;
  plan.source = {{both}};
  plan.measurements = {measurement(MeasureKind::kRows), measurement(MeasureKind::kUnits)};
  auto checked = Checker::check(plan, opened->policy(), "q");
  ASSERT_TRUE(checked.has_value()) << checked.error().message;
  EXPECT_EQ(opened->run(*checked)[""], "units 5 | 5 | 5");
}

}  // namespace discreet::engine
