// SPDX-License-Identifier: Apache-2.0
// The canonical text of a question: what two plans share exactly if they ask the same thing at the
// same price, up to rewritings that keep every value, NULLs included:
//   AND, OR          flattened, sorted, without repetitions
//   =, +, *          sides sorted
//   NOT NOT x, NOT (a < b), NOT (a <= b)     x, b <= a, b < a
//   x IN (...)       sorted, without repetitions; one value: =
// Otherwise the text is injective: every part is tagged, and lengths stand before what varies.
#include <algorithm>
#include <utility>

#include "plan/plan.h"

namespace discreet::plan {
namespace {

std::string framed(const std::string& text) { return std::to_string(text.size()) + ":" + text; }

std::string text_of(const Rational& number) {
  return number.numerator().get_str() + "/" + number.denominator().get_str();
}

std::string text_of(const std::optional<Grid>& grid) {
  return grid ? "g" + text_of(grid->low) + "," + text_of(grid->high) + "," + text_of(grid->step)
              : "-";
}

std::string text_of(const Value& value) {
  const std::string type = std::to_string(static_cast<int>(value.type));
  switch (value.data.index()) {
    case 0:
      return type + "n";
    case 1:
      return type + (std::get<bool>(value.data) ? "t" : "f");
    case 2:
      return type + "r" + text_of(value.number());
    default:
      return type + "s" + framed(value.text());
  }
}

std::string text_of(const Expr& expr) {
  std::string text = "(" + std::to_string(static_cast<int>(expr.op));
  if (expr.op == Op::kColumn) text += " c" + std::to_string(expr.table);
  if (expr.op == Op::kLiteral) text += " v" + text_of(expr.value);
  text += " " + framed(expr.name) + text_of(expr.grid);
  for (const Expr& arg : expr.args) text += text_of(arg);
  return text + ")";
}

void sort_unique(std::vector<Expr>& args, std::size_t from, bool unique) {
  // Each text is made once: chains may have thousands of links.
  std::vector<std::pair<std::string, Expr>> rest;
  for (std::size_t i = from; i < args.size(); ++i) {
    std::string text = text_of(args[i]);
    rest.emplace_back(std::move(text), std::move(args[i]));
  }
  args.resize(from);
  std::stable_sort(rest.begin(), rest.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t i = 0; i < rest.size(); ++i) {
    if (unique && i > 0 && rest[i].first == rest[i - 1].first) continue;
    args.push_back(std::move(rest[i].second));
  }
}

Expr normal_connective(Expr expr) {
  std::vector<Expr> flat;
  for (Expr& arg : expr.args) {
    if (arg.op == expr.op) {
      std::move(arg.args.begin(), arg.args.end(), std::back_inserter(flat));
    } else {
      flat.push_back(std::move(arg));
    }
  }
  sort_unique(flat, 0, true);
  if (flat.size() == 1) return std::move(flat.front());
  expr.args = std::move(flat);
  return expr;
}

Expr normal_not(Expr expr) {
  if (expr.args.size() != 1) return expr;
  Expr& inner = expr.args[0];
  if (inner.op == Op::kNot && inner.args.size() == 1) return Expr(std::move(inner.args[0]));
  if ((inner.op != Op::kLess && inner.op != Op::kLessEqual) || inner.args.size() != 2) return expr;
  return Expr::of(inner.op == Op::kLess ? Op::kLessEqual : Op::kLess,
                  {std::move(inner.args[1]), std::move(inner.args[0])});
}

std::string text_of(const Source& source);

std::string text_of(const Part& part) {
  std::string text = part.grouped ? "\ngroup" : "\npart";
  text += text_of(part.source);
  text += "\nwhere " + (part.filter ? text_of(normal(*part.filter)) : "-");
  for (const Field& field : part.fields) {
    text += "\nfield " + framed(field.name) + std::to_string(static_cast<int>(field.fold)) + " " +
            (field.expr ? text_of(normal(*field.expr)) : "-") + " " + text_of(field.grid);
  }
  return text;
}

std::string text_of(const TableUse& use) {
  std::vector<std::string> on;
  for (const JoinOn& join : use.on) {
    on.push_back(std::to_string(join.left_table) + framed(join.left) + framed(join.right));
  }
  std::sort(on.begin(), on.end());
  on.erase(std::unique(on.begin(), on.end()), on.end());
  std::string text = "\ntable " + framed(use.table);
  for (const std::string& join : on) text += " on " + join;
  if (use.join != JoinKind::kInner) text += " join " + std::to_string(static_cast<int>(use.join));
  if (use.condition) text += " if " + text_of(normal(*use.condition));
  if (use.limits) {
    text += " limits " + std::to_string(use.limits->rows_per_unit) + " " +
            std::to_string(use.limits->rows_per_key);
  }
  for (const Part& part : use.parts) {
    const std::string inside = text_of(part);
    text += " part " + framed(inside);
  }
  return text;
}

std::string text_of(const Source& source) {
  std::string text;
  for (const TableUse& use : source.tables) text += text_of(use);
  return text;
}

std::string text_of(const Measurement& m) {
  std::string text = std::to_string(static_cast<int>(m.kind)) + " " +
                     (m.argument ? text_of(normal(*m.argument)) : "-") + " " + text_of(m.clamp) +
                     " " + text_of(m.centre) + " " + text_of(m.weight);
  if (m.intervals) text += " intervals";
  for (const Rational& fraction : m.fractions) text += " at " + text_of(fraction);
  return text;
}

}  // namespace

std::size_t Plan::place_of(std::size_t measurement, std::size_t number) const {
  std::size_t place = number;
  for (std::size_t i = 0; i < measurement; ++i) place += measurements[i].numbers();
  return place;
}

Expr normal(const Expr& expr) {
  Expr out = expr;
  for (Expr& arg : out.args) arg = normal(arg);
  switch (out.op) {
    case Op::kAnd:
    case Op::kOr:
      return normal_connective(std::move(out));
    case Op::kNot:
      return normal_not(std::move(out));
    case Op::kEqual:
    case Op::kAdd:
    case Op::kMultiply:
      sort_unique(out.args, 0, false);
      return out;
    case Op::kIn:
      if (out.args.empty()) return out;
      sort_unique(out.args, 1, true);
      if (out.args.size() == 2) return normal(Expr::of(Op::kEqual, std::move(out.args)));
      return out;
    default:
      return out;
  }
}

std::string canonical(const Plan& plan) {
  std::string text = "plan 1" + text_of(plan.source);
  text += "\nfilter " + (plan.filter ? text_of(normal(*plan.filter)) : "-");
  for (const Key& key : plan.keys) text += "\nkey " + text_of(normal(key.expr));
  for (const Measurement& m : plan.measurements) text += "\nmeasure " + text_of(m);
  text += "\nbounds " + std::to_string(plan.bounds.groups_per_unit) + " " +
          std::to_string(plan.bounds.rows_per_unit_and_group) +
          (plan.bounds.declared ? "" : " policy");
  text += "\nepsilon " + text_of(plan.epsilon.value()) + "\ndelta " + text_of(plan.delta.value()) +
          "\nselection " + text_of(plan.selection_weight) + "\n";
  return text;
}

}  // namespace discreet::plan
