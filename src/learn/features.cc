// SPDX-License-Identifier: Apache-2.0
#include "learn/features.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <set>

#include "policy/value.h"

namespace discreet::learn {

double Column::value(std::int64_t cell) const { return low + static_cast<double>(cell) * step; }

std::int64_t Column::cell(double value) const {
  if (!(value > low)) return 0;  // a NaN too
  const double k = std::nearbyint((std::min(value, high) - low) / step);
  return std::min(static_cast<std::int64_t>(k), cells() - 1);
}

std::int64_t Column::cells() const {
  if (categorical()) return static_cast<std::int64_t>(categories.size());
  return static_cast<std::int64_t>(std::floor((high - low) / step + 1e-9)) + 1;
}

std::string Column::text(double value) const {
  if (is_date) {
    const auto day = static_cast<std::int64_t>(std::floor(value));
    return policy::to_string(policy::number_value(policy::Type::kDate, Rational(day)));
  }
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.12g", value);
  return text.data();
}

Result<void> check_column(const Column& column) {
  if (column.categorical()) {
    if (std::set<std::string>(column.categories.begin(), column.categories.end()).size() !=
        column.categories.size()) {
      return invalid_input("column " + in_quotes(column.name) + " lists a value twice");
    }
    if (column.categories.size() > kValuesMax) {
      return invalid_input("column " + in_quotes(column.name) + " lists " +
                           std::to_string(column.categories.size()) +
                           " values; learning takes columns with at most " +
                           std::to_string(kValuesMax));
    }
    return {};
  }
  if (!std::isfinite(column.low) || !std::isfinite(column.high) || column.low >= column.high) {
    return invalid_input("column " + in_quotes(column.name) +
                         " needs a finite range of more than one value in the policy");
  }
  if (!(column.step > 0) || (column.high - column.low) / column.step > 0x1p52) {
    return invalid_input("column " + in_quotes(column.name) +
                         " needs a step above 0 that is not finer than 2^-52 of its range");
  }
  return {};
}

Result<void> check_entries(double entries, const std::string& fewer) {
  constexpr double kMost = 1 << 23;
  if (entries <= kMost) return {};
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.0f", entries);
  return invalid_input("this would measure " + std::string(text.data()) +
                       " numbers at once, of at most 8388608; " + fewer + "; nothing was charged");
}

Features::Features(const std::vector<Column>& columns, const std::vector<std::size_t>& at) {
  for (const std::size_t c : at) {
    const Column& column = columns[c];
    if (column.categorical()) {
      parts_.push_back({c, width_, column.categories.size(), 0, 0});
      for (const std::string& category : column.categories) {
        names_.push_back(column.name + "=" + category);
        marks_.push_back(true);
        anchors_.push_back(0);
        scales_.push_back(1);
      }
      width_ += column.categories.size();
      continue;
    }
    const bool holds_zero = column.low <= 0 && column.high >= 0;
    const double anchor = holds_zero ? 0 : (column.low + column.high) / 2;
    const double scale = std::max(column.high - anchor, anchor - column.low);
    parts_.push_back({c, width_, 0, column.step / scale, (column.low - anchor) / scale});
    names_.push_back(column.name);
    marks_.push_back(column.low == 0 && column.high == 1 && column.step == 1);
    anchors_.push_back(anchor);
    scales_.push_back(scale);
    ++width_;
  }
}

bool Features::encode(std::span<const std::int64_t> row, std::span<double> out) const {
  for (const Part& part : parts_) {
    const std::int64_t cell = row[part.column];
    if (cell == kMissing) return false;
    if (part.categories == 0) {
      out[part.first] = std::clamp(static_cast<double>(cell) * part.slope + part.shift, -1.0, 1.0);
      continue;
    }
    std::fill_n(out.begin() + static_cast<std::ptrdiff_t>(part.first), part.categories, 0.0);
    if (cell >= 0 && static_cast<std::size_t>(cell) < part.categories) {
      out[part.first + static_cast<std::size_t>(cell)] = 1;
    }
  }
  return true;
}

void settle_marks(const std::vector<Column>& columns, const std::vector<std::size_t>& at,
                  std::vector<double>& weights, double& intercept) {
  auto first = weights.begin();
  for (const std::size_t c : at) {
    const auto marks = static_cast<std::ptrdiff_t>(columns[c].categories.size());
    if (marks > 0) {
      const double mean = std::accumulate(first, first + marks, 0.0) / static_cast<double>(marks);
      for (auto w = first; w != first + marks; ++w) *w -= mean;
      intercept += mean;
    }
    first += std::max<std::ptrdiff_t>(marks, 1);
  }
}

void softmax(std::span<double> scores) {
  const double top = *std::max_element(scores.begin(), scores.end());
  double sum = 0;
  for (double& score : scores) sum += score = std::exp(score - top);
  for (double& score : scores) score /= sum;
}

}  // namespace discreet::learn
