// SPDX-License-Identifier: Apache-2.0
// Any bytes are a question or an error. What is bound is checked, and what the checker accepts has
// a price. The policy is the tests' own; the answer of a bound question can be computed.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "plan/checker.h"
#include "sql/clinic_for_tests.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace discreet;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto query = sql::bind(text, sql::spending(), sql::clinic());
  if (!query) {
    DISCREET_CHECK(query.error().code != Code::kBug);
    DISCREET_CHECK(!query.error().message.empty());
    DISCREET_CHECK(query.error().message.size() < 4096);
    return 0;
  }
  DISCREET_CHECK(!query->outputs.empty());
  DISCREET_CHECK(!query->plan.measurements.empty());
  const auto readings = [&](const sql::Post& which, std::size_t shares) {
    DISCREET_CHECK(which.index < query->plan.measurements.size() && shares >= 1);
    DISCREET_CHECK(which.number < query->plan.measurements[which.index].numbers());
    const auto value = static_cast<double>(which.index) - 1;
    return sql::Number{value, value - 2, value + 2};
  };
  sql::Group group{.keys = {}, .readings = readings};
  for (std::size_t i = 0; i < query->plan.keys.size(); ++i) group.keys.emplace_back();
  for (const sql::Line& line : sql::arrange(*query, {group, group})) {
    DISCREET_CHECK(line.cells.size() == query->outputs.size());
  }
  DISCREET_CHECK(!plan::canonical(query->plan).empty());
  const auto checked = plan::Checker::check(query->plan, sql::clinic(), "request");
  if (checked) {
    DISCREET_CHECK(!checked->charge().lines().empty());
  } else {
    DISCREET_CHECK(checked.error().code != Code::kBug);
    DISCREET_CHECK(!checked.error().message.empty());
  }
  return 0;
}
