// SPDX-License-Identifier: Apache-2.0
// Views: SELECT statements that the policy names. A view gives no right that its tables do not
// give: it is bound like a subquery, by the same rules.
#include <algorithm>

#include "base/suggest.h"
#include "sql/dialect.h"
#include "sql/scope.h"

namespace discreet::sql {
namespace {

Result<Relation> bind_text(const std::string& select, const std::string& alias,
                           const std::vector<std::string>& columns, Context context) {
  DISCREET_ASSIGN(const Text text, Text::read(select));
  DISCREET_ASSIGN(const std::vector<Token> tokens, scan(text));
  DISCREET_ASSIGN(const Dialect dialect, read_dialect(text, tokens));
  DISCREET_ASSIGN(const Statement statement, parse(text, tokens, dialect.sql));
  const Node root = statement.root();
  if (!root.is("SelectStmt") || !dialect.options.empty()) {
    return invalid_input("it must be one SELECT, without OPTIONS");
  }
  context.text = &text;
  context.dialect = &dialect;
  context.with = nullptr;
  return bind_subquery(root, alias, columns, context);
}

}  // namespace

Result<Relation> bind_view(const std::string& view, const std::string& alias,
                           const std::vector<std::string>& columns, const Context& context) {
  if (std::ranges::count(context.views, view) > 0) {
    return invalid_input("the policy's view " + in_quotes(view) + " refers to itself");
  }
  Context inside = context;
  inside.views.push_back(view);
  auto relation = bind_text(context.policy->views.at(view), alias, columns, inside);
  if (!relation) {
    return Error{relation.error().code,
                 "in the policy's view " + in_quotes(view) + ": " + relation.error().message};
  }
  return relation;
}

}  // namespace discreet::sql
