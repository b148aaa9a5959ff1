// SPDX-License-Identifier: Apache-2.0
#include "plan/text_work.h"

#include <algorithm>

namespace discreet::plan {
namespace {

// P, E and S: a Plan, an Expr and a Source, or const ones. `f` sees every part of every expression.
template <class E, class F>
void visit_parts(E& expr, const F& f) {
  f(expr);
  for (auto& arg : expr.args) visit_parts(arg, f);
}

template <class E, class F>
void visit_if_any(E& expr, const F& f) {
  if (expr) visit_parts(*expr, f);
}

template <class S, class F>
void visit_source(S& source, const F& f) {
  for (auto& use : source.tables) {
    visit_if_any(use.condition, f);
    for (auto& part : use.parts) {
      visit_source(part.source, f);
      visit_if_any(part.filter, f);
      for (auto& field : part.fields) visit_if_any(field.expr, f);
    }
  }
}

template <class P, class F>
void visit_plan(P& plan, const F& f) {
  visit_source(plan.source, f);
  visit_if_any(plan.filter, f);
  for (auto& key : plan.keys) visit_parts(key.expr, f);
  for (auto& measurement : plan.measurements) visit_if_any(measurement.argument, f);
}

template <class F>
std::size_t sum_of(const Plan& plan, const F& count) {
  std::size_t sum = 0;
  visit_plan(plan, [&](const Expr& expr) { sum += count(expr); });
  return sum;
}

bool makes_text(const Expr& expr) {
  return expr.op == Op::kConcat || expr.op == Op::kLower || expr.op == Op::kUpper ||
         expr.op == Op::kTrim || expr.op == Op::kSubstring;
}

/// How many shares of kCharactersSeen it takes for each of its texts.
std::size_t shares(const Expr& expr) {
  if (!makes_text(expr)) return 0;
  return expr.op == Op::kConcat && expr.args.size() > 2 ? expr.args.size() - 1 : 1;
}

std::size_t bytes_looked_for(const Expr& expr) {
  if (expr.op == Op::kLength) return kPatternBytesLeast;
  if (expr.op != Op::kLike) return 0;
  return std::max(expr.args[1].value.text().size(), kPatternBytesLeast);
}

}  // namespace

std::size_t texts_made(const Plan& plan) { return sum_of(plan, makes_text); }

Result<void> check_text_work(const Plan& plan) {
  const std::size_t count = texts_made(plan);
  if (count <= kTextsMadeMax) return {};
  return Error{Code::kUnsupported,
               "the question makes " + std::to_string(count) +
                   " texts of a row (||, lower, upper, trim, substring); at most " +
                   std::to_string(kTextsMadeMax) + " are allowed, ask several questions"};
}

void share_characters(Plan& plan) {
  const auto count = static_cast<std::int64_t>(sum_of(plan, shares));
  if (count == 0) return;
  const Value each{Rational(std::max<std::int64_t>(1, kCharactersSeen / count)), Type::kInteger};
  visit_plan(plan, [&](Expr& expr) {
    if (makes_text(expr)) expr.value = each;
  });
}

std::int64_t characters_seen(const Expr& expr) {
  return expr.value.is_null() ? kCharactersSeen : expr.value.number().numerator().get_si();
}

std::size_t pattern_bytes(const Plan& plan) { return sum_of(plan, bytes_looked_for); }

Result<void> check_pattern_work(const Plan& plan) {
  const std::size_t count = pattern_bytes(plan);
  if (count <= kPatternBytesMax) return {};
  return Error{Code::kUnsupported,
               "the patterns of LIKE and ILIKE have " + std::to_string(count) +
                   " bytes in all (each counts as " + std::to_string(kPatternBytesLeast) +
                   " at least, as does a LENGTH); at most " + std::to_string(kPatternBytesMax) +
                   " are allowed: ask several questions, or compare with IN what needs no pattern"};
}

}  // namespace discreet::plan
