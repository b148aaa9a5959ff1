// SPDX-License-Identifier: Apache-2.0
// Reads FROM, and from ON and WHERE what joins its tables. Where all joins are inner ones tables
// are put in an order in which each is joined to earlier ones: FROM a, b, c WHERE a.x = c.x AND b.y
// = c.y is fine.
#include "sql/from.h"

#include <algorithm>

#include "base/suggest.h"
#include "plan/identity.h"

namespace discreet::sql {
namespace {

constexpr std::size_t kTablesMax = 16;

std::string refused_from(std::string_view kind) {
  if (kind == "RangeFunction") return "functions that return rows are not supported";
  if (kind == "RangeTableSample") {
    return "TABLESAMPLE is not supported: a sample of the rows gives no privacy for free";
  }
  return "this is not supported in FROM";
}

bool is_equality(const Node& condition) {
  return condition.is("A_Expr") && condition.text("kind") == "AEXPR_OP" &&
         condition.names("name") == std::vector<std::string>{"="} &&
         condition.child("lexpr").is("ColumnRef") && condition.child("rexpr").is("ColumnRef");
}

}  // namespace

void split(const Node& condition, std::vector<Node>& out) {
  if (!condition) return;
  if (condition.is("BoolExpr") && condition.text("boolop") == "AND_EXPR") {
    for (const Node& part : condition.list("args")) split(part, out);
  } else {
    out.push_back(condition);
  }
}

Result<Scope> FromReader::run(const Node& select) && {
  const std::vector<Node> from = select.list("fromClause");
  if (from.empty()) {
    return invalid_input("there is no FROM; name a table of the policy: " + one_of(declared()));
  }
  for (const Node& item : from) DISCREET_TRY(read_item(item));
  split(select.child("whereClause"), pending_);
  DISCREET_TRY(sort_conditions());
  DISCREET_TRY(make_pair());
  DISCREET_TRY(put_in_order());
  DISCREET_TRY(link_values());
  for (const Node& condition : subqueries_) DISCREET_TRY(read_exists(condition));
  return std::move(scope_);
}

std::vector<std::string> FromReader::declared() const {
  std::vector<std::string> names;
  for (const auto& [name, table] : scope_.policy().tables) names.push_back(name);
  std::ranges::copy(views(), std::back_inserter(names));
  return names;
}

std::vector<std::string> FromReader::views() const {
  std::vector<std::string> names;
  for (const auto& [name, select] : scope_.policy().views) names.push_back(name);
  return names;
}

Result<void> FromReader::read_item(const Node& item) {
  if (item.is("RangeVar")) return read_table(item);
  if (item.is("JoinExpr")) return read_join(item);
  if (item.is("RangeSubselect")) return read_subquery(item);
  return text().error(Code::kUnsupported, item.place(),
                      refused_from(item.kind()) + "; name tables of the policy");
}

Result<void> FromReader::read_join(const Node& join) {
  const Place place = join.child("rarg").place();
  const std::string kind = join.text("jointype");
  if (join.flag("isNatural")) {
    return text().error(Code::kUnsupported, place,
                        "NATURAL JOIN is not supported; write JOIN ... ON a.x = b.y");
  }
  if (join.has("alias") || join.has("join_using_alias")) {
    return text().error(Code::kUnsupported, place, "a join has no name of its own here");
  }
  if (kind == "JOIN_LEFT") return read_left(join, join.child("larg"), join.child("rarg"));
  if (kind == "JOIN_RIGHT") {
    if (join.child("larg").is("JoinExpr") || !scope_.tables_.empty()) {
      return text().error(Code::kUnsupported, place,
                          "a RIGHT JOIN of several tables is not supported; write the table that "
                          "keeps its rows first: b LEFT JOIN a ON ...");
    }
    return read_left(join, join.child("rarg"), join.child("larg"));
  }
  if (kind != "JOIN_INNER") {
    return text().error(Code::kUnsupported, place,
                        "FULL JOIN is not supported; there are JOIN, LEFT JOIN and RIGHT JOIN ... "
                        "ON a.x = b.y");
  }
  DISCREET_TRY(read_item(join.child("larg")));
  const std::size_t right = scope_.tables_.size();
  DISCREET_TRY(read_item(join.child("rarg")));
  for (const std::string& name : join.names("usingClause")) {
    DISCREET_TRY(read_using(name, right, place));
  }
  split(join.child("quals"), pending_);
  return {};
}

// Its ON belongs to this join: it decides what is met, and leaves nothing out.
Result<void> FromReader::read_left(const Node& join, const Node& left, const Node& right) {
  if (right.is("JoinExpr")) {
    return text().error(Code::kUnsupported, right.place(),
                        "the side of an outer join that may be left out must be one table or "
                        "subquery");
  }
  DISCREET_TRY(read_item(left));
  const std::size_t index = scope_.tables_.size();
  DISCREET_TRY(read_item(right));
  is_all_inner_ = false;
  wrap(index);
  plan::TableUse& use = scope_.source_.tables[index];
  use.join = plan::JoinKind::kLeft;
  for (const std::string& name : join.names("usingClause")) {
    DISCREET_TRY(read_using(name, index, right.place()));
    const Equality equality = equalities_.back();
    equalities_.pop_back();
    DISCREET_TRY(join_on(index, equality, right.place()));
  }
  std::vector<Node> conditions;
  split(join.child("quals"), conditions);
  return join_by(index, conditions);
}

Result<void> FromReader::join_on(std::size_t index, const Equality& equality, Place place) {
  const bool forward = equality.right.table == index;
  const Found& mine = forward ? equality.right : equality.left;
  const Found& other = forward ? equality.left : equality.right;
  if (keeps_owner(mine, other)) {
    scope_.source_.tables[index].on.push_back({other.table, other.identifier, mine.identifier});
    return {};
  }
  if (mine.value.empty() || other.value.empty()) {
    return text().error(Code::kRefused, place,
                        in_quotes(mine.value.empty() ? mine.name : other.name) +
                            " tells whose row it is; it can be joined on with its like only");
  }
  add_condition(index,
                plan::Expr::of(plan::Op::kEqual, {plan::Expr::column(other.table, other.value),
                                                  plan::Expr::column(mine.table, mine.value)}));
  return {};
}

Result<void> FromReader::join_by(std::size_t index, const std::vector<Node>& conditions) {
  for (const Node& condition : conditions) {
    if (is_equality(condition)) {
      DISCREET_ASSIGN(const Found a, scope_.find(condition.child("lexpr")));
      DISCREET_ASSIGN(const Found b, scope_.find(condition.child("rexpr")));
      const bool both = (a.table == index) != (b.table == index);
      if (both && keeps_owner(a, b)) {
        DISCREET_TRY(join_on(index, {a, b}, condition.place()));
        continue;
      }
    }
    DISCREET_ASSIGN(Typed value, Rows(scope_).condition(condition));
    add_condition(index, std::move(value.expr));
  }
  return {};
}

void FromReader::add_condition(std::size_t index, plan::Expr condition) {
  std::optional<plan::Expr>& own = scope_.source_.tables[index].condition;
  if (!own) {
    own = std::move(condition);
  } else {
    own = plan::Expr::of(plan::Op::kAnd, {std::move(*own), std::move(condition)});
  }
}

// A table as a subquery of all its columns: joins that may leave it out take no other.
void FromReader::wrap(std::size_t index) {
  plan::TableUse& use = scope_.source_.tables[index];
  const policy::Table* const table = scope_.tables_[index].table;
  if (table == nullptr) return;
  Relation relation = relation_of(*table, use.alias, scope_.policy());
  use.table.clear();
  use.parts = std::move(relation.parts);
  scope_.tables_[index] = {nullptr, std::move(relation.columns)};
}

Result<void> FromReader::check_new(const std::string& called, const std::string& what,
                                   Place place) const {
  if (!matching(called, scope_.table_names()).empty()) {
    return text().error(
        Code::kInvalidInput, place,
        in_quotes(called) + " is in FROM twice; give it another name: " + what + " AS other");
  }
  if (scope_.tables_.size() == kTablesMax) {
    return text().error(Code::kInvalidInput, place, "at most 16 tables can be joined");
  }
  return {};
}

Result<void> FromReader::add_relation(Relation relation, const std::string& alias, Place place) {
  DISCREET_TRY(check_new(alias, "(SELECT ...)", place));
  plan::TableUse use;
  use.alias = alias;
  use.parts = std::move(relation.parts);
  scope_.add(std::move(use), {nullptr, std::move(relation.columns)});
  return {};
}

Result<void> FromReader::read_subquery(const Node& item) {
  const Place place = item.child("subquery").place();
  const Node alias = item.part("alias");
  if (item.flag("lateral")) {
    return text().error(Code::kUnsupported, place,
                        "LATERAL is not supported; join a subquery on the unit's column");
  }
  const std::string called = alias ? alias.text("aliasname") : "subquery";
  DISCREET_ASSIGN(Relation relation, bind_subquery(item.child("subquery"), called,
                                                   alias.names("colnames"), scope_.context_));
  return add_relation(std::move(relation), called, place);
}

Result<void> FromReader::read_table(const Node& item) {
  const Place place = item.place();
  const std::string qualifier = item.text("schemaname");
  const std::string name =
      qualifier.empty() ? item.text("relname") : qualifier + "." + item.text("relname");
  const Node alias = item.part("alias");
  for (auto with = scope_.context_.with; with != nullptr; with = with->before) {
    if (!qualifier.empty() || with->name != name) continue;
    Context context = scope_.context_;
    context.with = with->before;
    const std::string called = alias ? alias.text("aliasname") : name;
    std::vector<std::string> columns = alias.names("colnames");
    if (columns.empty()) columns = with->columns;
    DISCREET_ASSIGN(Relation relation, bind_subquery(with->query, called, columns, context));
    return add_relation(std::move(relation), called, place);
  }
  if (const std::string view = matching(name, views()); !view.empty()) {
    const std::string called = alias ? alias.text("aliasname") : view;
    DISCREET_ASSIGN(Relation relation,
                    bind_view(view, called, alias.names("colnames"), scope_.context_));
    return add_relation(std::move(relation), called, place);
  }
  const std::string found = matching(name, declared());
  const policy::Table* table = found.empty() ? nullptr : scope_.policy().find(found);
  if (table == nullptr || item.has("catalogname")) {
    return text().error(Code::kNotFound, place,
                        "there is no table " + in_quotes(name) + did_you_mean(name, declared()) +
                            "; the policy declares " + one_of(declared()));
  }
  if (alias.has("colnames")) {
    return text().error(Code::kUnsupported, place, "columns cannot be renamed in FROM");
  }
  const std::string called = alias ? alias.text("aliasname") : found;
  DISCREET_TRY(check_new(called, found, place));
  plan::TableUse use;
  use.table = found;
  use.alias = called;
  scope_.add(std::move(use), {table, {}});
  return {};
}

Result<void> FromReader::read_using(const std::string& name, std::size_t right, Place place) {
  const std::vector<Found> in_right = scope_.look(right, "", name);
  std::vector<Found> in_left;
  for (std::size_t i = 0; i < right && in_left.empty(); ++i) in_left = scope_.look(i, "", name);
  if (in_left.empty() || in_right.empty()) {
    return text().error(Code::kNotFound, place,
                        "USING (" + name + "): both sides of the join must have that column");
  }
  equalities_.push_back({in_left.front(), in_right.front()});
  scope_.merged_.push_back(in_left.front().name);
  return {};
}

bool FromReader::is_outer(const Node& column_ref) const {
  const std::vector<std::string> names = column_ref.names("fields");
  return outer_ != nullptr && !scope_.knows(names) && outer_->knows(names);
}

bool FromReader::is_private(std::size_t table) const {
  return plan::is_private(scope_.source_.tables[table], scope_.policy());
}

bool FromReader::keeps_owner(const Found& a, const Found& b) const {
  const auto& tables = scope_.source_.tables;
  return !a.identifier.empty() && !b.identifier.empty() &&
         plan::shares_identity(tables[a.table], a.identifier, tables[b.table], b.identifier,
                               scope_.policy());
}

// Equalities of columns of two tables join them; all else filters.
Result<void> FromReader::sort_conditions() {
  for (const Node& condition : pending_) {
    if (is_subquery_condition(condition)) {
      subqueries_.push_back(condition);
      continue;
    }
    const auto columns = condition.find_all("ColumnRef");
    if (std::ranges::any_of(columns, [&](const Node& column) { return is_outer(column); })) {
      scope_.conditions_.push_back(condition);
      continue;
    }
    if (is_equality(condition)) {
      DISCREET_ASSIGN(const Found a, scope_.find(condition.child("lexpr")));
      DISCREET_ASSIGN(const Found b, scope_.find(condition.child("rexpr")));
      const Found& later = a.table < b.table ? b : a;
      const bool is_left = scope_.source_.tables[later.table].join == plan::JoinKind::kLeft;
      if (a.table != b.table && is_left && (a.value.empty() || b.value.empty())) {
        return text().error(Code::kUnsupported, condition.place(),
                            "this would leave out what the outer join keeps; write JOIN, or put it "
                            "into the outer join's ON");
      }
      if (a.table != b.table && !is_left && joins(a, b)) {
        equalities_.push_back({a, b});
        continue;
      }
      if (a.table != b.table && !a.value.empty() && !b.value.empty()) links_.push_back({a, b});
    }
    scope_.conditions_.push_back(condition);
  }
  return {};
}

// Between private tables only equalities that keep one owner join; others are filters. Columns of
// subqueries are values, and compared as such, but for those that tell whose row it is.
bool FromReader::joins(const Found& a, const Found& b) const {
  if (keeps_owner(a, b)) return true;
  const auto& tables = scope_.source_.tables;
  if (tables[a.table].is_subquery() || tables[b.table].is_subquery()) return false;
  return !is_private(a.table) || !is_private(b.table);
}

Result<Scope> Scope::bind(const Node& select, const Context& context) {
  return FromReader(context).run(select);
}

Result<Scope> Scope::bind_inner(const Node& select, const Context& context, const Scope& outer) {
  return FromReader(context, &outer).run(select);
}

}  // namespace discreet::sql
