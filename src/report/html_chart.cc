// SPDX-License-Identifier: Apache-2.0
#include "report/html_chart.h"

#include <algorithm>
#include <cmath>

#include "report/canvas.h"
#include "report/plot.h"

namespace discreet::report {
namespace {

/// One axis: linear from 0 or the least value, or whole powers of ten.
class Axis {
 public:
  Axis(bool logarithmic, double low, double high) : logarithmic_(logarithmic) {
    if (logarithmic) {
      low_ = std::floor(std::log10(std::max(low, 1e-300)) + 1e-9);
      high_ = std::max(low_ + 1, std::ceil(std::log10(std::max(high, 1e-300)) - 1e-9));
      return;
    }
    low_ = std::min(0.0, low);
    high_ = high > low_ ? high : low_ + 1;
  }

  /// From 0 to 1.
  double part(double value) const {
    const double at = logarithmic_ ? std::log10(std::max(value, 1e-300)) : value;
    return std::clamp((at - low_) / (high_ - low_), 0.0, 1.0);
  }

  std::vector<double> ticks() const {
    std::vector<double> out;
    if (logarithmic_) {
      const double step = std::max(1.0, std::ceil((high_ - low_) / 8));
      for (double x = low_; x <= high_ + 1e-9; x += step) out.push_back(std::pow(10, x));
      return out;
    }
    const double rough = (high_ - low_) / 6;
    const double ten = std::pow(10, std::floor(std::log10(rough)));
    const double step = rough / ten < 1.5 ? ten : (rough / ten < 3.5 ? 2 * ten : 5 * ten);
    for (double x = std::ceil(low_ / step) * step; x <= high_ + step * 1e-9; x += step) {
      out.push_back(x);
    }
    return out;
  }

 private:
  bool logarithmic_;
  double low_ = 0;
  double high_ = 1;
};

struct Frame {
  Axis x;
  Axis y;

