// SPDX-License-Identifier: Apache-2.0
#include "session/readings.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <memory>
#include <tuple>

#include "engine/key.h"
#include "plan/accuracy.h"
#include "session/rank_interval.h"

namespace discreet::session {
namespace {

bool counts(plan::MeasureKind kind) {
  return kind == plan::MeasureKind::kRows || kind == plan::MeasureKind::kUnits ||
         kind == plan::MeasureKind::kDistinct || kind == plan::MeasureKind::kSquares;
}

sql::Number number_of(const plan::Step& step, std::int64_t released, double half_width) {
  const Rational exact = plan::in_units(step, Rational(released));
  const double value = exact.to_double(Round::kDown);
  sql::Number number{value, value - half_width, value + half_width};
  // What cannot be below 0 is not: an interval may use that, the released number stays as it is.
  if (counts(step.measurement.kind)) {
    number.low = std::max(number.low, std::min(0.0, value));
    number.high = std::max(number.high, 0.0);
  }
  return number;
}

/// What all groups' readings share.
class Reader {
 public:
  Reader(const plan::Checked& checked, const Drawn& drawn, const Confidence& confidence)
      : checked_(checked),
        drawn_(drawn),
        beta_((Rational(1) - confidence.value()).to_double(Round::kDown)),
        widths_(checked, confidence) {}

  sql::Number read(const sql::Post& which, std::size_t key, std::size_t shares) {
    const plan::Step& step = checked_.steps()[which.index];
    const std::int64_t released = drawn_.number(checked_, which.index, key, which.number);
    if (!step.counts) return number_of(step, released, widths_.of(which.index, shares));
    const auto value = [&](std::int64_t integer) {
      return plan::in_units(step, Rational(integer)).to_double(Round::kDown);
    };
    const Cells& cells = drawn_.cells[which.index][key];
    const RankInterval ends = intervals_of(which, shares).of(cells.cuts, cells.counts);
    sql::Number number{value(released), value(ends.low.value_or(step.lowered.low)),
                       value(ends.high.value_or(step.lowered.high))};
    number.low = std::min(number.low, number.value);
    number.high = std::max(number.high, number.value);
    return number;
  }

 private:
  RankIntervals& intervals_of(const sql::Post& which, std::size_t shares) {
    const plan::Step& step = checked_.steps()[which.index];
    const auto key = std::tuple(which.index, which.number, shares);
    const auto found = intervals_.find(key);
    if (found != intervals_.end()) return found->second;
    const double beta = beta_ / static_cast<double>(std::max<std::size_t>(1, shares));
    return intervals_
        .emplace(key, RankIntervals(*step.counts, step.measurement.fractions[which.number], beta))
        .first->second;
  }

  const plan::Checked& checked_;
  const Drawn& drawn_;
  double beta_;
  HalfWidths widths_;
  std::map<std::tuple<std::size_t, std::size_t, std::size_t>, RankIntervals> intervals_;
};

std::string plain(double x, int decimals) {
  std::array<char, 400> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.*f", decimals, x);
  const std::string text = buffer.data();
  // No "-0" and no "-0.00".
  return text.find_first_not_of("-0.") == std::string::npos && text[0] == '-' ? text.substr(1)
                                                                              : text;
}

/// Two digits of the interval's half-width; whole numbers stay whole.
int decimals_of(const sql::Number& number, const sql::Output& output) {
  if (output.type == policy::Type::kInteger) return 0;
  const double width = (number.high - number.low) / 2;
  if (!std::isfinite(width) || width <= 0) return number.value == std::floor(number.value) ? 0 : 6;
  return std::clamp(1 - static_cast<int>(std::floor(std::log10(width))), 0, 12);
}

std::string text_of(double x, int decimals, policy::Type type) {
  if (type == policy::Type::kDate || type == policy::Type::kTimestamp) {
    const policy::Value value{Rational(static_cast<std::int64_t>(std::llround(x))), type};
    return policy::to_string(value);
  }
  return plain(x, decimals);
}

std::optional<std::string> end_of(double x, int decimals, policy::Type type) {
  if (!std::isfinite(x)) return std::nullopt;
  return text_of(x, decimals, type);
}

}  // namespace

double HalfWidths::of(std::size_t step, std::size_t shares) {
  const auto [found, fresh] = known_.try_emplace({step, shares}, 0.0);
  if (fresh) {
    const Rational beta =
        (Rational(1) - confidence_.value()) /
        Rational(to_integer(static_cast<Int128>(std::max<std::size_t>(1, shares))));
    const auto error =
        plan::expected_error(checked_.steps()[step], Confidence::trusted(Rational(1) - beta));
    found->second = error.half_width ? error.half_width->to_double(Round::kUp) : 0;
  }
  return found->second;
}

std::vector<sql::Group> readable(const plan::Checked& checked, const Drawn& drawn,
                                 const Confidence& confidence) {
  const auto reader = std::make_shared<Reader>(checked, drawn, confidence);
  std::vector<sql::Group> groups;
  groups.reserve(drawn.keys.size());
  for (std::size_t k = 0; k < drawn.keys.size(); ++k) {
    groups.push_back({engine::decode_key(drawn.keys[k], checked.key_shapes()),
                      [reader, k](const sql::Post& which, std::size_t shares) {
                        return reader->read(which, k, shares);
                      }});
  }
  return groups;
}

AnswerCell cell_of(const sql::Cell& cell, const sql::Output& output) {
  AnswerCell out;
  if (const auto* const text = std::get_if<std::string>(&cell)) {
    out.value = *text;
  } else if (const auto* const flag = std::get_if<bool>(&cell)) {
    out.value = *flag ? "true" : "false";
  } else if (const auto* const number = std::get_if<sql::Number>(&cell)) {
    const int decimals = decimals_of(*number, output);
    out.is_number = output.type != policy::Type::kDate && output.type != policy::Type::kTimestamp;
    out.value = text_of(number->value, decimals, output.type);
    out.low = end_of(number->low, decimals, output.type);
    out.high = end_of(number->high, decimals, output.type);
  }
  return out;
}

bool is_small(const sql::Cell& cell, const sql::Output& output) {
  const auto* const number = std::get_if<sql::Number>(&cell);
  // The ends of a quantile's interval are values, not noise: a wide spread is no small group.
  if (number == nullptr || output.is_key || output.post.kind == sql::PostKind::kQuantile) {
    return false;
  }
  const double half = (number->high - number->low) / 2;
  return !(half < std::abs(number->value) / 2);
}

}  // namespace discreet::session
