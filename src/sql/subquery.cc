// SPDX-License-Identifier: Apache-2.0
// Subqueries that give rows: SELECT columns, SELECT DISTINCT, UNION ALL, WITH. Their rows keep
// their owner (plan/locality.h). GROUP BY is grouped.cc.
#include <algorithm>
#include <utility>

#include "base/suggest.h"
#include "plan/identity.h"
#include "plan/locality.h"
#include "sql/grouped.h"

namespace discreet::sql {
namespace {

using plan::Expr;
using plan::Field;
using plan::Fold;
using plan::Part;
using policy::Type;

constexpr std::size_t kColumnsMax = 100;

struct InnerClause {
  const char* field;
  const char* message;
};

constexpr InnerClause kRefusedInside[] = {
    {"valuesLists", "VALUES has no data to ask about; write SELECT ... FROM a table"},
    {"intoClause", "SELECT INTO is not supported; nothing can be written"},
    {"windowClause", "windows are not supported; use GROUP BY"},
    {"lockingClause", "FOR UPDATE and FOR SHARE are not supported; nothing can be locked"},
    {"limitCount", "LIMIT in a subquery is not supported: which rows stay would depend on all"},
    {"limitOffset", "OFFSET in a subquery is not supported: which rows stay would depend on all"},
    {"sortClause", "ORDER BY has no meaning in a subquery; leave it out"},
};

Part project(Relation relation, const std::vector<Visible>& like,
             std::vector<std::string> identifiers) {
  Part part;
  plan::TableUse use;
  use.alias = "part";
  use.parts = std::move(relation.parts);
  part.source.tables = {std::move(use)};
  for (std::size_t i = 0; i < like.size(); ++i) {
    if (!like[i].value.empty()) {
      part.fields.push_back(
          {like[i].value, Fold::kValue, Expr::column(0, relation.columns[i].value), {}});
    }
    if (!identifiers[i].empty()) {
      part.fields.push_back(
          {identifiers[i], Fold::kIdentifier, Expr::column(0, relation.columns[i].identifier), {}});
    }
  }
  return part;
}

class SubqueryBinder {
 public:
  SubqueryBinder(const Node& select, std::string alias, Context context)
      : select_(select), alias_(std::move(alias)), context_(std::move(context)) {}

  Result<Relation> run();

 private:
  Result<Relation> bind_union();
  Result<Relation> bind_rows(const Scope& scope);
  Result<void> add(const Scope& scope, const Node& target);
  void add(const Found& found, const std::string& name);
  Result<void> check_clauses() const;
  std::string unused(const std::string& name) const;
  Error error(Code code, Place place, const std::string& message) const {
    return context_.text->error(code, place, message);
  }

