// SPDX-License-Identifier: Apache-2.0
#include "plan/expression.h"

namespace discreet::plan {
namespace {

Result<void> check_size_at(const Expr& expr, std::size_t depth, std::size_t& parts) {
  if (depth > kDepthMax) {
    return invalid_input("an expression is nested more than " + std::to_string(kDepthMax) +
                         " deep; write it flatter");
  }
  if (++parts > kPartsMax) {
    return invalid_input("an expression has more than " + std::to_string(kPartsMax) +
                         " parts; shorten it");
  }
  for (const Expr& arg : expr.args) DISCREET_TRY(check_size_at(arg, depth + 1, parts));
  return {};
}

}  // namespace

Expr Expr::literal(Value value) {
  Expr expr;
  expr.op = Op::kLiteral;
  expr.value = std::move(value);
  return expr;
}

Expr Expr::column(std::size_t table, std::string name) {
  Expr expr;
  expr.op = Op::kColumn;
  expr.table = table;
  expr.name = std::move(name);
  return expr;
}

Expr Expr::of(Op op, std::vector<Expr> args, std::string name) {
  Expr expr;
  expr.op = op;
  expr.args = std::move(args);
  expr.name = std::move(name);
  return expr;
}

Result<void> check_size(const Expr& expr) {
  std::size_t parts = 0;
  return check_size_at(expr, 1, parts);
}

}  // namespace discreet::plan
