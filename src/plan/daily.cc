// SPDX-License-Identifier: Apache-2.0
#include "plan/daily.h"

#include <algorithm>

#include "ledger/seal.h"
#include "plan/bent_coins.h"
#include "policy/embedded.h"

namespace discreet::plan {
namespace {

// Every row of a unit is read: which of them count is the day rule's to say. Of a unit with more, so
// many are kept.
constexpr std::int64_t kRowsRead = 1'000'000;

std::string day_text(std::int64_t days_since_1970) {
  return policy::to_string(Value{Rational(days_since_1970), Type::kDate});
}

/// Where the tables are: of a server its host and database, and what else of the URL names them.
std::string place_of(const std::string& engine) {
  if (policy::is_embedded(engine)) return "duckdb";
  const std::size_t scheme = engine.find("://");
  if (scheme == std::string::npos) return engine;
  const std::size_t start = scheme + 3;
  const std::size_t query = std::min(engine.find('?', start), engine.size());
  const std::size_t authority = std::min(engine.find('/', start), query);
  const std::size_t at = engine.substr(0, authority).rfind('@');
  const std::size_t host = at == std::string::npos || at < start ? start : at + 1;
  std::string out = engine.substr(0, start) + engine.substr(host, query - host);
  std::string mark = "?";
  for (std::size_t from = query; from < engine.size();) {
    const std::size_t to = std::min(engine.find('&', from + 1), engine.size());
    const std::string one = engine.substr(from + 1, to - from - 1);
    for (const char* const name : {"host=", "hostaddr=", "port=", "dbname=", "service="}) {
      if (!one.starts_with(name)) continue;
      out += mark + one;
      mark = "&";
    }
    from = to;
  }
  return out;
}

std::string unit_text(const policy::UnitPath& unit) {
  if (unit.row_is_unit) return "row: true";
  std::string path;
  for (const policy::UnitPath::Step& step : unit.steps) {
    path += step.column + " -> " + step.table + "." + step.key + ", ";
  }
  return path + unit.column;
}

/// An end that lies beyond the stream's days is as good as any other.
std::string range_text(const policy::Column& day, const policy::Daily& daily) {
  const bool is_before = day.grid->low < Rational(daily.first);
  const bool is_after = day.grid->high > Rational(daily.first + daily.days - 1);
  const auto text = [](const Rational& end) { return day_text(end.floor().get_si()); };
  return (is_before ? "before first" : text(day.grid->low)) + " to " +
         (is_after ? "after last" : text(day.grid->high));
}

std::string null_text(const policy::Column& day) {
  return day.null_rule == policy::NullRule::kDrop ? "drop" : policy::to_string(day.fallback);
}

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
  return {
      .day = first + t, .first = first, .days = daily.days_per_unit, .rows = daily.rows_per_day};
}

std::vector<QuestionField> CheckedDaily::question() const {
  const policy::Policy& policy = rows.policy();
  const policy::Table& of = *policy.find(daily.table);
  const policy::Column& day = *of.find(daily.day);
  const policy::UnitPath& unit = *of.unit;
  const policy::Units& space = policy.units.at(unit.space);
  std::vector<QuestionField> fields = {{"table", daily.table},
                                       {"source", of.source},
                                       {"engine", place_of(policy.engine)},
                                       {"unit", unit_text(unit)},
                                       {"namespace", unit.space},
                                       {"neighbours", to_string(space.neighbours)},
                                       {"blocks", space.block_column},
                                       {"day", daily.day},
                                       {"range of day", range_text(day, daily)},
                                       {"null of day", null_text(day)},
                                       {"first", day_text(daily.first)},
                                       {"days", std::to_string(daily.days)},
                                       {"days_per_unit", std::to_string(daily.days_per_unit)},
                                       {"rows_per_day", std::to_string(daily.rows_per_day)},
                                       {"rho", daily.rho.to_string()}};
  for (const policy::UnitPath::Step& step : unit.steps) {
    fields.push_back({"source of " + step.table, policy.find(step.table)->source});
  }
  return fields;
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
