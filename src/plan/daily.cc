// SPDX-License-Identifier: Apache-2.0
#include "plan/daily.h"

#include <algorithm>

#include "ledger/seal.h"
#include "plan/bent_coins.h"

namespace discreet::plan {
namespace {

// Every row of a unit is read: which of them count is the day rule's to say. This many are held.
constexpr std::int64_t kRowsRead = 1'000'000;

}  // namespace

Expr days_from_start(const policy::Table& table, const std::string& column) {
  const policy::Column* const found = table.find(column);
  if (found == nullptr || !found->grid) return Expr::column(0, column);  // refused by its shape
  return Expr::of(Op::kSubtract,
                  {Expr::column(0, column), Expr::literal(Value{found->grid->low, Type::kDate})});
}

mechanism::DayRule CheckedDaily::rule(std::int64_t t) const {
  const policy::Column& day = *rows.policy().find(daily.table)->find(daily.day);
  const std::int64_t first = daily.first - day.grid->low.floor().get_si();
  return {.day = first + t,
          .first = first,
          .days = daily.days_per_unit,
          .rows = daily.rows_per_day,
          .rows_read = event_level ? 2 : kRowsRead};
}

Result<CheckedDaily> Checker::check_daily(const policy::Daily& daily, const policy::Policy& policy,
                                          std::string request_id) {
  const policy::Table* const table = policy.find(daily.table);
  if (table == nullptr || table->is_public()) {
    return Error{Code::kNotFound,
                 "the policy has no table " + in_quotes(daily.table) + " with units"};
  }
  if (policy.santha_vazirani) return no_certificate(*policy.santha_vazirani, "a daily question");
  Plan plan;
  plan.source.tables.push_back({.table = daily.table, .alias = daily.table, .on = {}});
  plan.epsilon = Epsilon::trusted(1'000'000);  // the column passes as its sum would
  plan.bounds = {.groups_per_unit = 1, .rows_per_unit_and_group = kRowsRead, .declared = true};
  Measurement measurement;
  measurement.kind = MeasureKind::kSum;
  measurement.argument = days_from_start(*table, daily.day);
  plan.measurements.push_back(std::move(measurement));
  DISCREET_ASSIGN(Checked checked, check(std::move(plan), policy, std::move(request_id)));
  if (checked.pair()) return Error{Code::kUnsupported, "rows of two people have no one unit"};
  if (checked.members()) {
    // Who counts of a larger unit (members.h) would change from day to day with who is in it, and
    // with it what one person adds to days that were released before.
    return Error{Code::kUnsupported,
                 "table " + in_quotes(daily.table) +
                     " belongs to units that are within larger ones, of which so many count; a "
                     "daily question needs units of their own: name another table, or take "
                     "`within` from the policy"};
  }
  const bool event_level = checked.unit_column().empty();
  const Charge& sums = checked.charge();
  const bool replaces = sums.units().neighbours == Neighbours::kReplaceOne;
  const std::int64_t days =
      std::min(daily.days, (event_level ? 1 : daily.days_per_unit) * (replaces ? 2 : 1));
  DISCREET_ASSIGN(const Rho rho, Rho::of(daily.rho));
  DISCREET_ASSIGN(mechanism::PrefixStream::Terms terms,
                  mechanism::PrefixStream::Terms::make(
                      {.days = daily.days,
                       .days_per_unit = days,
                       .reach = (event_level ? 1 : daily.rows_per_day) * (replaces ? 2 : 1),
                       .rho = rho}));
  const Hash hash = ledger::sha256("daily\n" + daily.name + "\n" + daily.table + "\n" + daily.day +
                                   "\n" + std::to_string(daily.first) + "\n" + terms.noise().text);
  checked.charge_ = Charge(sums.units(), {{terms.noise(), terms.cost()}}, hash, sums.request_id());
  return CheckedDaily{{std::move(checked)}, daily, std::move(terms), event_level};
}

}  // namespace discreet::plan
