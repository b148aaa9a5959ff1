// SPDX-License-Identifier: Apache-2.0
// Columns on declared domains, and rows of integers as vectors of reals. Every number here comes
// from the policy, never from the data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace discreet::learn {

/// A cell that has no value: its row is left out.
inline constexpr std::int64_t kMissing = std::numeric_limits<std::int64_t>::min();

/// A number low + k step, its cell being k from 0 on; or one of `categories`, its cell the place in
/// that list. A date is a number of days since 1970-01-01.
struct Column {
  std::string name;
  double low = 0;
  double high = 1;
  double step = 1;
  std::vector<std::string> categories = {};
  bool is_date = false;

  bool categorical() const { return !categories.empty(); }
  double value(std::int64_t cell) const;
  std::int64_t cell(double value) const;
  /// How many cells there are.
  std::int64_t cells() const;
  /// A number of the column as people write it: a date as 2026-11-16.
  std::string text(double value) const;
};

/// Fails with: kInvalidInput for an empty or endless range, a step that is not positive, a list
/// with a value twice or with more than kValuesMax.
Result<void> check_column(const Column& column);

/// The most values that a listed column may have: rows are read by a question that names them all.
inline constexpr std::size_t kValuesMax = 4096;

/// Whether one round can measure so many numbers: they and their noise are held in memory, several
/// times over, and a run that dies of it stays charged. Fails with: kInvalidInput.
Result<void> check_entries(double entries, const std::string& fewer);

/// Some columns of a table as one vector. A number becomes (v - anchor) / scale in [-1, 1], the
/// anchor being 0 if its range contains it (so that rare events stay short vectors), else the
/// middle; a category becomes a 1 in its place.
class Features {
 public:
  Features() = default;
  /// `at`: which columns, in this order.
  Features(const std::vector<Column>& columns, const std::vector<std::size_t>& at);

  std::size_t width() const { return width_; }
  /// False when a cell is missing; `out` is then undefined. Requires: out.size() == width().
  bool encode(std::span<const std::int64_t> row, std::span<double> out) const;
  /// "age", or "city=north".
  const std::vector<std::string>& names() const { return names_; }
  /// An entry that is 0 or 1 by its domain: its square is itself.
  bool is_mark(std::size_t i) const { return marks_[i]; }
  double anchor(std::size_t i) const { return anchors_[i]; }
  double scale(std::size_t i) const { return scales_[i]; }

 private:
  struct Part {
    std::size_t column;
    std::size_t first;
    std::size_t categories;  // 0: a number
    double slope, shift;     // of the cell
  };
  std::vector<Part> parts_;
  std::vector<std::string> names_;
  std::vector<double> anchors_, scales_;
  std::vector<bool> marks_;
  std::size_t width_ = 0;
};

/// Of the marks of a column one is set, so only differences of their weights mean something; what
/// they have in common is noise, which would decide about a category that is not listed. It goes to
/// the intercept: such a category is as the mean of the listed ones.
void settle_marks(const std::vector<Column>& columns, const std::vector<std::size_t>& at,
                  std::vector<double>& weights, double& intercept);

/// From the logarithms of odds to probabilities: e^score, divided by their sum.
void softmax(std::span<double> scores);

}  // namespace discreet::learn
