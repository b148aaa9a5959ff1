// SPDX-License-Identifier: Apache-2.0
#include "plan/checker.h"

#include <algorithm>

#include "ledger/seal.h"
#include "plan/bent_coins.h"
#include "plan/blocks.h"
#include "plan/source.h"
#include "plan/text_work.h"

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
  if (measurement.kind != MeasureKind::kQuantile &&
      (measurement.intervals || !measurement.fractions.empty())) {
    return invalid_input("only quantiles have fractions");
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

Result<Rational> total_weight(const Plan& plan) {
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
  DISCREET_TRY(check_weight(plan.selection_weight));
  return total;
}

/// Every measurement with its share of `total`.
Result<std::vector<Step>> steps_of(const Plan& plan, const policy::Policy& policy,
                                   const Terms& terms, const Rational& total) {
  std::vector<Step> steps;
  for (const Measurement& measurement : plan.measurements) {
    DISCREET_ASSIGN(Step step,
                    step_of(measurement, plan, policy, terms, measurement.weight / total));
    steps.push_back(std::move(step));
  }
  return steps;
}

/// The step that the keys are found with: of those that can, the one with the largest share, since
/// its threshold asks for the fewest units; then one that needs no second number.
Result<std::optional<Threshold>> threshold_of(const std::vector<Step>& steps, const Terms& terms) {
  std::optional<Threshold> best;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Rational& weight = steps[i].measurement.weight;
    if (best && weight < steps[best->step].measurement.weight) continue;
    DISCREET_ASSIGN(auto found, make_threshold(steps[i], terms));
    if (!found) continue;
    if (!best || weight > steps[best->step].measurement.weight ||
        (best->noise.options().room && !found->options().room)) {
      best = Threshold{i, *std::move(found)};
    }
  }
  return best;
}

Terms terms_of(const Plan& plan, const policy::Policy& policy, const Owner& owner,
               const Offer& offer, const std::optional<Integer>& keys) {
  return {.notion = owner.units->notion,
          .preference = policy.noise,
          .epsilon = offer.epsilon,
          .delta = offer.delta,
          .reach = {.groups = plan.bounds.groups_per_unit,
                    .keys = owner.pair ? std::nullopt : keys,
                    .neighbours = owner.units->neighbours},
          .rows = plan.bounds.rows_per_unit_and_group,
          .pays_as_group = owner.units->within.has_value(),
          .both_ways = owner.pair.has_value(),
          .units_max = owner.units_max,
          .gamma = policy.santha_vazirani};
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

/// The cuts that the owner declared.
std::vector<std::string> declared_cuts(const JoinedRows& joined, const policy::Policy& policy) {
  std::vector<std::string> out;
  for (const auto& [table, cut] : joined.cuts) {
    if (!policy.find(table)->rows_per_unit) continue;
    out.push_back(table + " " + std::to_string(cut.rows));
  }
  return out;
}

/// What the answer depends on, but for data and coins: the question, and what the policy makes of
/// it (ranges, steps, listed keys). Under one snapshot label a changed policy is another question.
Hash hash_of(const Plan& plan, const std::vector<ChargeLine>& lines, const std::vector<Step>& steps,
             const GroupKeys& groups, const ChargedUnits& units,
             const std::optional<Members>& members, const std::vector<std::string>& cuts) {
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
  if (members) {  // who counts, and all who pay
    for (const std::string& part : {members->table, members->unit, members->larger}) add(part);
    add(std::to_string(members->most));
    for (const ChargedUnits& larger : units.also) add(larger.name);
  }
  for (const std::string& cut : cuts) add(cut);
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

std::size_t Checked::line_of_step(std::size_t step) const {
  if (threshold_ && threshold_->step == step) return 0;
  const bool moved = selection_ || (threshold_ && step < threshold_->step);
  return step + (moved ? 1 : 0);
}

std::size_t Checked::line_of_counts(std::size_t step) const {
  const auto first = steps_.begin();
  const auto before = std::count_if(first, first + static_cast<std::ptrdiff_t>(step),
                                    [](const Step& one) { return one.counts.has_value(); });
  return steps_.size() + (selection_ ? 1 : 0) + static_cast<std::size_t>(before);
}

Result<Checked> Checker::check(Plan plan, const policy::Policy& policy, std::string request_id,
                               const Multiplicity& facts) {
  DISCREET_ASSIGN(const Owner owner, check_source(plan.source, policy));
  DISCREET_TRY(check_bent_coins(plan, policy));
  DISCREET_TRY(check_text_work(plan));
  share_characters(plan);
  DISCREET_TRY(check_filter(plan, policy));
  DISCREET_ASSIGN(GroupKeys groups, check_keys(plan, policy, *owner.units));
  if (owner.pair) DISCREET_TRY(check_two_owners(plan, groups));
  std::optional<Integer> keys;
  if (groups.listed) keys = Integer(groups.listed->size());
  DISCREET_ASSIGN(plan.bounds, bounds_of(plan, owner, keys));
  Blocks blocks = blocks_of(plan, owner, policy);
  plan.filter = std::move(blocks.filter);
  DISCREET_ASSIGN(JoinedRows joined, joined_rows(plan, policy, facts));

  DISCREET_ASSIGN(const Rational total, total_weight(plan));
  DISCREET_ASSIGN(const std::optional<Members> members, members_of(owner, policy));
  // Listed keys need no delta.
  const Delta delta = groups.listed ? Delta::trusted(0) : plan.delta;
  DISCREET_ASSIGN(const Offer offer, offer_of(plan.epsilon, delta, members));
  const Terms terms = terms_of(plan, policy, owner, offer, keys);
  DISCREET_ASSIGN(std::vector<Step> steps, steps_of(plan, policy, terms, total));
  std::vector<ChargeLine> lines;
  std::optional<Threshold> threshold;
  std::optional<mechanism::KeySelection> selection;
  if (!groups.listed && !members) {  // what a threshold with a delta costs a group is not known
    DISCREET_ASSIGN(threshold, threshold_of(steps, terms));
    if (threshold) lines.push_back({threshold->noise.noise(), threshold->noise.cost()});
  }
  if (!groups.listed && !threshold) {
    const Rational with_selection = total + plan.selection_weight;
    DISCREET_ASSIGN(selection, make_selection(terms, plan.selection_weight / with_selection));
    lines.push_back({selection->noise(), selection->cost()});
    DISCREET_ASSIGN(steps, steps_of(plan, policy, terms, with_selection));
  }
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (!threshold || threshold->step != i) lines.push_back(line_of(steps[i].noise));
  }
  for (const Step& step : steps) {
    if (step.counts) lines.push_back(line_of(*step.counts));
  }

  ChargedUnits units{owner.space, owner.units->neighbours, std::move(blocks.named),
                     std::move(blocks.attribute)};
  charge_larger(owner, members, units);
  const Hash hash =
      hash_of(plan, lines, steps, groups, units, members, declared_cuts(joined, policy));
  Checked checked(Charge(std::move(units), std::move(lines), hash, std::move(request_id)));
  checked.members_ = members;
  checked.plan_ = std::move(plan);
  checked.policy_ = &policy;
  checked.unit_table_ = owner.unit_table;
  checked.unit_column_ = owner.unit_column;
  checked.pair_ = owner.pair;
  checked.joined_rows_ = std::move(joined);
  checked.key_shapes_ = std::move(groups.shapes);
  checked.listed_ = std::move(groups.listed);
  checked.selection_ = std::move(selection);
  checked.threshold_ = std::move(threshold);
  checked.steps_ = std::move(steps);
  return checked;
}

}  // namespace discreet::plan
