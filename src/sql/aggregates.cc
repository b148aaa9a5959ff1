// SPDX-License-Identifier: Apache-2.0
#include "sql/aggregates.h"

#include <algorithm>
#include <utility>

#include "plan/source.h"

namespace discreet::sql {
namespace {

using plan::Expr;
using plan::Grid;
using plan::MeasureKind;
using plan::Measurement;
using plan::Op;
using policy::Type;

// An extreme has too few rows beside it to be found; a hundredth of them does.
const Rational kExtreme = Rational::ratio(1, 100);

using Weight = std::optional<Rational>;

Weight part(const Weight& weight, int n, int d) {
  if (!weight) return std::nullopt;
  return *weight * Rational::ratio(n, d);
}

bool is_average(const std::string& name) {
  return name == "avg" || name.starts_with("var") || name.starts_with("stddev");
}

// The point of the grid in the middle: sums about it are half as sensitive.
Rational middle(const Grid& range) {
  const Rational half = (range.high - range.low) / range.step / Rational(2);
  return range.low + Rational(half.floor()) * range.step;
}

Measurement measure(MeasureKind kind, const Argument& argument) {
  Measurement out;
  out.kind = kind;
  out.argument = argument.value.expr;
  out.clamp = argument.clamp;
  return out;
}

bool same_but_weight(Measurement a, const Measurement& b) {
  a.weight = b.weight;
  return a == b;
}

}  // namespace

void Aggregates::note(const std::string& text) {
  if (std::ranges::count(notes_, text) == 0) notes_.push_back(text);
}

void Aggregates::foresee(const Node& node) {
  for (const Node& call : node.find_all("FuncCall")) {
    for (const Node& inside : call.list("args")) foresee(inside);
    if (!is_average(function_name(call))) continue;
    const auto read = read_call(call, scope_.text());
    if (!read || read->args.size() != 1) continue;  // bind() will say what is wrong
    if (read->named.contains("contribution_bounds_per_group")) continue;
    const auto argument = ranged(*read, read->args.front());
    if (argument) averaged_.emplace_back(argument->value.expr, argument->clamp);
  }
}

Post Aggregates::add(Measurement measurement, const Weight& weight, PerUnit how) {
  for (std::size_t i = 0; i < measurements_.size(); ++i) {
    if (per_unit_[i] != how || !same_but_weight(measurements_[i], measurement)) continue;
    if (weight) measurements_[i].weight = measurements_[i].weight + *weight;
    return Post::measurement(i);
  }
  measurement.weight = weight.value_or(Rational(1));
  measurements_.push_back(std::move(measurement));
  per_unit_.push_back(how);
  return Post::measurement(measurements_.size() - 1);
}

// All quantiles of one argument are one measurement: together they cost less, and one histogram
// around them serves all their intervals.
Post Aggregates::add_quantile(const Argument& argument, const Rational& fraction,
                              const Weight& weight) {
  Measurement one = measure(MeasureKind::kQuantile, argument);
  const bool intervals = options_.quantile_intervals && weight.has_value();
  for (std::size_t i = 0; i < measurements_.size(); ++i) {
    Measurement& all = measurements_[i];
    if (all.kind != one.kind || all.argument != one.argument || all.clamp != one.clamp) continue;
    const auto found = std::ranges::find(all.fractions, fraction);
    const auto number = static_cast<std::size_t>(found - all.fractions.begin());
    const bool fresh = found == all.fractions.end();
    if (fresh) all.fractions.push_back(fraction);
    if (fresh || weight) all.weight = all.weight + weight.value_or(Rational(1));
    all.intervals = all.intervals || intervals;
    return Post::measurement(i, number);
  }
  one.fractions = {fraction};
  one.intervals = intervals;
  return add(std::move(one), weight);
}

Post Aggregates::rows(const Weight& weight) {
  Measurement measurement;
  measurement.kind = MeasureKind::kRows;
  return add(std::move(measurement), weight);
}

Post Aggregates::rows_of(const Argument& argument, const Weight& weight, PerUnit how) {
  if (!argument.shape.nullable && how == PerUnit::kRows) return rows(weight);
  Measurement measurement = measure(MeasureKind::kRows, argument);
  measurement.clamp = std::nullopt;
  return add(std::move(measurement), weight, how);
}

Result<TypedPost> Aggregates::bind(const Node& node, const Weight& weight) {
  DISCREET_ASSIGN(Call call, read_call(node, scope_.text()));
  if (call.name == "count") return count(call, weight);
  if (call.name.starts_with("percentile_")) return percentile(call, weight);
  const bool alone = call.name == "histogram" || call.name == "boxplot" || call.name == "top_k" ||
                     call.name == "mode";
  if (alone) {
    return error(Code::kUnsupported, call.place,
                 call.name +
                     " returns rows: it must be the only thing in SELECT beside the columns "
                     "of GROUP BY");
  }
  if (call.star || call.distinct || call.within || call.args.size() != 1) {
    return error(Code::kUnsupported, call.place,
                 "write " + call.name + "(x)" + (call.distinct ? ", without DISTINCT" : ""));
  }
  const bool per_group = call.named.contains("contribution_bounds_per_group");
  if (call.name == "sum" && per_group) return total(call, weight);
  DISCREET_ASSIGN(const Argument argument, ranged(call, call.args.front()));
  if (call.name == "median") return quantile(argument, Rational::ratio(1, 2), weight);
  if (call.name == "min") return extreme(argument, 0, weight);
  if (call.name == "max") return extreme(argument, 1, weight);
  if (!argument.value.is_number()) {
    return error(Code::kInvalidInput, argument.value.place,
                 call.name + " needs numbers; this has type " +
                     policy::to_string(argument.value.type) + "; MEDIAN, MIN and MAX take it");
  }
  if (call.name == "sum") return sum(argument, weight);
  if (call.name == "avg") {
    return average(argument, weight, per_group ? PerUnit::kMean : PerUnit::kRows);
  }
  return variance(call, argument, weight);
}

// Something where the filter is true, else NULL: what COUNT counts.
Result<Expr> Aggregates::passing(const Call& call) const {
  DISCREET_ASSIGN(Typed kept, rows_.condition(call.filter));
  const Expr yes = Expr::literal({true, Type::kBoolean});
  const Expr null = Expr::literal({{}, Type::kBoolean});
  return Expr::of(Op::kCase, {std::move(kept.expr), yes, null});
}

Result<TypedPost> Aggregates::count(const Call& call, const Weight& weight) {
  if (call.within || (!call.star && call.args.size() != 1) || (call.star && call.distinct)) {
    return error(Code::kUnsupported, call.place, "write COUNT(*), COUNT(x) or COUNT(DISTINCT x)");
  }
  if (is_raced(call)) return race_rows(call, weight);
  const auto inside_star = dialect_.count_bounds.find(call.place.value_or(0));
  if (inside_star != dialect_.count_bounds.end()) DISCREET_TRY(bound_rows(inside_star->second));
  DISCREET_ASSIGN(const std::optional<BoundsPair> bounds, read_bounds(call, rows_, scope_.text()));
  if (bounds) DISCREET_TRY(bound_rows(*bounds));

  const auto integer = [&](Post post) {
    return TypedPost{std::move(post), Type::kInteger, call.place};
  };
  if (call.star) {
    if (!call.filter) return integer(rows(weight));
    Measurement measurement;
    DISCREET_ASSIGN(measurement.argument, passing(call));
    return integer(add(std::move(measurement), weight));
  }
  const Node& node = call.args.front();
  if (call.distinct && node.is("ColumnRef")) {
    const std::vector<std::string> names = node.names("fields");
    const bool beyond = scope_.is_unit_beyond(names);
    if (!beyond) {
      DISCREET_ASSIGN(const Found found, scope_.find(node));
      if (!found.is_unit) return count_values(call, node, weight);
    }
    if (call.filter) {  // units that have such a row
      Measurement some;
      DISCREET_ASSIGN(some.argument, passing(call));
      return integer(add(std::move(some), weight, PerUnit::kOnce));
    }
    Measurement measurement;
    measurement.kind = MeasureKind::kUnits;
    return integer(add(std::move(measurement), weight));
  }
  return count_values(call, node, weight);
}

Result<TypedPost> Aggregates::count_values(const Call& call, const Node& node,
                                           const Weight& weight) {
  const bool constant = node.is("A_Const") && !node.flag("isnull");
  if (constant && !call.distinct && !call.filter) {  // COUNT(1)
    return TypedPost{rows(weight), Type::kInteger, call.place};
  }
  DISCREET_ASSIGN(const Argument values, argument(call, node));
  Post post = call.distinct ? add(measure(MeasureKind::kDistinct, values), weight)
                            : rows_of(values, weight);
  return TypedPost{std::move(post), Type::kInteger, call.place};
}

Result<TypedPost> Aggregates::sum(const Argument& argument, const Weight& weight) {
  const bool shared =
      std::ranges::count(averaged_, std::pair(argument.value.expr, argument.clamp)) > 0;
  Measurement about = measure(MeasureKind::kSum, argument);
  const Type type = argument.value.type;
  const Rational centre = middle(argument.range());
  if (!shared || centre == Rational(0)) {
    return TypedPost{add(std::move(about), weight), type, argument.value.place};
  }
  // sum x = sum (x - c) + c * rows: both are bought for the average already.
  about.centre = centre;
  const Post rest = add(std::move(about), part(weight, 1, 2));
  const Post many = rows_of(argument, part(weight, 1, 2));
  const Post back = Post::of(PostKind::kMultiply, {Post::constant({centre, Type::kDecimal}), many});
  return TypedPost{Post::of(PostKind::kAdd, {rest, back}), type, argument.value.place};
}

// BigQuery's meaning: what a unit adds to a group is brought into the bounds, not each row.
Result<TypedPost> Aggregates::total(const Call& call, const Weight& weight) {
  DISCREET_ASSIGN(Argument values, argument(call, call.args.front()));
  if (!values.value.is_number()) {
    return error(Code::kInvalidInput, values.value.place,
                 "sum needs numbers; this has type " + policy::to_string(values.value.type));
  }
  if (is_private_choice(call.named.at("contribution_bounds_per_group"))) {
    return race_sums(values, weight);
  }
  DISCREET_ASSIGN(const std::optional<BoundsPair> bounds, read_bounds(call, rows_, scope_.text()));
  const Rational& step = values.shape.grid->step;
  values.clamp = Grid{Rational((bounds->low / step).floor()) * step,
                      Rational((bounds->high / step).ceil()) * step, step};
  const Type type = values.value.type;
  return TypedPost{add(measure(MeasureKind::kSum, values), weight, PerUnit::kTotal), type,
                   values.value.place};
}

// R2T: what units add up to, cut at M, M/2, M/4, ...; the best of the lower ends is shown.
Post Aggregates::race(Measurement measurement, const Grid& most, const Weight& weight) {
  constexpr int kRunners = 10;
  std::vector<Grid> cuts = {most};
  while (cuts.size() < kRunners && cuts.back().high > most.step) {
    const Rational half = cuts.back().high / most.step / Rational(2);
    cuts.push_back({0, Rational(half.ceil()) * most.step, most.step});
  }
  std::vector<Post> runners;
  for (const Grid& cut : cuts) {
    measurement.clamp = cut;
    runners.push_back(
        add(measurement, part(weight, 1, static_cast<int>(cuts.size())), PerUnit::kTotal));
  }
  return Post::of(PostKind::kRace, std::move(runners));
}

Result<TypedPost> Aggregates::race_sums(const Argument& argument, const Weight& weight) {
  if (!argument.shape.declared || argument.shape.grid->low.sign() < 0 ||
      argument.shape.grid->high.sign() <= 0) {
    return error(Code::kUnsupported, argument.value.place,
                 "bounds can be chosen privately where the policy declares a range from 0 upwards");
  }
  DISCREET_ASSIGN(const plan::Owner owner, plan::check_source(scope_.source(), scope_.policy()));
  const std::int64_t rows =
      options_.rows_per_unit_and_group.value_or(owner.bounds.rows_per_unit_and_group);
  const Grid& grid = *argument.shape.grid;
  const Rational most = grid.high * Rational(rows);
  note(
      "the sum's bounds are chosen privately: a lower end of what the units add up to, each at "
      "most " +
      most.to_string() + "; its error is that of the bound that won");
  Post post = race(measure(MeasureKind::kSum, argument), {0, most, grid.step}, weight);
  return TypedPost{std::move(post), argument.value.type, argument.value.place};
}

bool Aggregates::is_raced(const Call& call) const {
  const auto named = call.named.find("contribution_bounds_per_group");
  return dialect_.count_races.contains(call.place.value_or(0)) ||
         (named != call.named.end() && is_private_choice(named->second));
}

Result<TypedPost> Aggregates::race_rows(const Call& call, const Weight& weight) {
  if (call.distinct) {
    return error(Code::kUnsupported, call.place,
                 "COUNT(DISTINCT ...) has no bound that could be chosen; leave "
                 "contribution_bounds_per_group out");
  }
  DISCREET_ASSIGN(const plan::Owner owner, plan::check_source(scope_.source(), scope_.policy()));
  const std::int64_t most =
      options_.rows_per_unit_and_group.value_or(owner.bounds.rows_per_unit_and_group);
  Measurement counted;
  if (!call.star) {
    DISCREET_ASSIGN(const Argument values, argument(call, call.args.front()));
    counted.argument = values.value.expr;
  } else if (call.filter) {
    DISCREET_ASSIGN(counted.argument, passing(call));
  }
  if (owner.row_is_unit || most == 1) {  // nothing to choose
    return TypedPost{add(std::move(counted), weight), Type::kInteger, call.place};
  }
  note("the count's bound is chosen privately: a lower end of the units' rows, of each at most " +
       std::to_string(most) + "; its error is that of the bound that won");
  Post post = race(std::move(counted), {0, most, 1}, weight);
  return TypedPost{std::move(post), Type::kInteger, call.place};
}

Result<TypedPost> Aggregates::average(const Argument& argument, const Weight& weight, PerUnit how) {
  Measurement about = measure(MeasureKind::kSum, argument);
  about.centre = middle(argument.range());
  Post post = Post::of(PostKind::kAverage, {});
  post.centre = about.centre;
  post.low = argument.range().low;
  post.high = argument.range().high;
  post.args.push_back(add(std::move(about), part(weight, 1, 2), how));
  post.args.push_back(rows_of(argument, part(weight, 1, 2), how));
  return TypedPost{std::move(post), Type::kDecimal, argument.value.place};
}

Result<TypedPost> Aggregates::variance(const Call& call, const Argument& argument,
                                       const Weight& weight) {
  Measurement about = measure(MeasureKind::kSum, argument);
  about.centre = middle(argument.range());
  Measurement squares = measure(MeasureKind::kSquares, argument);
  squares.centre = about.centre;
  Post post = Post::of(PostKind::kVariance, {});
  post.centre = about.centre;
  post.low = argument.range().low;
  post.high = argument.range().high;
  post.sample = !call.name.ends_with("_pop");
  post.args.push_back(add(std::move(about), part(weight, 1, 3)));
  post.args.push_back(add(std::move(squares), part(weight, 1, 3)));
  post.args.push_back(rows_of(argument, part(weight, 1, 3)));
  if (call.name.starts_with("stddev")) post = Post::of(PostKind::kSquareRoot, {std::move(post)});
  return TypedPost{std::move(post), Type::kDecimal, argument.value.place};
}

Result<TypedPost> Aggregates::percentile(const Call& call, const Weight& weight) {
  // PostgreSQL: PERCENTILE_CONT(f) WITHIN GROUP (ORDER BY x). BigQuery: PERCENTILE_CONT(x, f).
  const bool standard = call.within && call.args.size() == 1;
  if (call.star || call.distinct || (!standard && (call.within || call.args.size() != 2))) {
    return error(Code::kUnsupported, call.place,
                 "write " + call.name + "(0.9) WITHIN GROUP (ORDER BY x)");
  }
  DISCREET_ASSIGN(const Typed given, rows_.bind(call.args.back()));
  const bool number = given.is_literal() && !given.is_null() && given.is_number();
  const Rational fraction = number ? given.expr.value.number() : Rational(-1);
  const bool fine = fraction >= Rational(0) && fraction <= Rational(1) &&
                    fraction.denominator() <= Integer(1'000'000);
  if (!fine) {
    return error(Code::kInvalidInput, given.place,
                 "the fraction must be a constant from 0 to 1 with at most 6 decimals");
  }
  DISCREET_ASSIGN(const Argument argument,
                  ranged(call, standard ? *call.within : call.args.front()));
  const Rational rank = call.descending ? Rational(1) - fraction : fraction;
  if (rank == Rational(0)) return extreme(argument, 0, weight);
  if (rank == Rational(1)) return extreme(argument, 1, weight);
  return quantile(argument, rank, weight);
}

Result<TypedPost> Aggregates::quantile(const Argument& argument, const Rational& fraction,
                                       const Weight& weight) {
  Post post = Post::of(PostKind::kQuantile, {add_quantile(argument, fraction, weight)});
  post.low = argument.range().low;
  post.high = argument.range().high;
  post.low_end = post.high_end = options_.quantile_intervals && weight.has_value();
  return TypedPost{std::move(post), argument.value.type, argument.value.place};
}

Result<TypedPost> Aggregates::extreme(const Argument& argument, int fraction,
                                      const Weight& weight) {
  note(fraction == 0 ? "a minimum is given as the 1% quantile; its interval starts at the declared "
                       "bound"
                     : "a maximum is given as the 99% quantile; its interval ends at the declared "
                       "bound");
  const Rational at = fraction == 0 ? kExtreme : Rational(1) - kExtreme;
  Post post = Post::of(PostKind::kQuantile, {add_quantile(argument, at, weight)});
  post.low = argument.range().low;
  post.high = argument.range().high;
  // At most a hundredth of the rows lie beyond: so does the minimum, below this end.
  (fraction == 0 ? post.high_end : post.low_end) =
      options_.quantile_intervals && weight.has_value();
  return TypedPost{std::move(post), argument.value.type, argument.value.place};
}

}  // namespace discreet::sql
