// SPDX-License-Identifier: Apache-2.0
// Bars and boxes on a terminal: one line each, from left to right.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "report/plot.h"
#include "report/table.h"

namespace discreet::report {
namespace {

std::string padded_right(const std::string& text, std::size_t columns) {
  const std::size_t used = width(text);
  return text + std::string(used < columns ? columns - used : 0, ' ');
}

/// Counts in full: "18096", not "1.81e+04".
std::string amount(double x) {
  std::array<char, 32> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.10g", x);
  return buffer.data();
}

std::string repeated(const char* text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

}  // namespace

std::string bars_text(const Plot& plot, int columns) {
  const auto written = plot.measured != nullptr ? plot.measured : tick_text;
  std::vector<std::string> labels;
  std::size_t label_width = 0;
  double most = 0;
  for (std::size_t i = 0; i < plot.bars.size(); ++i) {
    const PlotBar& bar = plot.bars[i];
    labels.push_back(i < plot.x_names.size() ? plot.x_names[i].second
                                             : written(bar.from) + " to " + written(bar.to));
    label_width = std::max(label_width, width(labels.back()));
    most = std::max(most, bar.high);
  }
  std::string out = plot.title + "\n";
  for (std::size_t i = 0; i < plot.bars.size(); ++i) {
    const PlotBar& bar = plot.bars[i];
    const auto at = [&](double y) {
      const double part = most > 0 ? std::clamp(y / most, 0.0, 1.0) : 0;
      return static_cast<int>(std::lround(part * columns));
    };
    const int full = at(bar.height);
    const int reach = at(bar.high);
    out += "  " + padded_right(labels[i], label_width) + " │" + repeated("█", full) +
           repeated("░", std::max(0, reach - full)) + " " + amount(bar.height) + " (" +
           amount(bar.low) + " to " + amount(bar.high) + ")\n";
  }
  return out;
}

std::string boxes_text(const Plot& plot, int columns) {
  std::size_t label_width = 0;
  double low = 0;
  double high = 1;
  for (std::size_t i = 0; i < plot.boxes.size(); ++i) {
    const PlotBox& box = plot.boxes[i];
    label_width = std::max(label_width, width(box.label));
    low = i == 0 ? box.least : std::min(low, box.least);
    high = i == 0 ? box.most : std::max(high, box.most);
  }
  if (!(high > low)) high = low + 1;
  const auto at = [&](double y) {
    return static_cast<int>(std::lround((y - low) / (high - low) * (columns - 1)));
  };
  std::string out = plot.title + "\n";
  for (const PlotBox& box : plot.boxes) {
    out += "  " + padded_right(box.label, label_width) + " ";
    for (int column = 0; column < columns; ++column) {
      const char* mark = " ";
      if (column >= at(box.least) && column <= at(box.most)) mark = "─";
      if (column == at(box.least)) mark = "├";
      if (column == at(box.most)) mark = "┤";
      if (column >= at(box.lower) && column <= at(box.upper)) mark = "▒";
      if (column == at(box.middle)) mark = "█";
      out += mark;
    }
    out += "\n";
  }
  const auto written = plot.measured != nullptr ? plot.measured : tick_text;
  const std::string left = written(low);
  const std::string right = written(high);
  const auto gap =
      static_cast<std::size_t>(std::max(1, columns - static_cast<int>(left.size() + right.size())));
  return out + std::string(label_width + 3, ' ') + left + std::string(gap, ' ') + right + "\n";
}

}  // namespace discreet::report
