// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "sql/number.h"
#include "sql/post.h"

namespace discreet::sql {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Cell from_value(const policy::Value& value) {
  if (value.is_null()) return {};
  if (const bool* truth = std::get_if<bool>(&value.data)) return *truth;
  if (const Rational* number = std::get_if<Rational>(&value.data)) return exactly(*number);
  return value.text();
}

bool is_null(const Cell& cell) { return cell.index() == 0; }
const Number* as_number(const Cell& cell) { return std::get_if<Number>(&cell); }

enum class Truth { kFalse, kUnknown, kTrue };

Truth as_truth(const Cell& cell) {
  const bool* truth = std::get_if<bool>(&cell);
  if (truth == nullptr) return Truth::kUnknown;
  return *truth ? Truth::kTrue : Truth::kFalse;
}

Cell from_truth(Truth truth) {
  if (truth == Truth::kUnknown) return {};
  return truth == Truth::kTrue;
}

// -1, 0, 1; none when one is NULL or they are of two kinds.
std::optional<int> compare(const Cell& a, const Cell& b) {
  if (is_null(a) || a.index() != b.index()) return std::nullopt;
  const auto order = [](const auto& x, const auto& y) { return x < y ? -1 : y < x ? 1 : 0; };
  if (const Number* x = as_number(a)) return order(x->value, as_number(b)->value);
  if (const bool* x = std::get_if<bool>(&a)) return order(*x, std::get<bool>(b));
  return order(std::get<std::string>(a), std::get<std::string>(b));
}

class Evaluator {
 public:
  Evaluator(const std::vector<policy::Value>& keys, const Readings& readings, std::size_t shares)
      : keys_(keys), readings_(readings), shares_(shares) {}

  Cell run(const Post& post) const {
    switch (post.kind) {
      case PostKind::kMeasurement:
        return readings_(post, shares_);
      case PostKind::kKey:
        return post.index < keys_.size() ? from_value(keys_[post.index]) : Cell();
      case PostKind::kLiteral:
        return from_value(post.literal);
      case PostKind::kAdd:
      case PostKind::kSubtract:
      case PostKind::kMultiply:
      case PostKind::kDivide:
        return binary(post);
      case PostKind::kNegate:
      case PostKind::kAbsolute:
      case PostKind::kRound:
      case PostKind::kFloor:
      case PostKind::kCeiling:
      case PostKind::kSquareRoot:
        return unary(post);
      case PostKind::kCoalesce:
      case PostKind::kNullIf:
      case PostKind::kCase:
        return choice(post);
      case PostKind::kEqual:
      case PostKind::kLess:
      case PostKind::kLessEqual:
      case PostKind::kAnd:
      case PostKind::kOr:
      case PostKind::kNot:
      case PostKind::kIsNull:
        return condition(post);
      case PostKind::kAverage:
        return average(post);
      case PostKind::kVariance:
        return variance(post);
      case PostKind::kQuantile:
        return quantile(post);
      case PostKind::kRace:
        return race(post);
    }
    return {};
  }

 private:
  // The numbers of all arguments; none when one is NULL.
  std::optional<std::vector<Number>> numbers(const Post& post) const {
    std::vector<Number> out;
    for (const Post& arg : post.args) {
      const Cell cell = run(arg);
      const Number* number = as_number(cell);
      if (number == nullptr) return std::nullopt;
      out.push_back(*number);
    }
    return out;
  }

  Cell binary(const Post& post) const {
    const auto args = numbers(post);
    if (!args || args->size() != 2) return {};
    const Number& a = args->front();
    const Number& b = args->back();
    if (post.kind == PostKind::kAdd) return add(a, b);
    if (post.kind == PostKind::kSubtract) return subtract(a, b);
    if (post.kind == PostKind::kMultiply) return multiply(a, b);
    return b.value == 0 ? Cell() : divide(a, b);
  }

  Cell unary(const Post& post) const {
    const auto args = numbers(post);
    if (!args || args->size() != 1) return {};
    const Number& a = args->front();
    if (post.kind == PostKind::kNegate) return negate(a);
    if (post.kind == PostKind::kAbsolute) return absolute(a);
    if (post.kind == PostKind::kFloor) return monotone(a, std::floor);
    if (post.kind == PostKind::kCeiling) return monotone(a, std::ceil);
    if (post.kind == PostKind::kSquareRoot) return square_root(a);
    return round_to(a, static_cast<int>(post.index));
  }

