// SPDX-License-Identifier: Apache-2.0
// Aggregates as measurements, and what is computed from these after release. Aggregates that need
// the same measurement share it: COUNT(x), AVG(x) and SUM(x) together buy two, not four.
//
//   COUNT(*), COUNT(x)        rows                         COUNT(DISTINCT unit)  units
//   COUNT(DISTINCT x)         distinct                     SUM(x)                sum
//   SUM, AVG with contribution_bounds_per_group            of one number for each unit (totals.h)
//   SUM, COUNT with => auto   such sums, cut at ever lower bounds, of which the best is shown
//   AVG(x)                    sum about the middle of the range / rows
//   VAR_*, STDDEV_*           sum, squares, rows
//   MEDIAN, PERCENTILE_*(f)   quantile; all those of x are one measurement
//   MIN, MAX                  the 1% and 99% quantile, with one bought and one declared end
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "plan/plan.h"
#include "sql/dialect.h"
#include "sql/post.h"
#include "sql/query.h"
#include "sql/rows.h"

namespace discreet::sql {

struct TypedPost {
  Post post;
  policy::Type type = policy::Type::kDecimal;
  Place place;
};

/// The arguments of an aggregate, as they are written.
struct Call {
  std::string name;
  Place place;
  std::vector<Node> args;
  std::map<std::string, Node> named;  ///< x => value
  std::optional<Node> within;         ///< WITHIN GROUP (ORDER BY this)
  bool descending = false;
  bool star = false;
  bool distinct = false;
  Node filter;
};

/// Fails with: kUnsupported (windows, VARIADIC), kInvalidInput.
Result<Call> read_call(const Node& call, const Text& text);

/// contribution_bounds_per_group => auto: chosen privately.
bool is_private_choice(const Node& node);
/// Where that cannot be.
Error no_private_choice(const Text& text, Place place);

/// Its contribution bounds, if it has any. Fails with: kInvalidInput.
Result<std::optional<BoundsPair>> read_bounds(const Call& call, const Rows& rows, const Text& text);

/// What an aggregate is taken of.
struct Argument {
  Typed value;
  plan::Shape shape;
  std::optional<plan::Grid> clamp;
  /// Where its values lie. Requires: it is a number, date or timestamp.
  const plan::Grid& range() const { return clamp ? *clamp : *shape.grid; }
};

/// What of a unit's rows in a group a measurement adds up (totals.h).
enum class PerUnit {
  kRows,   ///< each of them
  kTotal,  ///< their sum, or number up to the clamp's end: one number for each unit
  kMean,   ///< their average
  kOnce,   ///< 1 if there is one, for counts
};

class Aggregates {
 public:
  Aggregates(const Rows& rows, const Scope& scope, const Dialect& dialect, const Options& options)
      : rows_(rows), scope_(scope), dialect_(dialect), options_(options) {}

  /// Learns which arguments are averaged somewhere below `node`, so that their sums can be shared.
  void foresee(const Node& node);

  /// `weight` is this aggregate's share of epsilon; none where it only decides what is shown, and
  /// pays for itself only if nobody else measures it.
  Result<TypedPost> bind(const Node& call, const std::optional<Rational>& weight);

  /// A quantile.
  Result<TypedPost> quantile(const Argument& argument, const Rational& fraction,
                             const std::optional<Rational>& weight);
  /// fraction 0 for MIN, 1 for MAX.
  Result<TypedPost> extreme(const Argument& argument, int fraction,
                            const std::optional<Rational>& weight);
  /// An argument with a declared range.
  Result<Argument> ranged(const Call& call, const Node& node) const;
  /// How many rows.
  Post rows(const std::optional<Rational>& weight);

  const std::vector<plan::Measurement>& measurements() const { return measurements_; }
  const std::vector<PerUnit>& per_unit() const { return per_unit_; }
  const std::vector<std::string>& notes() const { return notes_; }
  void note(const std::string& text);
  /// From COUNT's contribution_bounds_per_group.
  const std::optional<std::int64_t>& rows_per_unit_and_group() const { return rows_bound_; }

 private:
  Result<TypedPost> count(const Call& call, const std::optional<Rational>& weight);
  Result<TypedPost> count_values(const Call& call, const Node& node,
                                 const std::optional<Rational>& weight);
  Result<TypedPost> sum(const Argument& argument, const std::optional<Rational>& weight);
  Result<TypedPost> total(const Call& call, const std::optional<Rational>& weight);
  Result<TypedPost> race_sums(const Argument& argument, const std::optional<Rational>& weight);
  Result<TypedPost> race_rows(const Call& call, const std::optional<Rational>& weight);
  Post race(plan::Measurement measurement, const plan::Grid& most,
            const std::optional<Rational>& weight);
  bool is_raced(const Call& call) const;
  Result<plan::Expr> passing(const Call& call) const;
  Result<TypedPost> average(const Argument& argument, const std::optional<Rational>& weight,
                            PerUnit how);
  Result<TypedPost> variance(const Call& call, const Argument& argument,
                             const std::optional<Rational>& weight);
  Result<TypedPost> percentile(const Call& call, const std::optional<Rational>& weight);
  Result<Argument> argument(const Call& call, const Node& node) const;
  Result<void> bound_rows(const BoundsPair& bounds);
  Post add(plan::Measurement measurement, const std::optional<Rational>& weight,
           PerUnit how = PerUnit::kRows);
  Post add_quantile(const Argument& argument, const Rational& fraction,
                    const std::optional<Rational>& weight);
  Post rows_of(const Argument& argument, const std::optional<Rational>& weight,
               PerUnit how = PerUnit::kRows);
  Error error(Code code, Place place, const std::string& message) const {
    return scope_.text().error(code, place, message);
  }

  const Rows& rows_;
  const Scope& scope_;
  const Dialect& dialect_;
  const Options& options_;
  std::vector<plan::Measurement> measurements_;
  std::vector<PerUnit> per_unit_;  ///< of each
  std::vector<std::string> notes_;
  std::vector<std::pair<plan::Expr, std::optional<plan::Grid>>> averaged_;
  std::optional<std::int64_t> rows_bound_;
};

}  // namespace discreet::sql
