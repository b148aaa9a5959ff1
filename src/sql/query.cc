// SPDX-License-Identifier: Apache-2.0
#include "sql/query.h"

#include <algorithm>

#include "sql/binder.h"
#include "sql/parse.h"
#include "sql/scan.h"
#include "sql/settings.h"

namespace discreet::sql {
namespace {

// Clauses of a SELECT that are refused, and what to do instead.
struct Clause {
  const char* field;
  const char* message;
};

constexpr Clause kRefused[] = {
    {"valuesLists", "VALUES has no data to ask about; write SELECT ... FROM a table"},
    {"distinctClause", "SELECT DISTINCT is for subqueries; here use GROUP BY"},
    {"intoClause", "SELECT INTO is not supported; nothing can be written"},
    {"windowClause", "windows are not supported; use GROUP BY"},
    {"lockingClause", "FOR UPDATE and FOR SHARE are not supported; nothing can be locked"},
};

Result<void> check_statement(const Node& root, const Text& text) {
  if (!root.is("SelectStmt")) {
    return Error{Code::kUnsupported,
                 "only a SELECT statement is accepted: nothing can be written, set, explained or "
                 "defined here"};
  }
  const std::string operation = root.text("op");
  if (!operation.empty() && operation != "SETOP_NONE") {
    return Error{Code::kUnsupported,
                 "UNION, INTERSECT and EXCEPT of answers are not supported; ask one question for "
                 "each, or put UNION ALL into a subquery in FROM"};
  }
  for (const Clause& clause : kRefused) {
    if (root.has(clause.field)) return Error{Code::kUnsupported, clause.message};
  }
  if (root.flag("groupDistinct")) {
    return Error{Code::kUnsupported, "write GROUP BY without DISTINCT"};
  }
  if (root.text("limitOption") == "LIMIT_OPTION_WITH_TIES") {
    return Error{Code::kUnsupported, "WITH TIES is not supported; write LIMIT n"};
  }
  for (const Node& target : root.list("targetList")) {
    const auto fields = target.child("val").list("fields");
    if (std::ranges::any_of(fields, [](const Node& field) { return field.is("A_Star"); })) {
      return text.error(Code::kUnsupported, target.place(),
                        "* would show rows; ask for aggregates, e.g. SELECT COUNT(*)");
    }
  }
  return {};
}

}  // namespace

Result<Query> bind(std::string_view sql, const Options& options, const policy::Policy& policy) {
  DISCREET_ASSIGN(const Text text, Text::read(sql));
  DISCREET_ASSIGN(const std::vector<Token> tokens, scan(text));
  DISCREET_ASSIGN(const Dialect dialect, read_dialect(text, tokens));
  DISCREET_ASSIGN(const Statement statement, parse(text, tokens, dialect.sql));
  const Node root = statement.root();
  DISCREET_TRY(check_statement(root, text));
  Context context;
  context.text = &text;
  context.policy = &policy;
  context.dialect = &dialect;
  context.subqueries = std::make_shared<int>(0);
  context.notes = std::make_shared<std::vector<std::string>>();
  DISCREET_TRY(read_limits(options, dialect, context));
  DISCREET_ASSIGN(context.with, read_with(root, context));
  DISCREET_ASSIGN(const Scope scope, Scope::bind(root, context));
  DISCREET_ASSIGN(Query query, Binder(root, scope, dialect, options).run());
  for (const std::string& note : *context.notes) {
    if (std::ranges::count(query.notes, note) == 0) query.notes.push_back(note);
  }
  drop_unused(query.plan);
  return query;
}

}  // namespace discreet::sql