  Cell choice(const Post& post) const {
    if (post.kind == PostKind::kNullIf) {
      const Cell first = run(post.args[0]);
      return compare(first, run(post.args[1])) == 0 ? Cell() : first;
    }
    if (post.kind == PostKind::kCoalesce) {
      for (const Post& arg : post.args) {
        Cell cell = run(arg);
        if (!is_null(cell)) return cell;
      }
      return {};
    }
    std::size_t i = 0;
    for (; i + 1 < post.args.size(); i += 2) {
      if (as_truth(run(post.args[i])) == Truth::kTrue) return run(post.args[i + 1]);
    }
    return i < post.args.size() ? run(post.args[i]) : Cell();
  }

  Cell condition(const Post& post) const {
    if (post.kind == PostKind::kIsNull) return is_null(run(post.args[0]));
    if (post.kind == PostKind::kNot) {
      const Truth truth = as_truth(run(post.args[0]));
      if (truth == Truth::kUnknown) return {};
      return truth == Truth::kFalse;
    }
    if (post.kind == PostKind::kAnd || post.kind == PostKind::kOr) {
      const bool all = post.kind == PostKind::kAnd;
      Truth out = all ? Truth::kTrue : Truth::kFalse;
      for (const Post& arg : post.args) {
        const Truth truth = as_truth(run(arg));
        out = all ? std::min(out, truth) : std::max(out, truth);
      }
      return from_truth(out);
    }
    const auto order = compare(run(post.args[0]), run(post.args[1]));
    if (!order) return {};
    if (post.kind == PostKind::kEqual) return *order == 0;
    return post.kind == PostKind::kLess ? *order < 0 : *order <= 0;
  }

  // An average exists where there is at least one row. Where the interval of their number holds 0
  // there may be none, and it is NULL, as SQL's of no rows. Else fewer rows than that need no
  // covering: their number counts as at least 1 (for a sample's variance 2).
  static bool may_be_none(const Number& rows) { return rows.low <= 0; }
  static Number at_least(const Number& rows, double least) { return clamp(rows, least, kInfinity); }

  Cell average(const Post& post) const {
    const auto args = numbers(post);
    if (!args || args->size() != 2 || may_be_none((*args)[1])) return {};
    const Number about_centre = divide((*args)[0], at_least((*args)[1], 1));
    return clamp(add(about_centre, exactly(post.centre)), exactly(post.low).low,
                 exactly(post.high).high);
  }

  // squares/n - (sum/n)^2, times n/(n-1) for a sample. Values in a range of width w have a variance
  // of at most w^2/4; for a sample twice that, at n = 2.
  Cell variance(const Post& post) const {
    const auto args = numbers(post);
    if (!args || args->size() != 3 || may_be_none((*args)[2])) return {};
    const Number rows = at_least((*args)[2], post.sample ? 2 : 1);
    const Number mean = divide((*args)[0], rows);
    Number out = subtract(divide((*args)[1], rows), square(mean));
    const Rational width = post.high - post.low;
    Rational largest = width * width / Rational(4);
    if (post.sample) {
      // n/(n-1) falls as n grows, so its ends are those of n, exchanged.
      const auto ratio = [](double n) { return std::isinf(n) ? 1.0 : n / (n - 1); };
      const Number factor = {ratio(rows.value), std::nextafter(ratio(rows.high), 0.0),
                             std::nextafter(ratio(rows.low), kInfinity)};
      out = multiply(clamp(out, 0, kInfinity), factor);
      largest = largest * Rational(2);
    }
    return clamp(out, 0, exactly(largest).high);
  }

  Cell quantile(const Post& post) const {
    const auto args = numbers(post);
    if (!args || args->empty()) return {};
    Number out = args->front();
    if (!post.low_end) out.low = exactly(post.low).low;
    if (!post.high_end) out.high = exactly(post.high).high;
    return out;
  }

  // Every cut sum of numbers from 0 is at most the whole, so where all intervals hold each of their
  // lower ends is, and the upper end of the uncut one is not below it. The best lower end is the
  // answer: it gives up at most what its own noise may be (R2T).
  Cell race(const Post& post) const {
    const auto args = numbers(post);
    if (!args || args->empty()) return {};
    Number out{0, 0, std::max(0.0, args->front().high)};
    for (const Number& arg : *args) out.low = std::max(out.low, arg.low);
    out.value = out.low;
    out.high = std::max(out.high, out.low);
    return out;
  }

  const std::vector<policy::Value>& keys_;
  const Readings& readings_;
  std::size_t shares_;
};

}  // namespace

Cell evaluate(const Post& post, const std::vector<policy::Value>& keys, const Readings& readings) {
  const std::size_t shares = std::max<std::size_t>(1, numbers_used(post));
  return Evaluator(keys, readings, shares).run(post);
}

}  // namespace discreet::sql
