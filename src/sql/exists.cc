// SPDX-License-Identifier: Apache-2.0
// [NOT] EXISTS (SELECT ... WHERE a.x = b.y) and x IN (SELECT y ...) as semi and anti joins. What
// the inner WHERE says of the inner tables alone stays inside; what names outer ones joins.
#include <algorithm>

#include "base/suggest.h"
#include "sql/from.h"

namespace discreet::sql {
namespace {

using plan::Expr;
using plan::JoinKind;
using plan::Op;

constexpr const char* kMember = "IN member";  // the field that x IN (SELECT y ...) compares with

constexpr const char* kNotIn =
    "NOT IN (SELECT ...) is never true once the subquery has a NULL; write NOT EXISTS (SELECT 1 "
    "FROM ... WHERE ...)";

bool is_not(const Node& condition) {
  return condition.is("BoolExpr") && condition.text("boolop") == "NOT_EXPR";
}

bool is_link(const Node& node) {
  const std::string kind = node.text("subLinkType");
  return node.is("SubLink") && (kind == "EXISTS_SUBLINK" || kind == "ANY_SUBLINK");
}

// Whether all names in it are the inner tables'.
bool is_inside(const Node& condition, const Scope& inner) {
  return std::ranges::all_of(condition.find_all("ColumnRef"), [&](const Node& column) {
    return inner.knows(column.names("fields"));
  });
}

// Everything that the inner tables show, under names of their own.
Relation shown(const Scope& inner) {
  Relation out;
  plan::Part part;
  part.source = inner.source();
  const std::vector<std::string> qualifiers = inner.table_names();
  for (const std::string& qualifier : qualifiers) {
    for (const Found& found : inner.all(qualifier)) {
      Visible column{qualifier, found.name, "", "", found.type};
      const std::string name = qualifiers.size() == 1 ? found.name : qualifier + "." + found.name;
      if (!found.value.empty()) {
        column.value = name;
        part.fields.push_back(
            {column.value, plan::Fold::kValue, Expr::column(found.table, found.value), {}});
      }
      if (!found.identifier.empty()) {
        column.identifier = found.value.empty() ? name : name + " key";
        part.fields.push_back({column.identifier,
                               plan::Fold::kIdentifier,
                               Expr::column(found.table, found.identifier),
                               {}});
      }
      out.columns.push_back(std::move(column));
    }
  }
  out.parts = {std::move(part)};
  return out;
}

Expr both(std::optional<Expr> a, Expr b) {
  return a ? Expr::of(Op::kAnd, {std::move(*a), std::move(b)}) : std::move(b);
}

}  // namespace

bool FromReader::is_subquery_condition(const Node& condition) {
  if (is_link(condition)) return true;
  if (!is_not(condition)) return false;
  const std::vector<Node> args = condition.list("args");
  return args.size() == 1 && is_link(args.front());
}

Result<void> FromReader::read_exists(const Node& condition) {
  if (!is_not(condition)) return read_link(condition, true);
  return read_link(condition.list("args").front(), false);
}

Result<void> FromReader::check_simple(const Node& select, Place place) const {
  for (const char* field : {"groupClause", "havingClause", "distinctClause", "limitCount",
                            "limitOffset", "withClause", "windowClause", "valuesLists"}) {
    if (!select.has(field)) continue;
    return text().error(Code::kUnsupported, place,
                        "a subquery of EXISTS or IN has FROM and WHERE only; put grouping into a "
                        "subquery in its FROM");
  }
  const std::string operation = select.text("op");
  if (!operation.empty() && operation != "SETOP_NONE") {
    return text().error(Code::kUnsupported, place,
                        "UNION is not supported in EXISTS or IN; put it into a subquery in FROM");
  }
  return {};
}

Result<void> FromReader::read_link(const Node& link, bool positive) {
  const Place place = link.place();
  const bool is_in = link.text("subLinkType") == "ANY_SUBLINK";
  if (is_in && link.has("operName") && link.names("operName") != std::vector<std::string>{"="}) {
    return text().error(Code::kUnsupported, place,
                        "ANY (SELECT ...) is not supported but as IN; use EXISTS");
  }
  if (is_in && !positive) return text().error(Code::kUnsupported, place, kNotIn);
  const Node select = link.child("subselect");
  DISCREET_TRY(check_simple(select, place));
  DISCREET_ASSIGN(const Scope inner, Scope::bind_inner(select, scope_.context_, scope_));
  Relation relation = shown(inner);

  // Conditions of the inner tables alone filter inside.
  std::vector<Node> outside;
  for (const Node& condition : inner.conditions()) {
    if (!is_inside(condition, inner)) {
      outside.push_back(condition);
      continue;
    }
    DISCREET_ASSIGN(Typed value, Rows(inner).condition(condition));
    relation.parts[0].filter = both(std::move(relation.parts[0].filter), std::move(value.expr));
  }
  std::optional<Equality> in;
  std::optional<Typed> member;
  if (is_in) {
    const std::vector<Node> targets = select.list("targetList");
    if (targets.size() != 1) {
      return text().error(Code::kInvalidInput, place, "IN takes a subquery of one column");
    }
    const Node value = targets.front().child("val");
    const Node test = link.child("testexpr");
    std::optional<Found> column;
    if (value.is("ColumnRef")) {
      DISCREET_ASSIGN(column, inner.find(value));
    }
    if (column && test.is("ColumnRef") && !column->identifier.empty()) {
      DISCREET_ASSIGN(const Found outer, scope_.find(test));
      Found mine = *column;
      for (const Visible& visible : relation.columns) {
        if (visible.name == column->name &&
            visible.qualifier == inner.source().tables[column->table].alias) {
          mine.identifier = visible.identifier;
          mine.value = visible.value;
        }
      }
      mine.table = scope_.tables_.size();
      in = Equality{outer, mine};
    }
    if (!in) {
      DISCREET_ASSIGN(Typed inside, Rows(inner).bind(value));
      relation.parts[0].fields.push_back({kMember, plan::Fold::kValue, inside.expr, {}});
      relation.columns.push_back({kMember, kMember, kMember, "", inside.type});
      member = std::move(inside);
    }
  }

  const Scope outer = scope_;
  scope_ = outer.with(std::move(relation));
  const std::size_t index = scope_.tables_.size() - 1;
  plan::TableUse& use = scope_.source_.tables[index];
  use.join = positive ? JoinKind::kSemi : JoinKind::kAnti;
  use.alias = inner.table_names().front();
  if (in) DISCREET_TRY(join_on(index, *in, place));
  if (member) {
    DISCREET_ASSIGN(Typed value, Rows(outer).bind(link.child("testexpr")));
    Typed mine{Expr::column(index, kMember), member->type, place};
    DISCREET_TRY(unify(value, mine, text()));
    add_condition(index, Expr::of(Op::kEqual, {std::move(value.expr), std::move(mine.expr)}));
  }
  DISCREET_TRY(join_by(index, outside));
  const plan::TableUse& done = scope_.source_.tables[index];
  if (done.on.empty() && !done.condition) {
    return text().error(Code::kUnsupported, place,
                        "EXISTS without a condition on the outer tables asks about everybody; add "
                        "an equality with the unit's key to its WHERE");
  }
  scope_.first_.reset();
  scope_.tables_[index].columns.clear();  // seen by its own condition only
  return {};
}

}  // namespace discreet::sql
