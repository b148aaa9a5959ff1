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

std::string escaped(const std::string& text) {
  std::string out;
  for (char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

template <class... Numbers>
std::string formatted(const char* form, Numbers... numbers) {
  std::array<char, 256> buffer;
  const int size = std::snprintf(buffer.data(), buffer.size(), form, numbers...);
  DISCREET_CHECK(size >= 0 && static_cast<std::size_t>(size) < buffer.size());
  return {buffer.data(), static_cast<std::size_t>(size)};
}

/// The height of the curve in the middle of the column, by straight lines between points.
double height_at(const Plot& plot, const PlotFrame& frame, double across) {
  const auto& points = plot.points;
  std::size_t i = 1;
  while (i + 1 < points.size() && frame.across(points[i].x) < across) ++i;
  if (points.size() == 1) return frame.upward(points[0].high);
  const double left = frame.across(points[i - 1].x);
  const double right = frame.across(points[i].x);
  const double part = right > left ? std::clamp((across - left) / (right - left), 0.0, 1.0) : 1;
  return (1 - part) * frame.upward(points[i - 1].high) + part * frame.upward(points[i].high);
}

}  // namespace

PlotFrame PlotFrame::of(const Plot& plot) {
  DISCREET_CHECK(!plot.points.empty());
  PlotFrame frame;
  double least = std::numeric_limits<double>::infinity();
  double most = 0;
  for (const PlotPoint& point : plot.points) {
    if (point.high > 0) least = std::min(least, point.high);
    most = std::max(most, point.high);
  }
  if (most > 0) {
    frame.decade_high = static_cast<int>(std::ceil(std::log10(most)));
    frame.decade_low =
        std::max(static_cast<int>(std::floor(std::log10(least))), frame.decade_high - kDecadesMax);
    frame.decade_low = std::min(frame.decade_low, frame.decade_high - 1);
  }
  frame.x_low = plot.points.front().x;
  frame.x_high = plot.points.back().x;
  if (!(frame.x_high > frame.x_low)) frame.x_high = frame.x_low + 1;
  return frame;
}

double PlotFrame::across(double x) const { return (x - x_low) / (x_high - x_low); }

double PlotFrame::upward(double y) const {
  if (!(y > 0)) return 0;
  return std::clamp((std::log10(y) - decade_low) / (decade_high - decade_low), 0.0, 1.0);
}

std::vector<double> PlotFrame::x_ticks() const {
  const double wanted = (x_high - x_low) / 8;
  double step = std::pow(10, std::floor(std::log10(wanted)));
  for (const double factor : {2.0, 2.5, 2.0}) {
    if (step >= wanted) break;
    step *= factor;
  }
  std::vector<double> ticks;
  for (double k = std::ceil(x_low / step - 1e-9); k * step <= x_high + 1e-9 * step; ++k) {
    ticks.push_back(k * step + 0.0);  // + 0: no "-0"
  }
  return ticks;
}

std::vector<int> PlotFrame::decades() const {
  const int step = (decade_high - decade_low + 9) / 10;
  std::vector<int> out;
  for (int decade = decade_high; decade >= decade_low; decade -= step) out.push_back(decade);
  return out;
}

std::string tick_text(double x) { return formatted("%.4g", x); }

std::string plot_text(const Plot& plot, int columns, int rows) {
  static constexpr std::array<const char*, 9> kBlocks = {" ", "▁", "▂", "▃", "▄",
                                                         "▅", "▆", "▇", "█"};
  const PlotFrame frame = PlotFrame::of(plot);
  const std::vector<int> decades = frame.decades();
  std::string out = plot.title + "\n" + plot.y_label + "\n";
  for (int row = 0; row < rows; ++row) {
    // A decade is named in the row that it falls in.
    std::string label;
    for (const int decade : decades) {
      const double from_top = 1 - frame.upward(std::pow(10.0, decade));
      if (std::min(rows - 1, static_cast<int>(from_top * rows + 1e-9)) == row) {
        label = decade == 0 ? "1" : "1e" + std::to_string(decade);
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

std::string plot_svg(const Plot& plot) {
  constexpr double kWidth = 800, kHeight = 500, kLeft = 80, kRight = 20, kTop = 50, kBottom = 60;
  const PlotFrame frame = PlotFrame::of(plot);
  const auto x_at = [&](double x) { return kLeft + frame.across(x) * (kWidth - kLeft - kRight); };
  const auto y_at = [&](double y) {
    return kHeight - kBottom - frame.upward(y) * (kHeight - kTop - kBottom);
  };
  std::string out =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"800\" height=\"500\" "
      "viewBox=\"0 0 800 500\" font-family=\"sans-serif\" font-size=\"14\">\n"
      "<rect width=\"800\" height=\"500\" fill=\"white\"/>\n";
  out += "<text x=\"80\" y=\"30\" font-size=\"16\">" + escaped(plot.title) + "</text>\n";
  for (const int decade : frame.decades()) {
    const double y = y_at(std::pow(10.0, decade));
    out += formatted("<path d=\"M80 %.2fH780\" stroke=\"#ddd\"/>\n", y);
    out += formatted("<text x=\"72\" y=\"%.2f\" text-anchor=\"end\">1e%d</text>\n", y + 5, decade);
  }
  for (const double x : frame.x_ticks()) {
    out += formatted("<path d=\"M%.2f 50V440\" stroke=\"#ddd\"/>\n", x_at(x));
    out += formatted("<text x=\"%.2f\" y=\"460\" text-anchor=\"middle\">", x_at(x)) + tick_text(x) +
           "</text>\n";
  }
  std::string band;
  std::string line;
  for (const PlotPoint& point : plot.points) {
    line += formatted("%.2f,%.2f ", x_at(point.x), y_at(point.high));
  }
  for (auto point = plot.points.rbegin(); point != plot.points.rend(); ++point) {
    band += formatted("%.2f,%.2f ", x_at(point->x), y_at(point->low));
  }
  out += "<polygon points=\"" + line + band + "\" fill=\"#a8c8f0\"/>\n";
  out +=
      "<polyline points=\"" + line + "\" fill=\"none\" stroke=\"#1f5fbf\" stroke-width=\"2\"/>\n";
  out += "<path d=\"M80 50V440H780\" fill=\"none\" stroke=\"black\"/>\n";
  out += "<text x=\"430\" y=\"488\" text-anchor=\"middle\">" + escaped(plot.x_label) + "</text>\n";
  out += "<text x=\"20\" y=\"245\" text-anchor=\"middle\" transform=\"rotate(-90 20 245)\">" +
         escaped(plot.y_label) + "</text>\n</svg>\n";
  return out;
}

}  // namespace discreet::report