  const Node& select_;
  std::string alias_;
  Context context_;
  Relation out_;
  Part part_;
};

Result<void> SubqueryBinder::check_clauses() const {
  for (const InnerClause& clause : kRefusedInside) {
    if (select_.has(clause.field)) return Error{Code::kUnsupported, clause.message};
  }
  return {};
}

Result<Relation> SubqueryBinder::run() {
  if (++*context_.subqueries > plan::kPartsTotalMax) {
    return Error{Code::kUnsupported,
                 "a question can have at most 64 subqueries, counting each use "
                 "of a name of WITH"};
  }
  DISCREET_ASSIGN(context_.with, read_with(select_, context_));
  const std::string operation = select_.text("op");
  if (!operation.empty() && operation != "SETOP_NONE") return bind_union();
  DISCREET_TRY(check_clauses());
  DISCREET_ASSIGN(const Scope scope, Scope::bind(select_, context_));
  part_.source = scope.source();
  std::vector<Expr> filter;
  for (const Node& condition : scope.conditions()) {
    DISCREET_ASSIGN(Typed value, Rows(scope).condition(condition));
    DISCREET_TRY(Rows(scope).shape(value, plan::Use::kFilter));
    filter.push_back(std::move(value.expr));
  }
  if (filter.size() == 1) part_.filter = std::move(filter.front());
  if (filter.size() > 1) part_.filter = Expr::of(plan::Op::kAnd, std::move(filter));
  if (is_grouped(select_)) return bind_grouped(select_, scope, std::move(part_), alias_);
  return bind_rows(scope);
}

std::string SubqueryBinder::unused(const std::string& name) const {
  std::string unique = name;
  const auto taken = [&](const std::string& text) {
    return plan::find_field(part_, text) != nullptr;
  };
  for (int i = 2; taken(unique); ++i) unique = name + "_" + std::to_string(i);
  return unique;
}

void SubqueryBinder::add(const Found& found, const std::string& name) {
  Visible column{alias_, name, "", "", found.type};
  if (!found.value.empty()) {
    column.value = unused(name);
    part_.fields.push_back(
        {column.value, Fold::kValue, Expr::column(found.table, found.value), {}});
  }
  if (!found.identifier.empty()) {
    column.identifier = unused(found.value.empty() ? name : name + " key");
    part_.fields.push_back(
        {column.identifier, Fold::kIdentifier, Expr::column(found.table, found.identifier), {}});
  }
  out_.columns.push_back(std::move(column));
}

Result<void> SubqueryBinder::add(const Scope& scope, const Node& target) {
  const Node value = target.child("val");
  if (value.is("ColumnRef")) {
    const std::vector<Node> fields = value.list("fields");
    if (!fields.empty() && fields.back().is("A_Star")) {
      const std::vector<std::string> names = value.names("fields");
      const std::string qualifier =
          fields.size() == 1 ? "" : matching(names.front(), scope.table_names());
      if (fields.size() > 1 && qualifier.empty()) {
        return error(Code::kNotFound, value.place(), "there is no such table in FROM");
      }
      for (const Found& found : scope.all(qualifier)) add(found, found.name);
      return {};
    }
    DISCREET_ASSIGN(const Found found, scope.find(value));
    add(found, target.text("name").empty() ? found.name : target.text("name"));
    return {};
  }
  DISCREET_ASSIGN(Typed bound, Rows(scope).bind(value));
  DISCREET_TRY(Rows(scope).shape(bound, plan::Use::kChecked));
  const std::string name = target.text("name").empty() ? output_name(value) : target.text("name");
  const std::string field = unused(name);
  part_.fields.push_back({field, Fold::kValue, std::move(bound.expr), {}});
  out_.columns.push_back({alias_, name, field, "", bound.type});
  return {};
}

Result<Relation> SubqueryBinder::bind_rows(const Scope& scope) {
  const std::vector<Node> targets = select_.list("targetList");
  if (targets.size() > kColumnsMax) {
    return error(Code::kInvalidInput, targets.front().place(),
                 "a subquery has at most 100 columns");
  }
  for (const Node& target : targets) DISCREET_TRY(add(scope, target));
  if (select_.has("distinctClause")) {
    const std::vector<Node> distinct = select_.list("distinctClause");
    if (!distinct.empty()) {
      return error(Code::kUnsupported, distinct.front().place(),
                   "DISTINCT ON is not supported; use GROUP BY with MIN or MAX");
    }
    DISCREET_TRY(check_has_unit(part_, scope, "DISTINCT", targets.front().place()));
    part_.grouped = true;
  }
  out_.parts = {std::move(part_)};
  return std::move(out_);
}

Result<Relation> SubqueryBinder::bind_union() {
  if (select_.text("op") != "SETOP_UNION" || !select_.flag("all")) {
    return Error{Code::kUnsupported,
                 "UNION, INTERSECT and EXCEPT compare everybody's rows; there is UNION ALL, and "
                 "SELECT DISTINCT with the unit's column among its columns"};
  }
  for (const char* field : {"sortClause", "limitCount", "limitOffset"}) {
    if (select_.has(field)) return Error{Code::kUnsupported, kRefusedInside[6].message};
  }
  const Node left = select_.part("larg");
  const Node right = select_.part("rarg");
  DISCREET_ASSIGN(Relation a, bind_subquery(left, alias_, {}, context_));
  DISCREET_ASSIGN(Relation b, bind_subquery(right, alias_, {}, context_));
  if (a.columns.size() != b.columns.size()) {
    return Error{Code::kInvalidInput, "the parts of a UNION ALL must have the same columns"};
  }
  std::vector<Visible> columns = a.columns;
  std::vector<std::string> identifiers;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Visible& x = a.columns[i];
    const Visible& y = b.columns[i];
    const bool read = !x.value.empty() && !y.value.empty();
    const bool known = !x.identifier.empty() && !y.identifier.empty();
    if (!read && !known) {
      return Error{Code::kInvalidInput, "column " + in_quotes(x.name) +
                                            " of a UNION ALL tells whose row it is in one part and "
                                            "not in the other"};
    }
    if (read && x.type != y.type && !(policy::is_number(x.type) && policy::is_number(y.type))) {
      return Error{Code::kInvalidInput,
                   "column " + in_quotes(x.name) + " of a UNION ALL has different types; cast one"};
    }
    if (!read) columns[i].value.clear();
    columns[i].identifier = known ? x.identifier : "";
    if (read && x.type != y.type) columns[i].type = Type::kDecimal;
    identifiers.push_back(columns[i].identifier);
  }
  out_.parts = {project(std::move(a), columns, identifiers),
                project(std::move(b), columns, identifiers)};
  out_.columns = std::move(columns);
  return std::move(out_);
}

}  // namespace

