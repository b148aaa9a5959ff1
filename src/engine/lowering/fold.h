// SPDX-License-Identifier: Apache-2.0
// Folds of a grouped subquery (plan/plan.h, "Fold") as SQL: aggregates inside, and around them what
// brings the numbers into their range, so that no aggregate is written twice.
#pragma once

#include <string>
#include <vector>

#include "engine/lowering/expression.h"

namespace discreet::engine::lowering {

struct FoldedField {
  std::vector<Sql> aggregates;  ///< of the GROUP BY, named
  Sql value;                    ///< of their names, in steps of the field's shape
};

/// `called`: its sql_name(). `to`: the shape of the field, of whose step its own is a multiple.
FoldedField fold_field(const plan::Field& field, const std::string& called, const plan::Shape& to,
                       const ExpressionLowering& expressions);

struct GroupKey {
  /// kUnit: a number that says whose the row is, one for all rows of a unit.
  enum class Kind { kUnit, kNumber, kTruth, kText };
  Sql value;
  std::string called;
  Kind kind;
};

/// SELECT fields FROM (SELECT keys, aggregates ... GROUP BY keys); the unit comes out if
/// `shows_unit`. No rows of one unit make the groups slow (Dialect::keyed), and of texts only those
/// are held that are read outside.
Select grouped(Select rows, const std::vector<GroupKey>& keys, const plan::TableUse& use,
               const plan::Part& part, bool shows_unit, const std::vector<FoldedField>& folded,
               const Dialect& dialect);

}  // namespace discreet::engine::lowering