  static Frame of(const Chart& chart) {
    double left = 1e300, right = -1e300, bottom = 1e300, top = -1e300;
    for (const ChartCurve& curve : chart.curves) {
      for (const auto& [a, b] : curve.points) {
        left = std::min(left, a);
        right = std::max(right, a);
        bottom = std::min(bottom, b);
        top = std::max(top, b);
      }
    }
    if (chart.apart) right += 1;  // room for the last point's mark
    return {Axis(chart.x_log, left, right), Axis(chart.y_log, bottom, top)};
  }
};

using Points = std::vector<std::pair<double, double>>;

char letter(std::size_t curve) { return static_cast<char>('a' + curve % 26); }

void draw(const Chart& chart, Canvas& canvas) {
  constexpr double kLeft = 80, kRight = 560, kTop = 50, kBottom = 440;
  const Frame frame = Frame::of(chart);
  const auto x = [&](double v) { return kLeft + frame.x.part(v) * (kRight - kLeft); };
  const auto y = [&](double v) { return kBottom - frame.y.part(v) * (kBottom - kTop); };
  canvas.text(kLeft, 22, Anchor::kStart, chart.title);
  canvas.text(8, 42, Anchor::kStart, chart.y_label);
  for (const double tick : frame.y.ticks()) {
    canvas.line({{kLeft, y(tick)}, {kRight, y(tick)}}, Ink::kGrid, 1);
    canvas.text(kLeft - 8, y(tick) + 5, Anchor::kEnd, tick_text(tick));
  }
  for (const double tick : frame.x.ticks()) {
    canvas.line({{x(tick), kTop}, {x(tick), kBottom}}, Ink::kGrid, 1);
    canvas.text(x(tick), kBottom + 20, Anchor::kMiddle, tick_text(tick));
  }
  canvas.text((kLeft + kRight) / 2, 488, Anchor::kMiddle, chart.x_label);
  for (std::size_t i = 0; i < chart.curves.size(); ++i) {
    const ChartCurve& curve = chart.curves[i];
    Canvas::Points points;
    for (const auto& [a, b] : curve.points) points.emplace_back(x(a), y(b));
    if (chart.apart) {
      for (const auto& [a, b] : points) {
        canvas.line({{a - 9, b}, {a + 9, b}}, Ink::kLine, curve.bound ? 1 : 3);
        canvas.text(a + 12 + 10 * static_cast<double>(i), b + 4, Anchor::kStart,
                    std::string(1, letter(i)));
      }
    } else if (!points.empty()) {
      canvas.line(points, Ink::kLine, curve.bound ? 1 : 3);
      canvas.text(points.back().first + 4, points.back().second + 4, Anchor::kStart,
                  std::string(1, letter(i)));
    }
    canvas.text(kRight + 24, kTop + 20 + 22 * static_cast<double>(i), Anchor::kStart,
                std::string(1, letter(i)) + "  " + curve.name);
  }
  canvas.line({{kLeft, kTop}, {kLeft, kBottom}, {kRight, kBottom}}, Ink::kLine, 1);
}

/// y on the curve at x, between its points; NaN beyond them.
double curve_height_at(const ChartCurve& curve, double x, bool x_log) {
  for (std::size_t i = 0; i + 1 < curve.points.size(); ++i) {
    const auto& [x0, y0] = curve.points[i];
    const auto& [x1, y1] = curve.points[i + 1];
    if (x < x0 || x > x1) continue;
    const auto scale = [&](double v) { return x_log ? std::log(v) : v; };
    const double part = x1 > x0 ? (scale(x) - scale(x0)) / (scale(x1) - scale(x0)) : 0;
    return y0 + part * (y1 - y0);
  }
  return std::nan("");
}

}  // namespace

std::string chart_text(const Chart& chart, int columns, int rows) {
  const Frame frame = Frame::of(chart);
  double left = 1e300, right = -1e300;
  for (const ChartCurve& curve : chart.curves) {
    for (const auto& [a, b] : curve.points) {
      left = std::min(left, a);
      right = std::max(right, a);
    }
  }
  const auto width = static_cast<std::size_t>(columns);
  std::vector<std::string> field(static_cast<std::size_t>(rows), std::string(width, ' '));
  for (std::size_t i = 0; i < chart.curves.size(); ++i) {
    const ChartCurve& curve = chart.curves[i];
    const auto put = [&](std::size_t column, double y) {
      const auto row = static_cast<std::size_t>(
          std::lround((1 - frame.y.part(y)) * static_cast<double>(rows - 1)));
      field[row][column] = letter(i);
    };
    for (const auto& [a, b] : chart.apart ? curve.points : Points{}) {
      const double part = right > left ? (a - left) / (right - left) : 0;
      // Curves side by side, so that equal heights can both be read.
      put(std::min(width - 1, static_cast<std::size_t>(part * (columns - 1)) + i), b);
    }
    if (chart.apart) continue;
    for (std::size_t column = 0; column < width; ++column) {
      const double part = static_cast<double>(column) / static_cast<double>(columns - 1);
      const double x =
          chart.x_log ? left * std::pow(right / left, part) : left + part * (right - left);
      double y = curve_height_at(curve, x, chart.x_log);
      if (curve.points.size() == 1 && column == 0) y = curve.points[0].second;
      if (!std::isnan(y)) put(column, y);
    }
  }
  std::string out = chart.title + "\n" + chart.y_label + "\n";
  const std::vector<double> ticks = frame.y.ticks();
  for (std::size_t row = 0; row < field.size(); ++row) {
    std::string label;
    for (const double tick : ticks) {
      if (std::lround((1 - frame.y.part(tick)) * static_cast<double>(rows - 1)) ==
          static_cast<long>(row)) {
        label = tick_text(tick);
      }
    }
    out += std::string(8 - std::min<std::size_t>(8, label.size()), ' ') + label + " |";
    field[row].erase(field[row].find_last_not_of(' ') + 1);
    out += field[row] + "\n";
  }
  const std::string from = tick_text(left);
  const std::string to = tick_text(right);
  out += std::string(9, ' ') + "+" + std::string(width, '-') + "\n" + std::string(10, ' ') + from +
         std::string(width > from.size() + to.size() ? width - from.size() - to.size() : 1, ' ') +
         to + "\n" + std::string(10, ' ') + chart.x_label + (chart.x_log ? " (logarithmic)" : "") +
         "\n";
  for (std::size_t i = 0; i < chart.curves.size(); ++i) {
    out += std::string("  ") + letter(i) + "  " + chart.curves[i].name + "\n";
  }
  return out;
}

std::string chart_svg(const Chart& chart) {
  const auto canvas = svg_canvas();
  draw(chart, *canvas);
  return canvas->bytes();
}

std::string chart_png(const Chart& chart) {
  const auto canvas = png_canvas();
  draw(chart, *canvas);
  return canvas->bytes();
}

}  // namespace discreet::report
