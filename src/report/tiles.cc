// SPDX-License-Identifier: Apache-2.0
#include "report/tiles.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "base/check.h"

namespace discreet::report {
namespace {

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else {
      out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    }
  }
  return out;
}

template <class... Numbers>
std::string printed(const char* format, Numbers... numbers) {
  std::array<char, 160> buffer{};
  std::snprintf(buffer.data(), buffer.size(), format, numbers...);
  return buffer.data();
}

constexpr double kWidth = 800;
constexpr std::size_t kLabelled = 200;  // more tiles have no room for words

}  // namespace

std::string tiles_svg(const Tiles& tiles) {
  DISCREET_CHECK(!tiles.tiles.empty());
  const std::size_t count = tiles.tiles.size();
  const std::size_t columns =
      tiles.columns > 0
          ? tiles.columns
          : static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(count) * 1.6)));
  const std::size_t rows = (count + columns - 1) / columns;
  const double side = kWidth / static_cast<double>(columns);
  const double high = std::clamp(side * 0.6, 3.0, 48.0);
  double least = tiles.tiles.front().value;
  double most = least;
  for (const Tile& tile : tiles.tiles) {
    least = std::min(least, tile.value);
    most = std::max(most, tile.value);
  }
  const double top = 26;
  const double height = top + high * static_cast<double>(rows);
  std::string out = printed(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"800\" height=\"%.0f\" viewBox=\"0 0 800 "
      "%.0f\" font-family=\"sans-serif\" font-size=\"11\">\n",
      height, height);
  out += "<text x=\"0\" y=\"16\" font-size=\"14\">" + escaped(tiles.title) +
         printed(" (from %.4g, light, to %.4g, dark)", least, most) + "</text>\n";
  for (std::size_t i = 0; i < count; ++i) {
    const Tile& tile = tiles.tiles[i];
    const double dark = most > least ? (tile.value - least) / (most - least) : 0;
    const double x = side * static_cast<double>(i % columns);
    const double y = top + high * static_cast<double>(i / columns);
    out += printed("<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" ", x, y, side - 1,
                   high - 1) +
           printed("fill=\"rgb(%d,%d,%d)\">", static_cast<int>(235 - 219 * dark),
                   static_cast<int>(242 - 194 * dark), static_cast<int>(252 - 140 * dark)) +
           "<title>" + escaped(tile.label) + printed(": %.6g", tile.value) + "</title></rect>\n";
    if (count > kLabelled) continue;
    const auto room = static_cast<std::size_t>(side / 7);
    const std::string label = tile.label.size() > room ? tile.label.substr(0, room) : tile.label;
    out += printed("<text x=\"%.2f\" y=\"%.2f\" fill=\"%s\">", x + 3, y + high / 2 + 4,
                   dark > 0.5 ? "#fff" : "#000") +
           escaped(label) + "</text>\n";
  }
  return out + "</svg>\n";
}

}  // namespace discreet::report
