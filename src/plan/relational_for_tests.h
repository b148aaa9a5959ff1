// SPDX-License-Identifier: Apache-2.0
// Random questions over subqueries and joins of the test clinic: semi, anti and left joins, groups
// within a person, DISTINCT, UNION ALL, nested; and joins of two people's rows.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "plan/random_for_tests.h"

namespace discreet::plan {

inline Field value(const std::string& name) { return {name, Fold::kValue, col(name), {}}; }
inline Field identifier(const std::string& name, const std::string& of, std::size_t table = 0) {
  return {name, Fold::kIdentifier, col(of, table), {}};
}
inline Field fold(const std::string& name, Fold how, std::optional<Expr> expr,
                  std::optional<Grid> grid = {}) {
  return {name, how, std::move(expr), std::move(grid)};
}

inline TableUse subquery(std::vector<Part> parts, std::vector<JoinOn> on = {},
                         JoinKind join = JoinKind::kInner) {
  TableUse use;
  use.alias = "s";
  use.on = std::move(on);
  use.join = join;
  use.parts = std::move(parts);
  return use;
}

// The fields of anything that is like visits: some person's rows.
inline std::vector<Field> visit_fields() {
  return {identifier("patient_id", "patient_id"), value("age"), value("change"), value("clinic"),
          value("urgent")};
}

inline Part labs_of_visits(Random& random) {
  Part part{from("labs"), {}, {identifier("visit_id", "visit_id"), value("value")}};
  if (up_to(random, 1) == 0) part.filter = Expr::of(Op::kLess, {num(0), col("value")});
  return part;
}

inline Part counts(TableUse visits);

inline Part visit_part(Random& random, int depth) {
  Part part{from("visits"), {}, visit_fields()};
  const int kind = up_to(random, depth > 0 ? 8 : 6);
  if (kind == 1) {
    part.source.tables.push_back({"patients", "", {{0, "patient_id", "id"}}});
    part.filter = Expr::of(Op::kLess, {col("weight", 1), num(100)});
  } else if (kind == 2 || kind == 3) {
    const JoinKind join = kind == 2 ? JoinKind::kSemi : JoinKind::kAnti;
    part.source.tables.push_back(subquery({labs_of_visits(random)}, {{0, "id", "visit_id"}}, join));
    if (up_to(random, 1) == 0) {
      part.source.tables.back().condition = Expr::of(Op::kLess, {col("value", 1), col("age", 0)});
    }
  } else if (kind == 4) {
    part.source.tables.push_back(
        subquery({labs_of_visits(random)}, {{0, "id", "visit_id"}}, JoinKind::kLeft));
    if (up_to(random, 1) == 0) part.filter = Expr::of(Op::kIsNull, {col("value", 1)});
  } else if (kind == 5) {  // only what the person does often
    TableUse often = subquery({counts({"visits", "", {}})}, {{0, "patient_id", "patient_id"}},
                              up_to(random, 1) == 0 ? JoinKind::kSemi : JoinKind::kLeft);
    often.condition = Expr::of(Op::kLess, {num(1), col("n", 1)});
    part.source.tables.push_back(often);
  } else if (kind >= 7) {
    std::vector<Part> parts = {visit_part(random, depth - 1)};
    if (kind == 8) parts.push_back(visit_part(random, depth - 1));
    part.source = {{subquery(std::move(parts))}};
  }
  if (up_to(random, 2) == 0) {  // DISTINCT
    part.grouped = true;
  }
  return part;
}

// Per person: what is done how often.
inline Part counts(TableUse visits) {
  return {{{std::move(visits)}},
          {},
          {identifier("patient_id", "patient_id"), fold("n", Fold::kRows, {}, Grid{0, 3, 1}),
           fold("s", Fold::kSum, col("change"), Grid{-4, 6, 1}),
           fold("d", Fold::kDistinct, col("clinic"), Grid{0, 2, 1}),
           fold("least", Fold::kLeast, col("age")), fold("most", Fold::kGreatest, col("change")),
           fold("mean", Fold::kMean, col("change"))},
          true};
}

inline TableUse visit_like(Random& random, std::vector<JoinOn> on = {}) {
  std::vector<Part> parts = {visit_part(random, 2)};
  if (up_to(random, 3) == 0) parts.push_back(visit_part(random, 1));
  return subquery(std::move(parts), std::move(on));
}

inline TableUse per_person(Random& random, std::vector<JoinOn> on = {},
                           JoinKind join = JoinKind::kInner) {
  return subquery({counts(visit_like(random))}, std::move(on), join);
}

inline void rename(Expr& expr, std::size_t table, const std::map<std::string, std::string>& names) {
  if (expr.op == Op::kColumn && expr.table == table) expr.name = names.at(expr.name);
  for (Expr& arg : expr.args) rename(arg, table, names);
}

/// Gives the fields of all subqueries names that some database takes for one another: of different
/// case, alike in their first 63 bytes, those that the lowering uses itself. `uses`: what is said
/// about the source.
inline void confuse_names(Random& random, Source& source, const std::vector<Expr*>& uses) {
  const std::string long_one(63, 'a');
  for (std::size_t t = 0; t < source.tables.size(); ++t) {
    TableUse& use = source.tables[t];
    if (!use.is_subquery()) continue;
    std::vector<std::string> pool = {"patient_id", "PATIENT_ID",   "Patient_id",  "n",    "N",
                                     "f0",         "F1",           "k0",          "UNIT", "t0",
                                     "unit",       "id",           "Id",          "c0",   "x~n~",
                                     long_one,     long_one + "b", long_one + "c"};
    std::map<std::string, std::string> names;
    for (const Field& field : use.parts.front().fields) {
      const auto chosen = pool.begin() + up_to(random, static_cast<int>(pool.size()) - 1);
      names[field.name] = *chosen;
      pool.erase(chosen);
    }
    for (Part& part : use.parts) {
      std::vector<Expr*> inside;
      if (part.filter) inside.push_back(&*part.filter);
      for (Field& field : part.fields) {
        field.name = names.at(field.name);
        if (field.expr) inside.push_back(&*field.expr);
      }
      confuse_names(random, part.source, inside);
    }
    for (std::size_t other = t; other < source.tables.size(); ++other) {
      TableUse& joined = source.tables[other];
      if (joined.condition) rename(*joined.condition, t, names);
      for (JoinOn& on : joined.on) {
        if (other == t) on.right = names.at(on.right);
        if (on.left_table == t) on.left = names.at(on.left);
      }
    }
    for (Expr* expr : uses) rename(*expr, t, names);
  }
}

struct RelationalQuestion {
  Plan plan;
  std::vector<std::string> numbers;  // of the last table
  std::vector<std::string> keys;
};

inline RelationalQuestion random_question(Random& random, bool pairs) {
  const std::vector<std::string> visit_numbers = {"age", "change"};
  const std::vector<std::string> person_numbers = {"n", "s", "d", "least", "most", "mean"};
  const std::vector<std::string> visit_keys = {"clinic", "urgent"};
  const JoinOn same = {0, "patient_id", "patient_id"};
  RelationalQuestion q;
  auto& tables = q.plan.source.tables;
  if (pairs) {
    const auto limits = [&] { return PairLimits{1 + up_to(random, 1), 1 + up_to(random, 1)}; };
    const std::string on = one_of_these<std::string>(random, {"clinic", "urgent", "change"});
    tables = {visit_like(random), visit_like(random, {{0, on, on}})};
    tables[0].limits = limits();
    tables[1].limits = limits();
    q.numbers = visit_numbers;
    q.keys = visit_keys;
    return q;
  }
  switch (up_to(random, 5)) {
    case 0:
      tables = {visit_like(random)};
      q.numbers = visit_numbers;
      q.keys = visit_keys;
      break;
    case 1:
      tables = {per_person(random)};
      q.numbers = person_numbers;
      q.keys = {"n", "d"};
      break;
    case 2:  // also who never came
      tables = {{"patients", "p", {}},
                per_person(random, {{0, "id", "patient_id"}}, JoinKind::kLeft)};
      q.numbers = person_numbers;
      q.keys = {"n", "d"};
      break;
    case 3:
      tables = {visit_like(random), per_person(random, {same})};
      q.numbers = person_numbers;
      q.keys = {"n"};
      break;
    case 4:  // every pair of visits of one person
      tables = {visit_like(random), visit_like(random, {same})};
      q.numbers = visit_numbers;
      q.keys = visit_keys;
      break;
    default:  // two labs of one visit: both paths lead to the visit
      tables = {{"labs", "x", {}}, {"labs", "y", {{0, "visit_id", "visit_id"}}}};
      q.numbers = {"value"};
      break;
  }
  return q;
}

inline Plan random_relational(Random& random, bool pairs) {
  RelationalQuestion q = random_question(random, pairs);
  const std::size_t last = q.plan.source.tables.size() - 1;
  const auto number = [&] { return col(one_of_these(random, q.numbers), last); };
  if (up_to(random, 2) == 0) q.plan.filter = Expr::of(Op::kLess, {num(0), number()});
  if (!q.keys.empty() && up_to(random, 1) == 0) {
    q.plan.keys = {{col(one_of_these(random, q.keys), last), "k"}};
  }
  for (int i = 0; i <= up_to(random, 2); ++i) {
    const auto kind = static_cast<MeasureKind>(up_to(random, 5));
    Measurement m = measurement(kind);
    if (kind == MeasureKind::kUnits && pairs) m.kind = MeasureKind::kRows;
    if (kind != MeasureKind::kUnits && kind != MeasureKind::kRows) m.argument = number();
    if (kind == MeasureKind::kQuantile) m.fractions = {Rational::ratio(1, 2)};
    if (kind == MeasureKind::kSum) m.centre = up_to(random, 2);
    q.plan.measurements.push_back(std::move(m));
  }
  q.plan.bounds = {1 + up_to(random, 2), 1 + up_to(random, 2), true};
  q.plan.delta = Delta::trusted(Rational::ratio(1, 1000));
  std::vector<Expr*> uses;
  if (q.plan.filter) uses.push_back(&*q.plan.filter);
  for (Key& key : q.plan.keys) uses.push_back(&key.expr);
  for (Measurement& m : q.plan.measurements) {
    if (m.argument) uses.push_back(&*m.argument);
  }
  confuse_names(random, q.plan.source, uses);
  return q.plan;
}

}  // namespace discreet::plan
