// SPDX-License-Identifier: Apache-2.0
#include "base/suggest.h"
#include "policy/read.h"
#include "policy/value.h"

namespace discreet::policy {
namespace {

constexpr std::int64_t kDaysMax = std::int64_t{1} << 20;
constexpr std::int64_t kDailyRowsMax = 1'000'000;

/// The table, if it has units and a column of dates by that name.
void check_day(Fields& fields, const Daily& daily, const Policy& policy) {
  const Table* const table = policy.find(daily.table);
  if (table == nullptr || table->is_public()) {
    std::vector<std::string> names;
    for (const auto& [name, each] : policy.tables) {
      if (!each.is_public()) names.push_back(name);
    }
    fields.wrong("table",
                 "is " + in_quotes(daily.table) + ", which is no table with units" +
                     did_you_mean(daily.table, names),
                 "name a table that is declared under tables");
    return;
  }
  const Column* const day = table->find(daily.day);
  if (day == nullptr || day->type != Type::kDate || !day->grid || day->grid->step != Rational(1)) {
    fields.wrong(
        "day",
        "is " + in_quotes(daily.day) + ", which is no column of days of " + in_quotes(daily.table),
        "declare it there, such as day: {type: date, range: [2026-01-01, 2030-12-31]}");
    return;
  }
  if (Rational(daily.first) < day->grid->low ||
      Rational(daily.first) + Rational(daily.days - 1) > day->grid->high) {
    fields.wrong("days", "has days outside the declared range of " + in_quotes(daily.day),
                 "widen that range, or take fewer days");
  }
}

Daily read_one(const Node& node, const Policy& policy, Mistakes& mistakes) {
  Daily daily;
  daily.name = node.key;
  Fields fields(node, "daily." + shown(node.key),
                {"table", "day", "first", "days", "days_per_unit", "rows_per_day", "rho"},
                mistakes);
  if (!node.is(Node::Kind::kMap)) return daily;
  for (const char* key : {"table", "day", "first", "days", "rho"}) {
    fields.require(key, std::string("for example ") + kDailyExample);
  }
  daily.table = fields.get_text("table").value_or("");
  daily.day = fields.get_name("day").value_or("");
  bool good = true;
  if (const auto text = fields.get_text("first")) {
    const auto first = parse_value(Type::kDate, *text);
    if (first) {
      daily.first = first->number().floor().get_si();
    } else {
      good = false;
      fields.wrong("first", "is no day", "write it as 2026-01-01");
    }
  }
  const auto days = fields.get_count("days", kDaysMax);
  daily.days = days.value_or(1);
  daily.days_per_unit = fields.get_count("days_per_unit", kDaysMax).value_or(1);
  daily.rows_per_day = fields.get_count("rows_per_day", kDailyRowsMax).value_or(1);
  if (days && daily.days_per_unit > *days) {
    fields.wrong("days_per_unit", "is more than there are days", "take at most days");
  }
  if (const auto text = fields.get_text("rho")) {
    const auto rho = Rho::parse(*text);
    if (rho) {
      daily.rho = rho->value();
    } else {
      fields.wrong("rho", "is " + in_quotes(*text), "write a number above 0, such as 0.05");
    }
  }
  if (good && days && fields.has("table") && fields.has("day") && fields.has("first")) {
    check_day(fields, daily, policy);
  }
  return daily;
}

}  // namespace

void read_daily(const Node& node, Policy& policy, Mistakes& mistakes) {
  for (const Node& child : node.children) {
    if (!check_name(child.key, child.key_line, "a daily question", mistakes)) continue;
    policy.daily.emplace(child.key, read_one(child, policy, mistakes));
  }
}

}  // namespace discreet::policy
