// SPDX-License-Identifier: Apache-2.0
#include "sql/settings.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "plan/source.h"

namespace discreet::sql {
namespace {

const Rational kBoundMax = 1'000'000;

class Settings {
 public:
  Settings(const Dialect& dialect, const Text& text) : dialect_(dialect), text_(text) {}

  // A quantity that may be given outside, inside or not at all.
  template <class Q>
  Result<std::optional<Q>> quantity(const std::string& name, const std::optional<Q>& outside) {
    const Dialect::Option* inside = find(name);
    if (inside == nullptr) return outside;
    auto value = Q::parse(inside->value);
    if (!value) return text_.error(Code::kInvalidInput, inside->place, value.error().message);
    if (outside && *outside != *value) return conflict(name, *inside, outside->to_string());
    return std::optional<Q>(std::move(*value));
  }

  Result<std::optional<std::int64_t>> bound(const std::string& name,
                                            const std::optional<std::int64_t>& outside) {
    if (outside && (*outside < 1 || Rational(*outside) > kBoundMax)) {
      return invalid_input("a contribution bound must be a whole number from 1 to 1,000,000");
    }
    const Dialect::Option* inside = find(name);
    if (inside == nullptr) return outside;
    auto value = Rational::parse(inside->value);
    if (!value || value->denominator() != 1 || *value < Rational(1) || *value > kBoundMax) {
      return text_.error(Code::kInvalidInput, inside->place,
                         name + " must be a whole number from 1 to 1,000,000");
    }
    const auto whole = static_cast<std::int64_t>(to_int128(value->numerator()));
    if (outside && *outside != whole) return conflict(name, *inside, std::to_string(*outside));
    return std::optional<std::int64_t>(whole);
  }

  const Dialect::Option* find(const std::string& name) const {
    const auto found = dialect_.options.find(name);
    return found == dialect_.options.end() ? nullptr : &found->second;
  }

 private:
  Error conflict(const std::string& name, const Dialect::Option& inside,
                 const std::string& outside) const {
    return text_.error(Code::kInvalidInput, inside.place,
                       name + " is " + inside.value + " here but " + outside +
                           " outside of the question; say it once");
  }

  const Dialect& dialect_;
  const Text& text_;
};

Result<void> check_unit(const Dialect::Option& option, const Scope& scope) {
  const std::size_t point = option.value.find('.');
  std::vector<std::string> names = {option.value};
  if (point != std::string::npos) {
    names = {option.value.substr(0, point), option.value.substr(point + 1)};
  }
  if (scope.is_unit_beyond(names)) return {};
  DISCREET_ASSIGN(const Found found, scope.find(names, option.place));
  if (found.is_unit) return {};
  return scope.text().error(Code::kRefused, option.place,
                            in_quotes(option.value) +
                                " is not the privacy unit of the policy; leave "
                                "privacy_unit_column out, the policy decides");
}

}  // namespace

Result<void> apply_settings(const Options& options, const Dialect& dialect, const Scope& scope,
                            const Aggregates& aggregates, plan::Plan& plan) {
  Settings settings(dialect, scope.text());
  DISCREET_ASSIGN(const auto epsilon, settings.quantity<Epsilon>("epsilon", options.epsilon));
  if (!epsilon) {
    return invalid_input(
        "there is no epsilon; say how much privacy the question may cost, e.g. --epsilon 0.1");
  }
  plan.epsilon = *epsilon;
  DISCREET_ASSIGN(const auto delta, settings.quantity<Delta>("delta", options.delta));
  if (delta) plan.delta = *delta;

  if (const Dialect::Option* unit = settings.find("privacy_unit_column")) {
    DISCREET_TRY(check_unit(*unit, scope));
  }
  DISCREET_ASSIGN(const auto groups,
                  settings.bound("max_groups_contributed", options.groups_per_unit));
  DISCREET_ASSIGN(auto rows,
                  settings.bound("max_rows_contributed", options.rows_per_unit_and_group));
  const auto& counted = aggregates.rows_per_unit_and_group();
  if (rows && counted && *rows != *counted) {
    return invalid_input("a COUNT keeps " + std::to_string(*counted) +
                         " rows of a unit, but max_rows_contributed is " + std::to_string(*rows) +
                         "; say it once");
  }
  if (counted) rows = counted;

  DISCREET_ASSIGN(const plan::Owner owner, plan::check_source(plan.source, scope.policy()));
  if (owner.row_is_unit || owner.pair) {  // a row is in one group, once; the checker knows pairs
    plan.bounds = {.groups_per_unit = 1, .rows_per_unit_and_group = 1, .declared = true};
    return {};
  }
  plan.bounds = owner.bounds;
  plan.bounds.declared = true;
  if (groups) plan.bounds.groups_per_unit = *groups;
  if (rows) plan.bounds.rows_per_unit_and_group = *rows;
  if (plan.keys.empty()) plan.bounds.groups_per_unit = 1;
  if (owner.rows_max) {
    plan.bounds.groups_per_unit = std::min(plan.bounds.groups_per_unit, *owner.rows_max);
    plan.bounds.rows_per_unit_and_group =
        std::min(plan.bounds.rows_per_unit_and_group, *owner.rows_max);
  }
  return {};
}

Result<void> read_limits(const Options& options, const Dialect& dialect, Context& context) {
  Settings settings(dialect, *context.text);
  DISCREET_ASSIGN(context.rows_per_unit,
                  settings.bound("max_rows_contributed", options.rows_per_unit_and_group));
  DISCREET_ASSIGN(context.rows_per_join_key,
                  settings.bound("max_rows_per_join_key", options.rows_per_join_key));
  return {};
}

}  // namespace discreet::sql
