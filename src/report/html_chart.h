// SPDX-License-Identifier: Apache-2.0
// A chart of several named curves, as characters, SVG or PNG: for comparing what was promised with
// what was measured.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace discreet::report {

struct ChartCurve {
  std::string name;
  std::vector<std::pair<double, double>> points;  ///< by x; finite, and above 0 on a log scale
  bool bound = false;                             ///< a theorem's line: drawn thin
};

struct Chart {
  std::string title = {};
  std::string x_label = {};
  std::string y_label = {};
  bool x_log = false;
  bool y_log = false;
  bool apart = false;                   ///< points stand for themselves: nothing joins them
  std::vector<ChartCurve> curves = {};  ///< at most 26
};

/// Requires: some curve has a point.
std::string chart_text(const Chart& chart, int columns, int rows);
std::string chart_svg(const Chart& chart);
std::string chart_png(const Chart& chart);

}  // namespace discreet::report
