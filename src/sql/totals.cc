// SPDX-License-Identifier: Apache-2.0
#include "sql/totals.h"

#include <algorithm>
#include <string>
#include <utility>

#include "plan/source.h"

namespace discreet::sql {
namespace {

using plan::Expr;
using plan::Field;
using plan::Fold;
using plan::MeasureKind;
using plan::Measurement;

class Totals {
 public:
  explicit Totals(std::int64_t rows) : rows_(rows) { part_.grouped = true; }

  plan::Part& part() { return part_; }

  Result<Measurement> over_units(Measurement m, PerUnit how) {
    if (m.kind == MeasureKind::kUnits) return m;
    const bool counts = m.kind == MeasureKind::kRows;
    if (how == PerUnit::kRows && !counts) {
      return Error{
          Code::kUnsupported,
          "beside an aggregate with contribution_bounds_per_group, or a COUNT(DISTINCT unit) "
          "with FILTER, there can be COUNT and others with such bounds only; ask for the "
          "rest by itself"};
    }
    if (how == PerUnit::kMean) {  // the average of the units' averages
      m.argument = field(Fold::kMean, m.argument, {});
      return m;
    }
    if (counts) {
      plan::Grid range{0, how == PerUnit::kOnce ? 1 : rows_, 1};
      if (how == PerUnit::kTotal) range = *m.clamp;
      m.argument = field(Fold::kRows, m.argument, range);
      m.clamp.reset();
      m.kind = MeasureKind::kSum;
      return m;
    }
    m.argument = field(Fold::kSum, m.argument, m.clamp);
    m.clamp.reset();
    return m;
  }

 private:
  Expr field(Fold fold, std::optional<Expr> expr, std::optional<plan::Grid> grid) {
    Field made{"", fold, std::move(expr), std::move(grid)};
    for (const Field& known : part_.fields) {
      made.name = known.name;
      if (known == made) return Expr::column(0, known.name);
    }
    made.name = "a" + std::to_string(part_.fields.size());
    part_.fields.push_back(made);
    return Expr::column(0, made.name);
  }

  std::int64_t rows_;
  plan::Part part_;
};

}  // namespace

Result<void> total_by_unit(plan::Plan& plan, const std::vector<PerUnit>& how,
                           const policy::Policy& policy) {
  if (std::ranges::all_of(how, [](PerUnit one) { return one == PerUnit::kRows; })) return {};
  DISCREET_ASSIGN(const plan::Owner owner, plan::check_source(plan.source, policy));
  if (owner.row_is_unit) return {};  // its row is its total
  if (owner.pair) {
    return Error{Code::kUnsupported,
                 "rows of two people have no one unit whose total could be bounded"};
  }
  Totals totals(plan.bounds.rows_per_unit_and_group);
  for (std::size_t i = 0; i < plan.keys.size(); ++i) {
    const std::string name = "k" + std::to_string(i);
    totals.part().fields.push_back({name, Fold::kValue, plan.keys[i].expr, {}});
    plan.keys[i].expr = Expr::column(0, name);
  }
  for (std::size_t i = 0; i < plan.measurements.size(); ++i) {
    DISCREET_ASSIGN(plan.measurements[i],
                    totals.over_units(std::move(plan.measurements[i]), how[i]));
  }
  totals.part().source = std::move(plan.source);
  totals.part().filter = std::move(plan.filter);
  plan::TableUse use;
  use.alias = "units";
  use.parts = {std::move(totals.part())};
  plan.source.tables = {std::move(use)};
  plan.filter.reset();
  plan.bounds.rows_per_unit_and_group = 1;
  return {};
}

}  // namespace discreet::sql
