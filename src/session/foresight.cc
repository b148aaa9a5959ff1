// SPDX-License-Identifier: Apache-2.0
#include "session/foresight.h"

#include <algorithm>
#include <limits>
#include <variant>

#include "plan/accuracy.h"
#include "session/readings.h"

namespace discreet::session {
namespace {

using sql::PostKind;

bool is_constant(const sql::Post& post) { return post.kind == PostKind::kLiteral; }

/// Sums of measurements times constants: the width of the interval is that of the noise.
bool is_linear(const sql::Post& post) {
  switch (post.kind) {
    case PostKind::kMeasurement:
      return true;
    case PostKind::kAdd:
    case PostKind::kSubtract:
    case PostKind::kNegate:
      return std::ranges::all_of(
          post.args, [](const sql::Post& arg) { return is_linear(arg) || is_constant(arg); });
    case PostKind::kMultiply:
      return (is_constant(post.args[0]) && is_linear(post.args[1])) ||
             (is_linear(post.args[0]) && is_constant(post.args[1]));
    case PostKind::kDivide:
      return is_linear(post.args[0]) && is_constant(post.args[1]);
    default:
      return false;
  }
}

double width_of(const plan::Step& step) {
  const policy::Grid& range = step.measurement.clamp ? *step.measurement.clamp : *step.shape.grid;
  return (range.high - range.low).to_double(Round::kUp);
}

double middle_of(const plan::Step& step) {
  const policy::Grid& range = step.measurement.clamp ? *step.measurement.clamp : *step.shape.grid;
  return ((range.high + range.low) / Rational(2)).to_double(Round::kDown);
}

}  // namespace

Result<std::size_t> first_value(const sql::Query& query) {
  for (std::size_t i = 0; i < query.outputs.size(); ++i) {
    if (!query.outputs[i].is_key) return i;
  }
  return invalid_input("there is no value to have an error; add an aggregate");
}

ErrorKind error_kind(const sql::Post& post) {
  if (is_linear(post)) return ErrorKind::kNoise;
  return post.kind == PostKind::kQuantile ? ErrorKind::kRanks : ErrorKind::kValues;
}

Supposed suppose_rows(const plan::Checked& checked, double rows) {
  Supposed out;
  for (const plan::Step& step : checked.steps()) {
    switch (step.measurement.kind) {
      case plan::MeasureKind::kRows:
      case plan::MeasureKind::kUnits:
      case plan::MeasureKind::kDistinct:
        out.push_back(rows);
        break;
      case plan::MeasureKind::kSum: {
        const double centre = step.measurement.centre.to_double(Round::kDown);
        out.push_back(rows * (middle_of(step) - centre + width_of(step) / 4));
        break;
      }
      case plan::MeasureKind::kSquares:
        // The variance is then as large as the square of what the mean is off the middle.
        out.push_back(2 * rows * width_of(step) * width_of(step) / 16);
        break;
      case plan::MeasureKind::kQuantile:
        out.insert(out.end(), step.measurement.numbers(), middle_of(step));
        break;
    }
  }
  return out;
}

double foreseen_half_width(const sql::Output& output, const plan::Checked& checked,
                           const Supposed& supposed, const Confidence& confidence) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (error_kind(output.post) == ErrorKind::kRanks) {
    const plan::Step& step = checked.steps()[output.post.args.front().index];
    return plan::expected_error(step, confidence).ranks->to_double(Round::kUp);
  }
  HalfWidths widths(checked, confidence);
  const sql::Readings readings = [&](const sql::Post& which, std::size_t shares) {
    const std::size_t place = checked.plan().place_of(which.index, which.number);
    const double value = place < supposed.size() ? supposed[place] : 0;
    const double half = widths.of(which.index, shares);
    return sql::Number{value, value - half, value + half};
  };
  const std::vector<policy::Value> keys(checked.plan().keys.size());
  const sql::Cell cell = sql::evaluate(output.post, keys, readings);
  const auto* const number = std::get_if<sql::Number>(&cell);
  return number == nullptr ? kInfinity : (number->high - number->low) / 2;
}

}  // namespace discreet::session
