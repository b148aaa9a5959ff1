// SPDX-License-Identifier: Apache-2.0
#include "plan/checker.h"

#include <algorithm>

#include "ledger/seal.h"
#include "plan/blocks.h"
#include "plan/source.h"

namespace discreet::plan {
namespace {

constexpr std::size_t kMeasurementsMax = 1'000;

Result<void> check_weight(const Rational& weight) {
  if (weight.sign() <= 0 || weight > Rational(1'000'000) ||
      weight * Rational(1'000'000) < Rational(1)) {
    return invalid_input("a weight must lie between 1/1000000 and 1000000");
  }
  return {};
}

Result<void> check_filter(const Plan& plan, const policy::Policy& policy) {
  if (!plan.filter) return {};
  DISCREET_ASSIGN(const Shape shape, shape_of(*plan.filter, plan.source, policy, Use::kFilter));
  if (shape.type != Type::kBoolean) {
    return invalid_input("WHERE needs a condition that is true or false");
  }
  return {};
}

// The shape of what is measured.
Result<Shape> check_measurement(const Measurement& measurement, const Plan& plan,
                                const policy::Policy& policy) {
  const bool needs_argument =
      measurement.kind != MeasureKind::kRows && measurement.kind != MeasureKind::kUnits;
  if (needs_argument && !measurement.argument) {
    return invalid_input("an aggregate lacks its argument");
  }
  if (measurement.kind == MeasureKind::kUnits && measurement.argument) {
    return invalid_input("counting units takes no argument");
  }
  if (measurement.side < -1 || measurement.side > 1) {
    return invalid_input("a quantile's side is -1, 0 or 1");
  }
  DISCREET_TRY(check_weight(measurement.weight));
  if (!measurement.argument) return Shape{};
  return shape_of(*measurement.argument, plan.source, policy, Use::kAggregate);
}

Result<Step> step_of(const Measurement& measurement, const Plan& plan, const policy::Policy& policy,
                     const Terms& terms, const Rational& share) {
  DISCREET_ASSIGN(const Shape shape, check_measurement(measurement, plan, policy));
  auto step = make_step(measurement, shape, terms, share);
  if (!step && measurement.argument) {
    return Error{step.error().code,
                 in_quotes(to_string(*measurement.argument, table_names(plan.source))) + ": " +
                     step.error().message};
  }
  return step;
}

Result<Rational> total_weight(const Plan& plan, bool selects) {
  if (plan.measurements.empty()) {
    return invalid_input("the question has no aggregate; ask for COUNT(*), SUM(x), AVG(x), ...");
  }
  if (plan.measurements.size() > kMeasurementsMax) {
    return Error{Code::kUnsupported, "a question can have at most 1000 measurements"};
  }
  Rational total = 0;
  for (const Measurement& measurement : plan.measurements) {
    DISCREET_TRY(check_weight(measurement.weight));
    total = total + measurement.weight;
  }
  if (!selects) return total;
  DISCREET_TRY(check_weight(plan.selection_weight));
  return total + plan.selection_weight;
}

Terms terms_of(const Plan& plan, const policy::Policy& policy, const Owner& owner,
               const std::optional<Integer>& keys) {
  return {.notion = owner.units->notion,
          .preference = policy.noise,
          .epsilon = plan.epsilon,
          .delta = plan.delta,
          .reach = {.groups = plan.bounds.groups_per_unit,
                    .keys = owner.pair ? std::nullopt : keys,
                    .neighbours = owner.units->neighbours},
          .rows = plan.bounds.rows_per_unit_and_group,
          .both_ways = owner.pair.has_value(),
          .units_max = owner.units_max};
}

// Where rows have two owners there is no count of units, and so no finding of keys by it.
Result<void> check_two_owners(const Plan& plan, const GroupKeys& groups) {
  if (!groups.listed) {
    return Error{Code::kRefused,
                 "rows of two people can only be grouped by keys that are listed in the policy"};
  }
  for (const Measurement& measurement : plan.measurements) {
    if (measurement.kind != MeasureKind::kUnits) continue;
    return Error{Code::kRefused,
                 "rows of two people have no one unit to count; count rows, or units on one side"};
  }
  return {};
}

/// What the answer depends on, but for data and coins: the question, and what the policy makes of
/// it (ranges, steps, listed keys). Under one snapshot label a changed policy is another question.
Hash hash_of(const Plan& plan, const std::vector<ChargeLine>& lines, const std::vector<Step>& steps,
             const GroupKeys& groups) {
  std::string text = canonical(plan);
  const auto add = [&text](const std::string& part) {
    text += "\n" + std::to_string(part.size()) + ":" + part;
  };
  for (const ChargeLine& line : lines) add(line.noise.text);
  for (const Step& step : steps) {
    add(step.lowered.step.to_string());
    for (const std::int64_t number : {step.lowered.multiply, step.lowered.subtract,
                                      step.lowered.divide, step.lowered.low, step.lowered.high}) {
      add(std::to_string(number));
    }
  }
  if (!groups.listed) return ledger::sha256(text);
  for (const std::vector<Value>& tuple : *groups.listed) {
    for (const Value& value : tuple) {
      add(to_string(value.type));
      add(value.is_null() ? "" : "=" + policy::to_string(value));
    }
  }
  return ledger::sha256(text);
}

}  // namespace

Result<Checked> Checker::check(Plan plan, const policy::Policy& policy, std::string request_id) {
  DISCREET_ASSIGN(const Owner owner, check_source(plan.source, policy));
  DISCREET_TRY(check_filter(plan, policy));
  DISCREET_ASSIGN(GroupKeys groups, check_keys(plan, policy, *owner.units));
  if (owner.pair) DISCREET_TRY(check_two_owners(plan, groups));
  std::optional<Integer> keys;
  if (groups.listed) keys = Integer(groups.listed->size());
  DISCREET_ASSIGN(plan.bounds, bounds_of(plan, owner, keys));
  Blocks blocks = blocks_of(plan, owner, policy);
  plan.filter = std::move(blocks.filter);

  const bool selects = !groups.listed.has_value();
  DISCREET_ASSIGN(const Rational total, total_weight(plan, selects));
  const Terms terms = terms_of(plan, policy, owner, keys);
  std::vector<ChargeLine> lines;
  std::optional<mechanism::KeySelection> selection;
  if (selects) {
    DISCREET_ASSIGN(selection, make_selection(terms, plan.selection_weight / total));
    lines.push_back({selection->noise(), selection->cost()});
  }
  std::vector<Step> steps;
  for (const Measurement& measurement : plan.measurements) {
    DISCREET_ASSIGN(Step step,
                    step_of(measurement, plan, policy, terms, measurement.weight / total));
    lines.push_back(line_of(step.noise));
    steps.push_back(std::move(step));
  }

  const Hash hash = hash_of(plan, lines, steps, groups);
  Checked checked(Charge(
      {owner.space, owner.units->neighbours, std::move(blocks.named), std::move(blocks.attribute)},
      std::move(lines), hash, std::move(request_id)));
  checked.plan_ = std::move(plan);
  checked.policy_ = &policy;
  checked.unit_table_ = owner.unit_table;
  checked.unit_column_ = owner.unit_column;
  checked.pair_ = owner.pair;
  checked.key_shapes_ = std::move(groups.shapes);
  checked.listed_ = std::move(groups.listed);
  checked.selection_ = std::move(selection);
  checked.steps_ = std::move(steps);
  return checked;
}

}  // namespace discreet::plan
