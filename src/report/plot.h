// SPDX-License-Identifier: Apache-2.0
// Plots of released numbers as characters, SVG or PNG: a curve between two bounds, bars with the
// interval of their height, boxes of five numbers.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "report/canvas.h"

namespace discreet::report {

/// At x the curve lies between low and high; where the scale is logarithmic, 0 or less is drawn at
/// the bottom.
struct PlotPoint {
  double x = 0;
  double low = 0;
  double high = 0;
};

/// From x `from` to `to`. All finite.
struct PlotBar {
  double from = 0;
  double to = 1;
  double height = 0;
  double low = 0;
  double high = 0;
};

struct PlotBox {
  std::string label;
  double least = 0, lower = 0, middle = 0, upper = 0, most = 0;
};

enum class YScale { kLogarithmic, kLinear };

struct Plot {
  std::string title = {};
  std::string x_label = {};
  std::string y_label = {};
  std::vector<PlotPoint> points = {};  ///< by x; finite
  YScale y_scale = YScale::kLogarithmic;
  bool steps = false;  ///< the curve jumps at its points
  std::vector<PlotBar> bars = {};
  std::vector<PlotBox> boxes = {};  ///< side by side
  /// Names along x, in place of numbers.
  std::vector<std::pair<double, std::string>> x_names = {};
  /// How what bars stand on and boxes span is written, such as days as dates; then boxes need not
  /// begin at 0. None: as numbers.
  std::string (*measured)(double) = nullptr;
};

/// A mark on an axis.
using PlotTick = std::pair<double, std::string>;

/// The part of the plane that is shown: x from 0 or the least, y in whole powers of ten or from 0.
struct PlotFrame {
  double x_low = 0;
  double x_high = 1;
  YScale y_scale = YScale::kLogarithmic;
  int decade_low = -1;  ///< logarithmic
  int decade_high = 0;
  double y_low = 0;  ///< linear
  double y_high = 1;

  /// Requires: there is something to draw.
  static PlotFrame of(const Plot& plot);

  /// From 0 (left, bottom) to 1 (right, top).
  double across(double x) const;
  double upward(double y) const;
  /// Round numbers, at most about eight.
  std::vector<double> x_ticks() const;
  /// Powers of ten, at most about ten; or round numbers.
  std::vector<PlotTick> y_ticks() const;
};

/// "0.5", "20": a tick's number.
std::string tick_text(double x);

/// The curve as Unicode blocks in a field of so many columns and rows, with its axes around it.
std::string plot_text(const Plot& plot, int columns, int rows);
/// Bars and boxes as lines of text of about so many columns.
std::string bars_text(const Plot& plot, int columns);   // plot_lines.cc
std::string boxes_text(const Plot& plot, int columns);  // plot_lines.cc

void draw_plot(const Plot& plot, Canvas& canvas);
std::string plot_svg(const Plot& plot);
std::string plot_png(const Plot& plot);

}  // namespace discreet::report
