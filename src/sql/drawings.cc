// SPDX-License-Identifier: Apache-2.0
// Aggregates that return rows: HISTOGRAM and TOP_K (and MODE, which is TOP_K of one) add a key of
// their own, BOXPLOT gives five columns.
#include <algorithm>
#include <array>
#include <utility>

#include "sql/binder.h"

namespace discreet::sql {
namespace {

using plan::Expr;
using plan::Grid;
using plan::Op;
using policy::Type;

constexpr std::int64_t kBinsMax = 10'000;
constexpr std::int64_t kBestMax = 100'000;

bool is_drawing(const Node& node) {
  if (!node.is("FuncCall")) return false;
  const std::string name = function_name(node);
  return name == "histogram" || name == "boxplot" || name == "top_k" || name == "mode";
}

// Bins of one width, a multiple of the step, from the range's low end; the last one may reach past
// its high end.
Grid bins_of(const Grid& range, std::int64_t bins) {
  const Rational steps = (range.high - range.low) / range.step / Rational(bins);
  const Rational width = std::max(Rational(1), Rational(steps.ceil())) * range.step;
  const Rational count = std::max(Rational(1), Rational(((range.high - range.low) / width).ceil()));
  return {range.low, range.low + count * width, width};
}

Post constant(const Rational& value) { return Post::constant({value, Type::kDecimal}); }

}  // namespace

Result<Node> Binder::find_drawing() const {
  Node found;
  for (const Node& one : targets_) {
    const Node value = one.child("val");
    if (!is_drawing(value)) continue;
    if (found) {
      return error(Code::kUnsupported, value.place(),
                   "HISTOGRAM, BOXPLOT, TOP_K and MODE return rows; ask for one of them at a time");
    }
    found = value;
  }
  return found;
}

Result<void> Binder::bind_drawing(const Node& call) {
  DISCREET_ASSIGN(const Call read, read_call(call, scope_.text()));
  std::string name;
  for (const Node& one : targets_) {
    if (is_drawing(one.child("val"))) {
      name = one.text("name");
      continue;
    }
    if (has_aggregate(one.child("val"))) {
      return error(Code::kUnsupported, one.place(),
                   read.name +
                       " returns rows: it must be the only thing in SELECT beside the "
                       "columns of GROUP BY");
    }
    DISCREET_TRY(bind_output(one));
  }
  if (read.star || read.distinct) {
    return error(Code::kUnsupported, read.place, "write " + read.name + "(x)");
  }
  if (read.name == "histogram") return bind_histogram(read);
  if (read.name == "boxplot") return bind_boxplot(read);
  return bind_top_k(read);
}

Result<void> Binder::bind_histogram(const Call& call) {
  std::int64_t bins = 20;
  const auto named = call.named.find("bins");
  if (named != call.named.end() || call.args.size() == 2) {
    const Node& node = named != call.named.end() ? named->second : call.args[1];
    bins = node.is("A_Const") ? node.part("ival").number("ival") : 0;
    if (bins < 1 || bins > kBinsMax) {
      return error(Code::kInvalidInput, node.place(), "bins must be a constant from 1 to 10,000");
    }
  }
  const bool twice = named != call.named.end() && call.args.size() != 1;
  if (call.args.empty() || call.args.size() > 2 || twice || call.within) {
    return error(Code::kInvalidInput, call.place, "write HISTOGRAM(x, bins => 20)");
  }
  DISCREET_ASSIGN(const Argument argument, aggregates_.ranged(call, call.args.front()));
  const bool dates = argument.value.type == Type::kDate;
  if (!argument.value.is_number() && !dates) {
    return error(Code::kUnsupported, argument.value.place,
                 "HISTOGRAM needs numbers or dates; group by DATE_TRUNC('hour', x) instead");
  }
  // Dates are days since 1970.
  const Expr epoch = Expr::literal({Rational(0), Type::kDate});
  Expr number = dates ? Expr::of(Op::kSubtract, {argument.value.expr, epoch}) : argument.value.expr;
  Expr bucket = Expr::of(Op::kBucket, {std::move(number)});
  bucket.grid = bins_of(argument.range(), bins);
  const Rational width = bucket.grid->step;
  const Rational low = bucket.grid->low;
  const Post key = Post::key(query_.plan.keys.size());
  query_.plan.keys.push_back({std::move(bucket), "bin"});
  query_.drawing = Drawing::kHistogram;
  const auto edge = [&](const Rational& first) {
    const Post offset = Post::of(PostKind::kMultiply, {constant(width), key});
    return TypedPost{Post::of(PostKind::kAdd, {constant(first), offset}), argument.value.type,
                     call.place};
  };
  add_output("bin_from", edge(low), true);
  add_output("bin_to", edge(low + width), true);
  add_output("rows", {aggregates_.rows(weight_of("rows")), Type::kInteger, call.place}, false);
  return {};
}

Result<void> Binder::bind_boxplot(const Call& call) {
  if (call.args.size() != 1 || call.within) {
    return error(Code::kInvalidInput, call.place, "write BOXPLOT(x)");
  }
  DISCREET_ASSIGN(const Argument argument, aggregates_.ranged(call, call.args.front()));
  query_.drawing = Drawing::kBoxplot;
  const auto weight = weight_of("boxplot");
  DISCREET_ASSIGN(TypedPost low, aggregates_.extreme(argument, 0, weight));
  add_output("min", std::move(low), false);
  constexpr std::array<const char*, 3> kNames = {"q1", "median", "q3"};
  for (int i = 1; i <= 3; ++i) {
    DISCREET_ASSIGN(TypedPost post, aggregates_.quantile(argument, Rational::ratio(i, 4), weight));
    add_output(kNames[static_cast<std::size_t>(i - 1)], std::move(post), false);
  }
  DISCREET_ASSIGN(TypedPost high, aggregates_.extreme(argument, 1, weight));
  add_output("max", std::move(high), false);
  asked_names_.insert("boxplot");
  return {};
}

// TOP_K(x, k), MODE(x), MODE() WITHIN GROUP (ORDER BY x)
Result<void> Binder::bind_top_k(const Call& call) {
  const bool mode = call.name == "mode";
  const std::string form = mode ? "MODE(x) or MODE() WITHIN GROUP (ORDER BY x)" : "TOP_K(x, k)";
  const std::size_t count = mode ? (call.within ? 0 : 1) : 2;
  if (call.args.size() != count || (!mode && call.within) || !call.named.empty() || call.filter) {
    return error(Code::kInvalidInput, call.place, "write " + form);
  }
  query_.best = 1;
  if (!mode) {
    const Node& node = call.args.back();
    query_.best = node.is("A_Const") ? node.part("ival").number("ival") : 0;
    if (query_.best < 1 || query_.best > kBestMax) {
      return error(Code::kInvalidInput, node.place(), "k must be a constant from 1 to 100,000");
    }
  }
  const Node node = call.within ? *call.within : call.args.front();
  DISCREET_ASSIGN(Typed value, rows_.bind(node));
  DISCREET_ASSIGN(const plan::Shape shape, rows_.shape(value, plan::Use::kGroup));
  const bool known = std::ranges::any_of(
      query_.plan.keys, [&](const plan::Key& key) { return key.expr == value.expr; });
  if (value.is_literal() || known) {
    return error(Code::kInvalidInput, node.place(),
                 "in each group this has one value; take an expression that is not in GROUP BY");
  }
  const Type type = value.type;
  const Post key = Post::key(query_.plan.keys.size());
  query_.plan.keys.push_back({std::move(value.expr), "value"});
  query_.drawing = Drawing::kTopK;
  add_output("value", {key, type, call.place}, true);
  add_output("rows", {aggregates_.rows(weight_of("rows")), Type::kInteger, call.place}, false);
  return {};
}

}  // namespace discreet::sql
