// SPDX-License-Identifier: Apache-2.0
#include "cli/local_plot.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "cli/plot_file.h"
#include "report/canvas.h"
#include "report/plot.h"

namespace discreet::cli {
namespace {

using report::Anchor;
using report::Canvas;
using report::Ink;

constexpr double kLeft = 90;
constexpr double kRight = Canvas::kWidth - 20;
constexpr double kTop = 64;
constexpr double kBottom = Canvas::kHeight - 70;

void line(Canvas& canvas, double x0, double y0, double x1, double y1, Ink ink, int width) {
  canvas.line({{x0, y0}, {x1, y1}}, ink, width);
}

void box(Canvas& canvas, double x0, double y0, double x1, double y1, Ink ink) {
  canvas.area({{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}}, ink);
}

void title(Canvas& canvas, const std::string& text) {
  canvas.text(Canvas::kWidth / 2.0, 26, Anchor::kMiddle, text);
}

void draw(Canvas& canvas, const ShareChart& chart) {
  double low = 0;
  double high = 0;
  for (const ShareMark& m : chart.marks) {
    low = std::min({low, m.low, m.share});
    high = std::max({high, m.high, m.share, m.truth});
  }
  const double pad = 0.05 * std::max(high - low, 1e-9);
  const auto y = [&](double v) {
    return kBottom - (v - low + pad) / (high - low + 2 * pad) * (kBottom - kTop);
  };
  double step = std::pow(10, std::floor(std::log10(std::max(high - low, 1e-9))));
  if ((high - low) / step < 3) step /= 5;
  for (double tick = std::ceil(low / step) * step; tick <= high; tick += step) {
    line(canvas, kLeft, y(tick), kRight, y(tick), Ink::kGrid, 1);
    const double shown = std::abs(tick) < step / 2 ? 0 : tick;
    canvas.text(kLeft - 8, y(tick) + 4, Anchor::kEnd, report::tick_text(shown));
  }
  const double room = (kRight - kLeft) / static_cast<double>(chart.marks.size());
  for (std::size_t i = 0; i < chart.marks.size(); ++i) {
    const ShareMark& m = chart.marks[i];
    const double centre = kLeft + room * (static_cast<double>(i) + 0.5);
    box(canvas, centre - 0.3 * room, y(std::max(0.0, m.share)), centre + 0.3 * room,
        y(std::min(0.0, m.share)), Ink::kFill);
    line(canvas, centre, y(m.low), centre, y(m.high), Ink::kLine, 1);
    line(canvas, centre - 4, y(m.low), centre + 4, y(m.low), Ink::kLine, 1);
    line(canvas, centre - 4, y(m.high), centre + 4, y(m.high), Ink::kLine, 1);
    if (m.truth >= 0) {
      line(canvas, centre - 0.4 * room, y(m.truth), centre + 0.4 * room, y(m.truth), Ink::kLine, 3);
    }
    const std::size_t every = chart.marks.size() > 16 ? chart.marks.size() / 8 : 1;
    if (i % every == 0) canvas.text(centre, kBottom + 18, Anchor::kMiddle, m.label.substr(0, 14));
  }
  title(canvas, chart.title);
  canvas.text((kLeft + kRight) / 2, Canvas::kHeight - 18, Anchor::kMiddle,
              "bar: estimate; whisker: interval; thick tick: truth");
}

// "1e-3" at powers of ten.
std::string power_text(int decade) {
  return decade >= -2 && decade <= 3 ? report::tick_text(std::pow(10, decade))
                                     : "1e" + std::to_string(decade);
}

struct Decades {
  int low = 0, high = 1;
  void take(double v) {
    low = std::min(low, static_cast<int>(std::floor(std::log10(v) + 1e-9)));
    high = std::max(high, static_cast<int>(std::ceil(std::log10(v) - 1e-9)));
  }
  double at(double v) const { return (std::log10(v) - low) / (high - low); }
};

void draw(Canvas& canvas, const ErrorChart& chart) {
  const auto& start = chart.lines.at(0).points.at(0);
  Decades across{static_cast<int>(std::floor(std::log10(start.first))),
                 static_cast<int>(std::floor(std::log10(start.first))) + 1};
  Decades upward{static_cast<int>(std::floor(std::log10(start.second))),
                 static_cast<int>(std::floor(std::log10(start.second))) + 1};
  for (const ErrorLine& l : chart.lines) {
    for (const auto& [px, py] : l.points) {
      across.take(px);
      upward.take(py);
    }
  }
  const auto x = [&](double v) { return kLeft + across.at(v) * (kRight - kLeft); };
  const auto y = [&](double v) { return kBottom - upward.at(v) * (kBottom - kTop); };
  for (int d = across.low; d <= across.high; ++d) {
    const double at = x(std::pow(10, d));
    line(canvas, at, kTop, at, kBottom, Ink::kGrid, 1);
    canvas.text(at, kBottom + 18, Anchor::kMiddle, power_text(d));
  }
  for (int d = upward.low; d <= upward.high; ++d) {
    const double at = y(std::pow(10, d));
    line(canvas, kLeft, at, kRight, at, Ink::kGrid, 1);
    canvas.text(kLeft - 8, at + 4, Anchor::kEnd, power_text(d));
  }
  for (const ErrorLine& l : chart.lines) {
    Canvas::Points points;
    for (const auto& [px, py] : l.points) {
      points.emplace_back(x(px), y(py));
      if (l.dots) box(canvas, x(px) - 4, y(py) - 4, x(px) + 4, y(py) + 4, Ink::kFill);
    }
    if (!l.dots) canvas.line(points, Ink::kLine, 2);
    // The lines fall, so there is room to the right of where they begin.
    canvas.text(points.front().first + 12, points.front().second - 8, Anchor::kStart, l.label);
  }
  title(canvas, chart.title);
  canvas.text((kLeft + kRight) / 2, Canvas::kHeight - 30, Anchor::kMiddle, chart.x_label);
  canvas.text(8, kTop - 14, Anchor::kStart, chart.y_label);
}

template <class Chart>
Result<void> write_file_of(const std::string& path, const Chart& chart) {
  DISCREET_TRY(check_plot_name(path));
  const auto canvas = path.ends_with(".png") ? report::png_canvas() : report::svg_canvas();
  draw(*canvas, chart);
  return write_file(path, canvas->bytes());
}

}  // namespace

Result<void> write_chart(const std::string& path, const ShareChart& chart) {
  return write_file_of(path, chart);
}
Result<void> write_chart(const std::string& path, const ErrorChart& chart) {
  return write_file_of(path, chart);
}

}  // namespace discreet::cli
