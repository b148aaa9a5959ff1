// SPDX-License-Identifier: Apache-2.0
// Named numbers with their intervals, one a line: a bar, its error bar, and both in figures.
#pragma once

#include <string>
#include <vector>

namespace discreet::report {

struct IntervalRow {
  std::string label;
  double value = 0;
  double low = 0;
  double high = 0;
  bool hidden = false;  ///< its error is as large as itself, nearly: grey
};

/// Requires: at least one row, finite numbers.
std::string intervals_svg(const std::string& title, const std::vector<IntervalRow>& rows);

}  // namespace discreet::report
