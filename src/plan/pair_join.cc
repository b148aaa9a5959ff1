// SPDX-License-Identifier: Apache-2.0
#include "plan/pair_join.h"

#include <algorithm>

#include "plan/identity.h"
#include "plan/shape.h"

namespace discreet::plan {
namespace {

constexpr std::int64_t kLimitMax = 10'000;

Error wrong(const std::string& what) {
  return {Code::kUnsupported,
          "a join of two people's rows " + what +
              "; put what belongs to one person into a subquery on its side: FROM (SELECT ...) a "
              "JOIN (SELECT ...) b ON a.x = b.x"};
}

Result<void> check_column(const TableUse& a, const TableUse& b, const JoinOn& on,
                          const policy::Policy& policy) {
  const Source both{{a, b}};
  // As in a WHERE: the question may compare what it joins on.
  DISCREET_TRY(shape_of(Expr::of(Op::kEqual, {Expr::column(0, on.left), Expr::column(1, on.right)}),
                        both, policy, Use::kFilter));
  return {};
}

}  // namespace

bool is_pair(const Source& source) {
  return std::any_of(source.tables.begin(), source.tables.end(),
                     [](const TableUse& use) { return use.limits.has_value(); });
}

Result<PairStability> check_pair(const Source& source, const std::vector<Locality>& sides,
                                 const policy::Policy& policy) {
  if (source.tables.size() != 2) return wrong("takes exactly two sides");
  const TableUse& a = source.tables[0];
  const TableUse& b = source.tables[1];
  for (const TableUse* side : {&a, &b}) {
    if (!side->is_subquery() || side->join != JoinKind::kInner || side->condition) {
      return wrong("is an inner join of two subqueries on equal columns");
    }
    if (!side->limits) return wrong("needs limits on both sides");
    for (const std::int64_t limit : {side->limits->rows_per_unit, side->limits->rows_per_key}) {
      if (limit < 1 || limit > kLimitMax) {
        return invalid_input("the limits of a join of two people's rows lie between 1 and 10000");
      }
    }
  }
  if (sides[0].is_public() || sides[1].is_public()) return wrong("has units on both sides");
  if (sides[0].row_is_unit || sides[1].row_is_unit) return wrong("needs units that are named");
  if (sides[0].space != sides[1].space) {
    return Error{Code::kRefused, "units " + in_quotes(sides[0].space) + " and " +
                                     in_quotes(sides[1].space) +
                                     " are different and cannot be joined"};
  }
  if (b.on.empty()) return wrong("needs an equality of columns");
  for (const JoinOn& on : b.on) DISCREET_TRY(check_column(a, b, on, policy));
  const PairLimits& x = *a.limits;
  const PairLimits& y = *b.limits;
  return PairStability{
      .rows = 2 * x.rows_per_unit * y.rows_per_key + 2 * y.rows_per_unit * x.rows_per_key,
      .rows_max = sides[0].units_max * Integer(x.rows_per_unit) * Integer(y.rows_per_key)};
}

}  // namespace discreet::plan
