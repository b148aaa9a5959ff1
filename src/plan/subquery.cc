// SPDX-License-Identifier: Apache-2.0
// What a table of FROM is, as to whose its rows are: one of the policy's, or a subquery, which is
// checked here with all that stands in it.
#include <algorithm>
#include <set>

#include "base/suggest.h"
#include "plan/identity.h"
#include "plan/local_group.h"
#include "plan/local_union.h"
#include "plan/locality.h"
#include "plan/shape.h"
#include "plan/shape_rules.h"

namespace discreet::plan {
namespace {

using policy::Table;

constexpr std::size_t kFieldsMax = 1'000;
constexpr std::size_t kNameMax = 256;

// A unit has one row, if its column is the key that another table's path leads to.
bool is_one_row_a_unit(const TableUse& use, const Table& table, const policy::Policy& policy) {
  if (!table.unit->steps.empty() || table.unit->row_is_unit) return false;
  for (const auto& [name, other] : policy.tables) {
    if (!other.unit) continue;
    for (const policy::UnitPath::Step& step : other.unit->steps) {
      if (step.table == use.table && step.key == table.unit->column) return true;
    }
  }
  return false;
}

Result<Locality> of_table(const TableUse& use, const policy::Policy& policy) {
  const Table* const table = policy.find(use.table);
  if (table == nullptr) return undeclared_table(use.table, policy);
  Locality out;
  if (table->is_public()) return out;
  out.space = table->unit->space;
  out.row_is_unit = table->unit->row_is_unit;
  out.units_max = table->rows_max ? Integer(*table->rows_max) : Integer(Integer(1) << 40);
  out.bounds = table->bounds;
  out.bounds.declared = true;
  if (is_one_row_a_unit(use, *table, policy)) out.rows_max = 1;
  return out;
}

Result<void> check_field(const Field& field, const Part& part, const policy::Policy& policy) {
  const bool folds = field.fold != Fold::kValue && field.fold != Fold::kIdentifier;
  if (folds && !part.grouped) {
    return invalid_input("field " + in_quotes(field.name) + " needs a GROUP BY in its subquery");
  }
  if (!folds && !field.expr) return invalid_input("field " + in_quotes(field.name) + " is empty");
  if (!field.expr) return {};
  if (field.fold == Fold::kIdentifier) {
    const bool known =
        field.expr->op == Op::kColumn && field.expr->table < part.source.tables.size() &&
        !identities_of(part.source.tables[field.expr->table], field.expr->name, policy).empty();
    if (!known) return invalid_input("field " + in_quotes(field.name) + " tells no owner");
    const JoinKind join = part.source.tables[field.expr->table].join;
    if (join == JoinKind::kSemi || join == JoinKind::kAnti) {
      return invalid_input("what EXISTS looks at cannot be shown");
    }
    return {};
  }
  if (!part.grouped) return check_size(*field.expr);  // its use decides what is allowed
  const Use use = folds ? Use::kAggregate : Use::kGroup;
  DISCREET_ASSIGN(const Shape shape, shape_of(*field.expr, part.source, policy, use));
  if (!folds) return {};
  DISCREET_TRY(shape_of_fold(field, shape));
  return {};
}

Result<Locality> of_part(const Part& part, const policy::Policy& policy, int depth) {
  DISCREET_ASSIGN(const Locality source, locality_of(part.source, policy, depth));
  if (part.filter) {
    DISCREET_ASSIGN(const Shape shape, shape_of(*part.filter, part.source, policy, Use::kFilter));
    if (shape.type != Type::kBoolean) {
      return invalid_input("WHERE needs a condition that is true or false");
    }
  }
  std::set<std::string> names = {""};
  for (const Field& field : part.fields) {
    // Names with ~ are the engines'.
    const bool fit = field.name.size() <= kNameMax && !field.name.starts_with('~');
    if (!fit || !names.insert(field.name).second) {
      return invalid_input("a subquery has two columns " + in_quotes(field.name) +
                           ", or one whose name does not fit; give it another with AS");
    }
    DISCREET_TRY(check_field(field, part, policy));
  }
  return part.grouped ? group_local(part, source, policy) : source;
}

bool same_names(const Part& a, const Part& b) {
  return std::equal(a.fields.begin(), a.fields.end(), b.fields.begin(), b.fields.end(),
                    [](const Field& x, const Field& y) {
                      return x.name == y.name &&
                             (x.fold == Fold::kIdentifier) == (y.fold == Fold::kIdentifier);
                    });
}

int parts_in(const TableUse& use) {
  int count = 0;
  for (const Part& part : use.parts) {
    ++count;
    for (const TableUse& inside : part.source.tables) count += parts_in(inside);
  }
  return count;
}

}  // namespace

std::string name_of(const TableUse& use) {
  if (!use.alias.empty()) return use.alias;
  return use.is_subquery() ? "(a subquery)" : use.table;
}

Result<Locality> locality_of(const TableUse& use, const policy::Policy& policy, int depth) {
  if (!use.is_subquery()) return of_table(use, policy);
  if (depth >= kNestingMax) {
    return Error{Code::kUnsupported, "subqueries can stand at most 8 deep in each other"};
  }
  if (!use.table.empty()) return invalid_input("a subquery has no table's name");
  if (depth == 0 && parts_in(use) > kPartsTotalMax) {
    return Error{Code::kUnsupported, "a question can have at most 64 subqueries"};
  }
  std::vector<Locality> parts;
  for (const Part& part : use.parts) {
    if (part.fields.size() > kFieldsMax) {
      return Error{Code::kUnsupported, "a subquery can have at most 1000 columns"};
    }
    if (!same_names(use.parts.front(), part)) {
      return invalid_input("the parts of a UNION ALL must have the same columns");
    }
    DISCREET_ASSIGN(Locality one, of_part(part, policy, depth + 1));
    parts.push_back(std::move(one));
  }
  return union_local(parts);
}

}  // namespace discreet::plan
