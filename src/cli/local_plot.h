// SPDX-License-Identifier: Apache-2.0
// Two drawings of the local model: shares with their intervals and the truth, and errors against n
// or epsilon on two logarithmic scales, measured beside the theorem's line.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace discreet::cli {

struct ShareMark {
  std::string label;
  double share = 0, low = 0, high = 0;
  double truth = -1;  ///< below 0: not known
};

/// Bars of the estimates, whiskers of the intervals, a tick across where the truth is.
struct ShareChart {
  std::string title;
  std::vector<ShareMark> marks;  ///< 1 to 40
};

struct ErrorLine {
  std::string label;
  bool dots = false;                              ///< measured: a dot for each point; else a line
  std::vector<std::pair<double, double>> points;  ///< positive
};
struct ErrorChart {
  std::string title, x_label, y_label;
  std::vector<ErrorLine> lines;
};

/// Fails with: kInvalidInput unless the name ends in .svg or .png; kStorage.
Result<void> write_chart(const std::string& path, const ShareChart& chart);
Result<void> write_chart(const std::string& path, const ErrorChart& chart);

}  // namespace discreet::cli