// As PostgreSQL calls a column that has no AS.
std::string output_name(const Node& value) {
  if (value.is("ColumnRef")) {
    const std::vector<std::string> names = value.names("fields");
    if (!names.empty()) return names.back();
  }
  if (value.is("FuncCall") && !function_name(value).empty()) return function_name(value);
  if (value.is("CaseExpr")) return "case";
  if (value.is("CoalesceExpr")) return "coalesce";
  if (value.is("TypeCast")) return output_name(value.child("arg"));
  return "column";
}

Result<void> check_has_unit(const Part& part, const Scope& scope, const std::string& what,
                            Place place) {
  if (!plan::unit_table_of(part.source, scope.policy())) return {};
  if (std::ranges::any_of(part.fields,
                          [](const Field& field) { return field.fold == Fold::kIdentifier; })) {
    return {};
  }
  std::vector<std::string> names;
  for (std::size_t i = 0; i < part.source.tables.size(); ++i) {
    for (const std::string& name : plan::identifiers_of(part.source.tables[i], scope.policy())) {
      if (std::ranges::count(names, name) == 0) names.push_back(name);
    }
  }
  return scope.text().error(
      Code::kRefused, place,
      what + " in a subquery must be within one unit, or its rows would be many people's; " +
          (names.empty() ? "no column here tells the unit"
                         : "add the unit's column: " + one_of(names)));
}

Relation relation_of(const policy::Table& table, const std::string& alias,
                     const policy::Policy& policy) {
  Relation out;
  Part part;
  plan::TableUse use;
  use.table = table.name;
  use.alias = table.name;
  const std::vector<std::string> identifiers = plan::identifiers_of(use, policy);
  const auto tells = [&](const std::string& name) {
    return std::ranges::count(identifiers, name) > 0;
  };
  for (const policy::Column& column : table.columns) {
    Visible visible{alias, column.name, column.name, "", column.type};
    part.fields.push_back({column.name, Fold::kValue, Expr::column(0, column.name), {}});
    if (tells(column.name)) {
      visible.identifier = column.name + " key";
      part.fields.push_back(
          {visible.identifier, Fold::kIdentifier, Expr::column(0, column.name), {}});
    }
    out.columns.push_back(std::move(visible));
  }
  for (const std::string& name : identifiers) {
    if (table.find(name) != nullptr) continue;
    part.fields.push_back({name, Fold::kIdentifier, Expr::column(0, name), {}});
    out.columns.push_back({alias, name, "", name, Type::kText});
  }
  part.source.tables = {std::move(use)};
  out.parts = {std::move(part)};
  return out;
}

Result<std::shared_ptr<const With>> read_with(const Node& select, const Context& context) {
  std::shared_ptr<const With> all = context.with;
  const Node clause = select.part("withClause");
  if (!clause) return all;
  if (clause.flag("recursive")) {
    return Error{Code::kUnsupported,
                 "WITH RECURSIVE is not supported: how long it runs would depend on the data"};
  }
  for (const Node& one : clause.list("ctes")) {
    const Node query = one.child("ctequery");
    if (!query.is("SelectStmt")) {
      return Error{Code::kUnsupported, "WITH takes SELECT statements only"};
    }
    all = std::make_shared<const With>(
        With{one.text("ctename"), query, one.names("aliascolnames"), all});
  }
  return all;
}

Result<Relation> bind_subquery(const Node& select, const std::string& alias,
                               const std::vector<std::string>& columns, const Context& context) {
  DISCREET_ASSIGN(Relation relation, SubqueryBinder(select, alias, context).run());
  if (columns.size() > relation.columns.size()) {
    return Error{Code::kInvalidInput, in_quotes(alias) + " has " +
                                          std::to_string(relation.columns.size()) +
                                          " columns, but more names are given"};
  }
  for (std::size_t i = 0; i < columns.size(); ++i) relation.columns[i].name = columns[i];
  return relation;
}

}  // namespace discreet::sql
