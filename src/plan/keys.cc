// SPDX-License-Identifier: Apache-2.0
#include "plan/keys.h"

#include <algorithm>

#include "plan/shape.h"

namespace discreet::plan {
namespace {

constexpr std::size_t kKeysMax = 32;
constexpr std::size_t kCombinationsMax = 100'000;

std::vector<std::vector<Value>> product(const std::vector<Shape>& shapes) {
  std::vector<std::vector<Value>> all(1);
  for (const Shape& shape : shapes) {
    std::vector<std::vector<Value>> longer;
    longer.reserve(all.size() * shape.outcomes->size());
    for (const std::vector<Value>& before : all) {
      for (const Value& value : *shape.outcomes) {
        longer.push_back(before);
        longer.back().push_back(value);
      }
    }
    all = std::move(longer);
  }
  return all;
}

std::string unlisted_names(const Plan& plan, const std::vector<Shape>& shapes) {
  std::string names;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    if (shapes[i].outcomes) continue;
    names += (names.empty() ? "" : ", ") +
             in_quotes(to_string(plan.keys[i].expr, table_names(plan.source)));
  }
  return names;
}

Result<void> check_findable(const Plan& plan, const std::vector<Shape>& shapes,
                            const policy::Units& units) {
  const std::string names = unlisted_names(plan, shapes);
  if (units.notion == policy::Notion::kPure) {
    return Error{Code::kRefused, "the keys of " + names +
                                     " are not listed, and finding them takes a delta, which "
                                     "units " +
                                     in_quotes(units.name) +
                                     " do not allow; list their 'values' in the "
                                     "policy, or group by what is listed"};
  }
  if (plan.delta.value().sign() == 0) {
    return invalid_input("the keys of " + names +
                         " are not listed in the policy, and finding them "
                         "takes a delta above 0, such as --delta 1e-6");
  }
  return {};
}

}  // namespace

Result<GroupKeys> check_keys(const Plan& plan, const policy::Policy& policy,
                             const policy::Units& units) {
  if (plan.keys.size() > kKeysMax) {
    return Error{Code::kUnsupported, "at most 32 keys can be grouped by"};
  }
  GroupKeys groups;
  bool listed = true;
  std::size_t combinations = 1;
  for (const Key& key : plan.keys) {
    DISCREET_ASSIGN(Shape shape, shape_of(key.expr, plan.source, policy, Use::kGroup));
    if (shape.always_null()) {
      return invalid_input(in_quotes(to_string(key.expr, table_names(plan.source))) +
                           " is always NULL: there is nothing to group by");
    }
    listed = listed && shape.outcomes.has_value();
    if (listed)
      combinations = std::min(combinations * shape.outcomes->size(), kCombinationsMax + 1);
    groups.shapes.push_back(std::move(shape));
  }
  if (!listed) {
    DISCREET_TRY(check_findable(plan, groups.shapes, units));
    return groups;
  }
  if (combinations > kCombinationsMax) {
    return invalid_input(
        "the listed keys have more than 100000 combinations, all of which would "
        "be shown; group by fewer of them");
  }
  groups.listed = product(groups.shapes);
  return groups;
}

}  // namespace discreet::plan
