// SPDX-License-Identifier: Apache-2.0
#include "report/intervals.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "base/check.h"
#include "report/markup.h"
#include "report/table.h"

namespace discreet::report {
namespace {

template <class... Numbers>
std::string printed(const char* format, Numbers... numbers) {
  std::array<char, 240> buffer{};
  std::snprintf(buffer.data(), buffer.size(), format, numbers...);
  return buffer.data();
}

constexpr double kTop = 28;
constexpr double kLine = 20;
constexpr double kRight = 650;  // where bars end; figures stand beyond
constexpr std::size_t kLetters = 30;

}  // namespace

std::string intervals_svg(const std::string& title, const std::vector<IntervalRow>& rows) {
  DISCREET_CHECK(!rows.empty());
  double least = 0;
  double most = 0;
  std::size_t letters = 0;
  for (const IntervalRow& row : rows) {
    least = std::min(least, row.low);
    most = std::max(most, row.high);
    letters = std::max(letters, width(row.label));
  }
  if (most <= least) most = least + 1;
  const double left = 6.5 * static_cast<double>(std::min(letters, kLetters)) + 12;
  const auto x = [&](double value) {
    return left + (value - least) / (most - least) * (kRight - left);
  };
  const double height = kTop + kLine * static_cast<double>(rows.size()) + 4;
  std::string out = printed(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"800\" height=\"%.0f\" viewBox=\"0 0 800 "
      "%.0f\" font-family=\"sans-serif\" font-size=\"11\">\n",
      height, height);
  out += "<text x=\"0\" y=\"16\" font-size=\"14\">" + escaped(title) + "</text>\n";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const IntervalRow& row = rows[i];
    const double top = kTop + kLine * static_cast<double>(i);
    const double middle = top + kLine / 2;
    out += printed("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">", left - 6, middle + 4) +
           escaped(shortened(row.label, kLetters)) + "</text>\n";
    const double from = std::min(x(0), x(row.value));
    out += printed("<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.0f\" fill=\"%s\"/>\n",
                   from, top + 3, std::max(0.5, std::max(x(0), x(row.value)) - from), kLine - 6,
                   row.hidden ? "#d5d5d5" : "#9dbbdc");
    const char* const ink = row.hidden ? "#b03030" : "#10305c";
    out += printed("<path d=\"M%.2f %.2fH%.2f", x(row.low), middle, x(row.high));
    out += printed("M%.2f %.2fv8M%.2f %.2fv8\" stroke=\"%s\" fill=\"none\"/>\n", x(row.low),
                   middle - 4, x(row.high), middle - 4, ink);
    out += printed("<text x=\"%.1f\" y=\"%.1f\">%.5g \u00b1 %.2g</text>\n", kRight + 8, middle + 4,
                   row.value, (row.high - row.low) / 2);
  }
  out += printed("<path d=\"M%.2f %.2fV%.2f\" stroke=\"#444\"/>\n", x(0), kTop, height - 2);
  return out + "</svg>\n";
}

}  // namespace discreet::report
