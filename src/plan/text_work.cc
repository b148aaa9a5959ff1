// SPDX-License-Identifier: Apache-2.0
#include "plan/text_work.h"

namespace discreet::plan {
namespace {

bool makes_text(Op op) {
  return op == Op::kConcat || op == Op::kLower || op == Op::kUpper || op == Op::kTrim ||
         op == Op::kSubstring;
}

std::size_t made(const Expr& expr) {
  std::size_t count = makes_text(expr.op) ? 1 : 0;
  for (const Expr& arg : expr.args) count += made(arg);
  return count;
}

std::size_t made(const std::optional<Expr>& expr) { return expr ? made(*expr) : 0; }

std::size_t made(const Source& source) {
  std::size_t count = 0;
  for (const TableUse& use : source.tables) {
    count += made(use.condition);
    for (const Part& part : use.parts) {
      count += made(part.source) + made(part.filter);
      for (const Field& field : part.fields) count += made(field.expr);
    }
  }
  return count;
}

}  // namespace

std::size_t texts_made(const Plan& plan) {
  std::size_t count = made(plan.source) + made(plan.filter);
  for (const Key& key : plan.keys) count += made(key.expr);
  for (const Measurement& measurement : plan.measurements) count += made(measurement.argument);
  return count;
}

Result<void> check_text_work(const Plan& plan) {
  const std::size_t count = texts_made(plan);
  if (count <= kTextsMadeMax) return {};
  return Error{Code::kUnsupported,
               "the question makes " + std::to_string(count) +
                   " texts of a row (||, lower, upper, trim, substring); at most " +
                   std::to_string(kTextsMadeMax) + " are allowed, ask several questions"};
}

}  // namespace discreet::plan
