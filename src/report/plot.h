// SPDX-License-Identifier: Apache-2.0
// A curve between two bounds, on a logarithmic scale, as characters, SVG or PNG.
#pragma once

#include <string>
#include <vector>

namespace discreet::report {

/// At x the curve lies between low and high; 0 or less is drawn at the bottom.
struct PlotPoint {
  double x = 0;
  double low = 0;
  double high = 0;
};

struct Plot {
  std::string title;
  std::string x_label;
  std::string y_label;
  std::vector<PlotPoint> points;  ///< by x; at least one; finite
};

/// The part of the plane that is shown: x from 0 or the least, y in whole powers of ten.
struct PlotFrame {
  double x_low = 0;
  double x_high = 1;
  int decade_low = -1;
  int decade_high = 0;

  /// Requires: plot.points is not empty.
  static PlotFrame of(const Plot& plot);

  /// From 0 (left, bottom) to 1 (right, top).
  double across(double x) const;
  double upward(double y) const;
  /// Round numbers, at most about eight.
  std::vector<double> x_ticks() const;
  /// Powers of ten, at most about ten.
  std::vector<int> decades() const;
};

/// "0.5", "20": a tick's number.
std::string tick_text(double x);

/// Unicode blocks in a field of so many columns and rows, with its axes around it.
std::string plot_text(const Plot& plot, int columns, int rows);
std::string plot_svg(const Plot& plot);
std::string plot_png(const Plot& plot);  // plot_png.cc

}  // namespace discreet::report
