// SPDX-License-Identifier: Apache-2.0
// A question reads what it needs: fields of subqueries that nothing refers to are taken out, so
// that SELECT * and joined tables cost no more than what is used of them.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "sql/settings.h"

namespace discreet::sql {
namespace {

using plan::Expr;
using plan::Fold;
using plan::Part;
using plan::Source;
using plan::TableUse;

using Names = std::vector<std::set<std::string>>;  // of each table of a source

void note(const Expr& expr, Names& used) {
  if (expr.op == plan::Op::kColumn && expr.table < used.size()) used[expr.table].insert(expr.name);
  for (const Expr& arg : expr.args) note(arg, used);
}

void note_joins(const Source& source, Names& used) {
  for (std::size_t i = 0; i < source.tables.size(); ++i) {
    const TableUse& use = source.tables[i];
    for (const plan::JoinOn& on : use.on) {
      used[on.left_table].insert(on.left);
      used[i].insert(on.right);
    }
    if (use.condition) note(*use.condition, used);
  }
}

void drop(Source& source, const Names& used);

// Keys of a group stay: without one there would be fewer groups.
void drop(TableUse& use, const std::set<std::string>& used) {
  for (Part& part : use.parts) {
    std::erase_if(part.fields, [&](const plan::Field& field) {
      const bool is_key =
          part.grouped && (field.fold == Fold::kValue || field.fold == Fold::kIdentifier);
      const bool others = std::any_of(use.parts.begin(), use.parts.end(),
                                      [](const Part& one) { return one.grouped; });
      return !is_key && !(others && use.parts.size() > 1) && !used.contains(field.name);
    });
  }
  for (Part& part : use.parts) {
    Names inside(part.source.tables.size());
    note_joins(part.source, inside);
    if (part.filter) note(*part.filter, inside);
    for (const plan::Field& field : part.fields) {
      if (field.expr) note(*field.expr, inside);
    }
    drop(part.source, inside);
  }
}

void drop(Source& source, const Names& used) {
  for (std::size_t i = 0; i < source.tables.size(); ++i) {
    if (source.tables[i].is_subquery()) drop(source.tables[i], used[i]);
  }
}

}  // namespace

void drop_unused(plan::Plan& plan) {
  Names used(plan.source.tables.size());
  note_joins(plan.source, used);
  if (plan.filter) note(*plan.filter, used);
  for (const plan::Key& key : plan.keys) note(key.expr, used);
  for (const plan::Measurement& measurement : plan.measurements) {
    if (measurement.argument) note(*measurement.argument, used);
  }
  drop(plan.source, used);
}

}  // namespace discreet::sql
