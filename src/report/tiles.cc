// SPDX-License-Identifier: Apache-2.0
#include "report/tiles.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "base/check.h"
#include "report/markup.h"
#include "report/table.h"

namespace discreet::report {
namespace {

template <class... Numbers>
std::string printed_tile(const char* format, Numbers... numbers) {
  std::array<char, 200> buffer{};
  std::snprintf(buffer.data(), buffer.size(), format, numbers...);
  return buffer.data();
}

constexpr double kWidth = 800;
constexpr double kLetter = 6.5;         // of the small type
constexpr std::size_t kLabelled = 200;  // more tiles have no room for words

std::string shade(double dark) {
  return printed_tile("rgb(%d,%d,%d)", static_cast<int>(235 - 219 * dark),
                      static_cast<int>(242 - 194 * dark), static_cast<int>(252 - 140 * dark));
}

std::string words_at(double x, double y, const char* more, const std::string& text) {
  return printed_tile("<text x=\"%.1f\" y=\"%.1f\"%s>", x, y, more) + escaped(text) + "</text>\n";
}

/// Where everything stands.
struct Layout {
  std::size_t columns = 1;
  std::size_t rows = 1;
  double left = 0, top = 54;
  double side = 0, high = 0;

  explicit Layout(const Tiles& tiles) {
    const std::size_t count = tiles.tiles.size();
    columns =
        tiles.columns > 0
            ? tiles.columns
            : static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(count) * 1.6)));
    rows = (count + columns - 1) / columns;
    std::size_t longest = 0;
    for (const std::string& name : tiles.row_names) longest = std::max(longest, width(name));
    left = std::min(160.0, static_cast<double>(longest) * kLetter + 8);
    if (tiles.row_names.empty()) left = 0;
    if (!tiles.column_names.empty()) top += 16;
    side = (kWidth - left) / static_cast<double>(columns);
    high = std::clamp(side * 0.6, 3.0, 40.0);
  }
  std::size_t letters() const { return static_cast<std::size_t>(side / kLetter); }
  double x(std::size_t i) const { return left + side * static_cast<double>(i % columns); }
  double y(std::size_t i) const { return top + high * static_cast<double>(i / columns); }
};

/// The scale of shades, with its ends.
std::string legend(double least, double most, bool hidden) {
  std::string out = words_at(0, 40, "", printed_tile("%.4g", least));
  const double start = 60;
  for (int k = 0; k < 20; ++k) {
    out += printed_tile("<rect x=\"%.1f\" y=\"30\" width=\"8.5\" height=\"12\" fill=\"",
                        start + 8 * k) +
           shade(k / 19.0) + "\"/>\n";
  }
  out += words_at(start + 168, 40, "", printed_tile("%.4g", most));
  if (!hidden) return out;
  out +=
      "<rect x=\"320\" y=\"30\" width=\"20\" height=\"12\" fill=\"url(#hatch)\" "
      "stroke=\"#b03030\"/>\n";
  return out + words_at(346, 40, "", "hidden by the noise: its half width is more than half of it");
}

}  // namespace

std::string tiles_svg(const Tiles& tiles) {
  DISCREET_CHECK(!tiles.tiles.empty());
  const Layout layout(tiles);
  const std::size_t count = tiles.tiles.size();
  double least = tiles.tiles.front().value;
  double most = least;
  bool hidden = false;
  for (const Tile& tile : tiles.tiles) {
    least = std::min(least, tile.value);
    most = std::max(most, tile.value);
    hidden = hidden || tile.hidden;
  }
  const double height = layout.top + layout.high * static_cast<double>(layout.rows) + 2;
  std::string out = printed_tile(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"800\" height=\"%.0f\" viewBox=\"0 0 800 "
      "%.0f\" font-family=\"sans-serif\" font-size=\"11\">\n",
      height, height);
  out +=
      "<defs><pattern id=\"hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
      "patternTransform=\"rotate(45)\"><rect width=\"6\" height=\"6\" fill=\"#fff\" "
      "fill-opacity=\"0.35\"/><line x1=\"0\" y1=\"0\" x2=\"0\" y2=\"6\" stroke=\"#b03030\" "
      "stroke-opacity=\"0.55\"/></pattern></defs>\n";
  out += words_at(0, 16, " font-size=\"14\"", tiles.title) + legend(least, most, hidden);
  for (std::size_t c = 0; c < tiles.column_names.size(); ++c) {
    out += words_at(layout.x(c) + layout.side / 2, layout.top - 5, " text-anchor=\"middle\"",
                    shortened(tiles.column_names[c], layout.letters()));
  }
  for (std::size_t r = 0; r < tiles.row_names.size(); ++r) {
    out += words_at(layout.left - 6, layout.y(r * layout.columns) + layout.high / 2 + 4,
                    " text-anchor=\"end\"", shortened(tiles.row_names[r], 24));
  }
  for (std::size_t i = 0; i < count; ++i) {
    const Tile& tile = tiles.tiles[i];
    const double dark = most > least ? (tile.value - least) / (most - least) : 0;
    const double gap = layout.side > 8 ? 1 : 0;
    const std::string place =
        printed_tile("<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" ", layout.x(i),
                     layout.y(i), layout.side - gap, layout.high - gap);
    const std::string title =
        "<title>" + escaped(tile.label) + printed_tile(": %.6g", tile.value) + "</title></rect>\n";
    out += place + "fill=\"" + shade(dark) + "\">" + title;
    if (tile.hidden) out += place + "fill=\"url(#hatch)\">" + title;
    if (count > kLabelled || layout.letters() < 3) continue;
    const bool named = !tiles.column_names.empty();  // then the number is what is missing
    const std::string words =
        named ? printed_tile("%.0f", std::round(tile.value) + 0.0) : tile.label;
    out += words_at(layout.x(i) + 4, layout.y(i) + layout.high / 2 + 4,
                    dark > 0.5 ? " fill=\"#fff\"" : " fill=\"#000\"",
                    shortened(words, layout.letters() - 1));
  }
  return out + "</svg>\n";
}

}  // namespace discreet::report
