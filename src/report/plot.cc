// SPDX-License-Identifier: Apache-2.0
#include "report/plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>

#include "base/check.h"

namespace discreet::report {
namespace {

constexpr int kDecadesMax = 40;  // what lies further down is drawn at the bottom

/// The height of the curve in the middle of the column, by straight lines between points.
double height_at(const Plot& plot, const PlotFrame& frame, double across) {
  const auto& points = plot.points;
  std::size_t i = 1;
  while (i + 1 < points.size() && frame.across(points[i].x) < across) ++i;
  if (points.size() == 1) return frame.upward(points[0].high);
  const double left = frame.across(points[i - 1].x);
  const double right = frame.across(points[i].x);
  if (plot.steps) {
    const bool after = across >= right;
    return frame.upward(points[after ? i : i - 1].high);
  }
  const double part = right > left ? std::clamp((across - left) / (right - left), 0.0, 1.0) : 1;
  return (1 - part) * frame.upward(points[i - 1].high) + part * frame.upward(points[i].high);
}

}  // namespace

namespace {

/// Everything that has a height.
std::vector<double> heights(const Plot& plot) {
  std::vector<double> all;
  for (const PlotPoint& point : plot.points) all.push_back(point.high);
  for (const PlotBar& bar : plot.bars) {
    all.insert(all.end(), {bar.height, bar.low, bar.high});
  }
  for (const PlotBox& box : plot.boxes) all.insert(all.end(), {box.least, box.most});
  return all;
}

/// The least round number (1, 2, 5 times a power of ten) that is at least `wanted`.
double round_step(double wanted) {
  double step = std::pow(10, std::floor(std::log10(wanted)));
  for (const double factor : {2.0, 2.5, 2.0}) {
    if (step >= wanted) break;
    step *= factor;
  }
  return step;
}

std::vector<double> round_numbers(double low, double high) {
  const double step = round_step((high - low) / 8);
  std::vector<double> ticks;
  for (double k = std::ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; ++k) {
    ticks.push_back(k * step + 0.0);  // + 0: no "-0"
  }
  return ticks;
}

void set_decades(PlotFrame& frame, const std::vector<double>& all) {
  double least = std::numeric_limits<double>::infinity();
  double most = 0;
  for (const double y : all) {
    if (y > 0) least = std::min(least, y);
    most = std::max(most, y);
  }
  if (most <= 0) return;
  frame.decade_high = static_cast<int>(std::ceil(std::log10(most)));
  frame.decade_low =
      std::max(static_cast<int>(std::floor(std::log10(least))), frame.decade_high - kDecadesMax);
  frame.decade_low = std::min(frame.decade_low, frame.decade_high - 1);
}

}  // namespace

PlotFrame PlotFrame::of(const Plot& plot) {
  const std::vector<double> all = heights(plot);
  DISCREET_CHECK(!all.empty());
  PlotFrame frame;
  frame.y_scale = plot.y_scale;
  if (plot.y_scale == YScale::kLogarithmic) {
    set_decades(frame, all);
  } else {
    const bool from_zero = plot.boxes.empty() || plot.measured == nullptr;
    frame.y_low = *std::min_element(all.begin(), all.end());
    if (from_zero) frame.y_low = std::min(0.0, frame.y_low);
    frame.y_high = *std::max_element(all.begin(), all.end());
    if (!(frame.y_high > frame.y_low)) frame.y_high = frame.y_low + 1;
  }
  if (!plot.boxes.empty()) {
    frame.x_low = 0;
    frame.x_high = static_cast<double>(plot.boxes.size());
  } else {
    frame.x_low = plot.points.empty() ? plot.bars.front().from : plot.points.front().x;
    frame.x_high = plot.points.empty() ? plot.bars.back().to : plot.points.back().x;
  }
  if (!(frame.x_high > frame.x_low)) frame.x_high = frame.x_low + 1;
  return frame;
}

double PlotFrame::across(double x) const { return (x - x_low) / (x_high - x_low); }

double PlotFrame::upward(double y) const {
  if (y_scale == YScale::kLinear) return std::clamp((y - y_low) / (y_high - y_low), 0.0, 1.0);
  if (!(y > 0)) return 0;
  return std::clamp((std::log10(y) - decade_low) / (decade_high - decade_low), 0.0, 1.0);
}

std::vector<double> PlotFrame::x_ticks() const { return round_numbers(x_low, x_high); }

std::vector<PlotTick> PlotFrame::y_ticks() const {
  std::vector<PlotTick> ticks;
  if (y_scale == YScale::kLinear) {
    for (const double y : round_numbers(y_low, y_high)) ticks.emplace_back(y, tick_text(y));
    std::reverse(ticks.begin(), ticks.end());
    return ticks;
  }
  const int step = (decade_high - decade_low + 9) / 10;
  for (int decade = decade_high; decade >= decade_low; decade -= step) {
    ticks.emplace_back(std::pow(10.0, decade), decade == 0 ? "1" : "1e" + std::to_string(decade));
  }
  return ticks;
}

std::string tick_text(double x) {
  std::array<char, 32> buffer{};
  // In full where that is short: 15000, not 1.5e+04.
  std::snprintf(buffer.data(), buffer.size(), std::abs(x) < 1e7 ? "%.7g" : "%.4g", x);
  return buffer.data();
}

std::string plot_text(const Plot& plot, int columns, int rows) {
  static constexpr std::array<const char*, 9> kBlocks = {" ", "▁", "▂", "▃", "▄",
                                                         "▅", "▆", "▇", "█"};
  const PlotFrame frame = PlotFrame::of(plot);
  const std::vector<PlotTick> marks = frame.y_ticks();
  std::string out = plot.title + "\n" + plot.y_label + "\n";
  for (int row = 0; row < rows; ++row) {
    // A mark is named in the row that it falls in.
    std::string label;
    for (const auto& [y, text] : marks) {
      const double from_top = 1 - frame.upward(y);
      if (std::min(rows - 1, static_cast<int>(from_top * rows + 1e-9)) == row) {
        label = text;
        break;
      }
    }
    out += std::string(6 - std::min<std::size_t>(6, label.size()), ' ') + label + " │";
    std::string line;
    for (int column = 0; column < columns; ++column) {
      const double eighths = height_at(plot, frame, (column + 0.5) / columns) * rows * 8;
      const double below = static_cast<double>(rows - 1 - row) * 8;
      line += kBlocks[static_cast<std::size_t>(std::clamp(eighths - below, 0.0, 8.0))];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  out += "       └";
  for (int column = 0; column < columns; ++column) out += "─";
  std::string ticks(static_cast<std::size_t>(columns) + 16, ' ');
  std::size_t free_from = 0;
  for (const double x : frame.x_ticks()) {
    const std::string text = tick_text(x);
    const auto at = 8 + static_cast<std::size_t>(std::lround(frame.across(x) * (columns - 1)));
    if (at < free_from || at + text.size() > ticks.size()) continue;
    ticks.replace(at, text.size(), text);
    free_from = at + text.size() + 1;
  }
  ticks.erase(ticks.find_last_not_of(' ') + 1);
  return out + "\n" + ticks + "\n        " + plot.x_label + "\n";
}

namespace {

/// Where things are on a canvas.
class Place {
 public:
  explicit Place(const PlotFrame& frame) : frame_(frame) {}
  double x(double value) const { return kLeft + frame_.across(value) * (kRight - kLeft); }
  double y(double value) const { return kBottom - frame_.upward(value) * (kBottom - kTop); }

  static constexpr double kLeft = 80, kRight = 780, kTop = 50, kBottom = 440;

 private:
  const PlotFrame& frame_;
};

void draw_frame(const Plot& plot, const PlotFrame& frame, const Place& place, Canvas& canvas) {
  canvas.text(Place::kLeft, 22, Anchor::kStart, plot.title);
  canvas.text(8, 42, Anchor::kStart, plot.y_label);
  for (const auto& [y, text] : frame.y_ticks()) {
    canvas.line({{Place::kLeft, place.y(y)}, {Place::kRight, place.y(y)}}, Ink::kGrid, 1);
    const bool measured = plot.measured != nullptr && !plot.boxes.empty();
    canvas.text(Place::kLeft - 8, place.y(y) + 5, Anchor::kEnd, measured ? plot.measured(y) : text);
  }
  std::vector<PlotTick> ticks = plot.x_names;
  if (ticks.empty() && plot.boxes.empty()) {
    const auto written = plot.measured != nullptr ? plot.measured : tick_text;
    for (const double x : frame.x_ticks()) ticks.emplace_back(x, written(x));
  }
  for (const auto& [x, text] : ticks) {
    canvas.line({{place.x(x), Place::kTop}, {place.x(x), Place::kBottom}}, Ink::kGrid, 1);
    canvas.text(place.x(x), Place::kBottom + 20, Anchor::kMiddle, text);
  }
  canvas.text((Place::kLeft + Place::kRight) / 2, 488, Anchor::kMiddle, plot.x_label);
}

void draw_curve(const Plot& plot, const Place& place, Canvas& canvas) {
  Canvas::Points line;
  Canvas::Points back;
  for (std::size_t i = 0; i < plot.points.size(); ++i) {
    const PlotPoint& point = plot.points[i];
    const double x = place.x(point.x);
    if (plot.steps && i > 0) {
      line.emplace_back(x, place.y(plot.points[i - 1].high));
      back.emplace_back(x, place.y(plot.points[i - 1].low));
    }
    line.emplace_back(x, place.y(point.high));
    back.emplace_back(x, place.y(point.low));
  }
  Canvas::Points band = line;
  band.insert(band.end(), back.rbegin(), back.rend());
  canvas.area(band, Ink::kFill);
  canvas.line(line, Ink::kLine, 2);
}

void draw_bar(const PlotBar& bar, const Place& place, Canvas& canvas) {
  const double left = place.x(bar.from) + 1;
  const double right = place.x(bar.to) - 1;
  const double middle = (left + right) / 2;
  const double cap = std::min(4.0, (right - left) / 4);
  canvas.area({{left, place.y(0)},
               {left, place.y(bar.height)},
               {right, place.y(bar.height)},
               {right, place.y(0)}},
              Ink::kFill);
  canvas.line({{middle, place.y(bar.low)}, {middle, place.y(bar.high)}}, Ink::kLine, 1);
  for (const double end : {bar.low, bar.high}) {
    canvas.line({{middle - cap, place.y(end)}, {middle + cap, place.y(end)}}, Ink::kLine, 1);
  }
}

void draw_box(const PlotBox& box, double at, const Place& place, Canvas& canvas) {
  const double left = place.x(at + 0.25);
  const double right = place.x(at + 0.75);
  const double middle = (left + right) / 2;
  const Canvas::Points outline = {{left, place.y(box.lower)},
                                  {left, place.y(box.upper)},
                                  {right, place.y(box.upper)},
                                  {right, place.y(box.lower)},
                                  {left, place.y(box.lower)}};
  canvas.area(outline, Ink::kFill);
  canvas.line(outline, Ink::kLine, 1);
  canvas.line({{left, place.y(box.middle)}, {right, place.y(box.middle)}}, Ink::kLine, 3);
  canvas.line({{middle, place.y(box.least)}, {middle, place.y(box.lower)}}, Ink::kLine, 1);
  canvas.line({{middle, place.y(box.upper)}, {middle, place.y(box.most)}}, Ink::kLine, 1);
  for (const double end : {box.least, box.most}) {
    canvas.line({{middle - 12, place.y(end)}, {middle + 12, place.y(end)}}, Ink::kLine, 1);
  }
  canvas.text(middle, Place::kBottom + 20, Anchor::kMiddle, box.label);
}

}  // namespace

void draw_plot(const Plot& plot, Canvas& canvas) {
  const PlotFrame frame = PlotFrame::of(plot);
  const Place place(frame);
  draw_frame(plot, frame, place, canvas);
  for (const PlotBar& bar : plot.bars) draw_bar(bar, place, canvas);
  for (std::size_t i = 0; i < plot.boxes.size(); ++i) {
    draw_box(plot.boxes[i], static_cast<double>(i), place, canvas);
  }
  if (!plot.points.empty()) draw_curve(plot, place, canvas);
  canvas.line({{Place::kLeft, Place::kTop},
               {Place::kLeft, Place::kBottom},
               {Place::kRight, Place::kBottom}},
              Ink::kLine, 1);
}

std::string plot_svg(const Plot& plot) {
  const auto canvas = svg_canvas();
  draw_plot(plot, *canvas);
  return canvas->bytes();
}

std::string plot_png(const Plot& plot) {
  const auto canvas = png_canvas();
  draw_plot(plot, *canvas);
  return canvas->bytes();
}

}  // namespace discreet::report
