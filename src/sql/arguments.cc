// SPDX-License-Identifier: Apache-2.0
// What stands between the parentheses of an aggregate, and behind them.
#include <algorithm>
#include <utility>

#include "policy/value.h"
#include "sql/aggregates.h"

namespace discreet::sql {
namespace {

using plan::Expr;
using plan::Grid;
using plan::Op;

const char* const kPerGroup = "contribution_bounds_per_group";
const char* const kPerRow = "contribution_bounds_per_row";

Rational outward(const Rational& value, const Rational& step, Round direction) {
  const Rational steps = value / step;
  return Rational(direction == Round::kDown ? steps.floor() : steps.ceil()) * step;
}

}  // namespace

Result<Call> read_call(const Node& node, const Text& text) {
  Call call{.name = function_name(node),
            .place = node.place(),
            .args = {},
            .named = {},
            .within = std::nullopt,
            .descending = false,
            .star = node.flag("agg_star"),
            .distinct = node.flag("agg_distinct"),
            .filter = node.child("agg_filter")};
  if (node.has("over")) {
    return text.error(Code::kUnsupported, call.place,
                      "window functions are not supported; use GROUP BY");
  }
  if (node.flag("func_variadic")) {
    return text.error(Code::kUnsupported, call.place, "VARIADIC is not supported");
  }
  for (const Node& arg : node.list("args")) {
    if (!arg.is("NamedArgExpr")) {
      call.args.push_back(arg);
    } else if (!call.named.emplace(arg.text("name"), arg.child("arg")).second) {
      return text.error(Code::kInvalidInput, arg.place(), arg.text("name") + " is given twice");
    }
  }
  const std::vector<Node> order = node.list("agg_order");
  if (!order.empty() && (!node.flag("agg_within_group") || order.size() > 1)) {
    return text.error(Code::kUnsupported, call.place,
                      "ORDER BY inside an aggregate is not supported but as WITHIN GROUP (ORDER BY "
                      "x)");
  }
  if (!order.empty()) {
    call.within = order.front().child("node");
    call.descending = order.front().text("sortby_dir") == "SORTBY_DESC";
  }
  return call;
}

bool is_private_choice(const Node& node) {
  return node.is("ColumnRef") && node.names("fields") == std::vector<std::string>{"auto"};
}

Error no_private_choice(const Text& text, Place place) {
  return text.error(Code::kUnsupported, place,
                    "only a SUM(x), COUNT(*) or COUNT(x) that is released has its "
                    "contribution_bounds_per_group chosen privately; write (low, high)");
}

Result<std::optional<BoundsPair>> read_bounds(const Call& call, const Rows& rows,
                                              const Text& text) {
  const auto error = [&](Code code, Place place, const std::string& message) {
    return text.error(code, place, message);
  };
  std::optional<BoundsPair> out;
  for (const auto& [name, node] : call.named) {
    if (name == "bins" && call.name == "histogram") continue;
    if (name != kPerGroup && name != kPerRow) {
      return error(Code::kInvalidInput, node.place(),
                   "there is no argument " + in_quotes(name) +
                       " here; there is contribution_bounds_per_group => (low, high)");
    }
    if (is_private_choice(node)) return no_private_choice(text, node.place());
    const std::vector<Node> ends = node.list("args");
    const bool pair = node.is("RowExpr") && ends.size() == 2;
    if (!pair || out) {
      return error(Code::kInvalidInput, node.place(), "write one " + name + " => (low, high)");
    }
    DISCREET_ASSIGN(const Typed low, rows.bind(ends[0]));
    DISCREET_ASSIGN(const Typed high, rows.bind(ends[1]));
    for (const Typed& end : {low, high}) {
      if (end.is_null() || !end.is_literal() || !end.is_number()) {
        return error(Code::kInvalidInput, end.place, "a bound must be a constant number");
      }
    }
    out = BoundsPair{low.expr.value.number(), high.expr.value.number(), node.place()};
    if (out->low > out->high) {
      return error(Code::kInvalidInput, out->place,
                   "the bounds are reversed; the lower one comes first");
    }
  }
  return out;
}

Result<Argument> Aggregates::argument(const Call& call, const Node& node) const {
  Argument out;
  DISCREET_ASSIGN(out.value, rows_.bind(node));
  if (out.value.is_literal() && !out.value.is_null()) {
    return error(Code::kUnsupported, out.value.place,
                 "an aggregate of a constant says nothing about the data; use a column, or "
                 "COUNT(*)");
  }
  if (call.filter) {
    DISCREET_ASSIGN(Typed kept, rows_.condition(call.filter));
    const Expr null = Expr::literal({{}, out.value.type});
    out.value.expr = Expr::of(Op::kCase, {std::move(kept.expr), std::move(out.value.expr), null});
  }
  DISCREET_ASSIGN(out.shape, rows_.shape(out.value, plan::Use::kAggregate));
  return out;
}

Result<Argument> Aggregates::ranged(const Call& call, const Node& node) const {
  DISCREET_ASSIGN(Argument out, argument(call, node));
  if (!out.shape.grid) {
    return error(Code::kInvalidInput, out.value.place,
                 call.name + " needs numbers; this has type " + policy::to_string(out.value.type) +
                     (out.value.type == policy::Type::kBoolean
                          ? "; count with COUNT(*) FILTER (WHERE ...)"
                          : "; count with COUNT(DISTINCT ...) or group by it"));
  }
  DISCREET_ASSIGN(const std::optional<BoundsPair> bounds, read_bounds(call, rows_, scope_.text()));
  if (bounds) {
    const Grid& own = *out.shape.grid;
    const Grid clamp = {std::max(own.low, outward(bounds->low, own.step, Round::kDown)),
                        std::min(own.high, outward(bounds->high, own.step, Round::kUp)), own.step};
    if (clamp.low > clamp.high) {
      const policy::GridText range = policy::grid_text(out.value.type, own);
      return error(
          Code::kInvalidInput, bounds->place,
          "the bounds lie outside of the declared range [" + range.low + ", " + range.high + "]");
    }
    if (!(clamp == own) || !out.shape.declared) out.clamp = clamp;
  } else if (!out.shape.declared) {
    return error(Code::kRefused, out.value.place,
                 "the policy declares no range for this; the owner can add one, or write " +
                     call.name + "(..., contribution_bounds_per_group => (low, high))");
  }
  return out;
}

Result<void> Aggregates::bound_rows(const BoundsPair& bounds) {
  const Rational& high = bounds.high;
  const bool whole = high.denominator() == 1 && high >= Rational(1) && high <= Rational(1'000'000);
  if (bounds.low != Rational(0) || !whole) {
    return error(Code::kInvalidInput, bounds.place,
                 "the bounds of a COUNT are (0, rows), rows a whole number from 1");
  }
  const auto rows = static_cast<std::int64_t>(to_int128(high.numerator()));
  if (rows_bound_ && *rows_bound_ != rows) {
    return error(Code::kInvalidInput, bounds.place,
                 "another COUNT has a different bound; a question keeps the same rows for all its "
                 "aggregates");
  }
  rows_bound_ = rows;
  return {};
}

}  // namespace discreet::sql
