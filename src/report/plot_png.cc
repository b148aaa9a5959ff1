// SPDX-License-Identifier: Apache-2.0
// PNG without a library: four colours, two bits a pixel, stored and not compressed. A picture is
// about 100 kB.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include "report/plot.h"

namespace discreet::report {
namespace {

constexpr int kWidth = 800, kHeight = 500, kLeft = 80, kRight = 20, kTop = 30, kBottom = 60;
constexpr int kDot = 2;  // pixels of a dot of the letters

enum Colour : std::uint8_t { kWhite, kGrey, kBand, kInk };
constexpr std::string_view kPalette("\xff\xff\xff\xd8\xd8\xd8\xa8\xc8\xf0\x10\x30\x70", 12);

/// Letters of 3 by 5 dots; an octal digit is a row, from the top.
struct Glyph {
  char letter;
  int rows;
};
constexpr std::array<Glyph, 23> kGlyphs = {
    {{'0', 075557}, {'1', 026227}, {'2', 071747}, {'3', 071717}, {'4', 055711}, {'5', 074717},
     {'6', 074757}, {'7', 071111}, {'8', 075757}, {'9', 075717}, {'.', 000002}, {'-', 000700},
     {'+', 002720}, {'d', 011757}, {'e', 075747}, {'l', 062227}, {'t', 027223}, {'a', 071757},
     {'p', 007574}, {'s', 034216}, {'i', 020222}, {'o', 007557}, {'n', 006555}}};

class Raster {
 public:
  void set(int x, int y, Colour colour) {
    if (x >= 0 && x < kWidth && y >= 0 && y < kHeight) pixels_[index(x, y)] = colour;
  }
  void rectangle(int x0, int y0, int x1, int y1, Colour colour) {
    for (int y = std::min(y0, y1); y <= std::max(y0, y1); ++y) {
      for (int x = std::min(x0, x1); x <= std::max(x0, x1); ++x) set(x, y, colour);
    }
  }
  int text_width(const std::string& text) const { return static_cast<int>(text.size()) * 4 * kDot; }
  void text(int x, int y, const std::string& text) {
    for (const char c : text) {
      const auto* const glyph = std::find_if(kGlyphs.begin(), kGlyphs.end(),
                                             [&](const Glyph& g) { return g.letter == c; });
      for (int bit = 0; glyph != kGlyphs.end() && bit < 15; ++bit) {
        if ((glyph->rows >> (14 - bit) & 1) == 0) continue;
        const int left = x + bit % 3 * kDot;
        const int top = y + bit / 3 * kDot;
        rectangle(left, top, left + kDot - 1, top + kDot - 1, kInk);
      }
      x += 4 * kDot;
    }
  }
  /// Rows as PNG wants them: a filter byte (none), then four pixels a byte.
  std::string packed() const {
    std::string out;
    for (int y = 0; y < kHeight; ++y) {
      out += '\0';
      for (int x = 0; x < kWidth; x += 4) {
        unsigned byte = 0;
        for (int i = 0; i < 4; ++i) byte = byte << 2 | pixels_[index(x + i, y)];
        out += static_cast<char>(byte);
      }
    }
    return out;
  }

 private:
  static std::size_t index(int x, int y) { return static_cast<std::size_t>(y * kWidth + x); }
  std::array<std::uint8_t, static_cast<std::size_t>(kWidth* kHeight)> pixels_{};
};

std::string big_endian(std::uint32_t n) {
  return {static_cast<char>(n >> 24), static_cast<char>(n >> 16), static_cast<char>(n >> 8),
          static_cast<char>(n)};
}

std::uint32_t crc32(std::string_view bytes) {
  std::uint32_t crc = 0xffffffff;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (0xedb88320 & (0 - (crc & 1)));
  }
  return ~crc;
}

std::uint32_t adler32(std::string_view bytes) {
  std::uint32_t a = 1;
  std::uint32_t b = 0;
  for (const char c : bytes) {
    a = (a + static_cast<unsigned char>(c)) % 65521;
    b = (b + a) % 65521;
  }
  return b << 16 | a;
}

std::string chunk(const std::string& type, const std::string& data) {
  return big_endian(static_cast<std::uint32_t>(data.size())) + type + data +
         big_endian(crc32(type + data));
}

/// A zlib stream of stored blocks.
std::string stored(const std::string& data) {
  constexpr std::size_t kBlock = 65535;
  std::string out = "\x78\x01";
  for (std::size_t at = 0; at < data.size(); at += kBlock) {
    const std::string block = data.substr(at, kBlock);
    const auto size = static_cast<std::uint32_t>(block.size());
    out += at + kBlock >= data.size() ? '\1' : '\0';
    for (const std::uint32_t n : {size, ~size}) {
      out += static_cast<char>(n);
      out += static_cast<char>(n >> 8);
    }
    out += block;
  }
  return out + big_endian(adler32(data));
}

int x_at(const PlotFrame& frame, double x) {
  return kLeft + static_cast<int>(std::lround(frame.across(x) * (kWidth - kLeft - kRight)));
}
int y_at(double upward) {
  return kHeight - kBottom - static_cast<int>(std::lround(upward * (kHeight - kTop - kBottom)));
}

void draw_axes(Raster& raster, const Plot& plot, const PlotFrame& frame) {
  for (const int decade : frame.decades()) {
    const int y = y_at(frame.upward(std::pow(10.0, decade)));
    const std::string label = "1e" + std::to_string(decade);
    raster.rectangle(kLeft, y, kWidth - kRight, y, kGrey);
    raster.text(kLeft - 6 - raster.text_width(label), y - 5, label);
  }
  for (const double tick : frame.x_ticks()) {
    const int x = x_at(frame, tick);
    const std::string label = tick_text(tick);
    raster.rectangle(x, kTop, x, kHeight - kBottom, kGrey);
    raster.text(x - raster.text_width(label) / 2, kHeight - kBottom + 10, label);
  }
  raster.text(kWidth / 2, kHeight - 25, plot.x_label);
  raster.text(8, 8, plot.y_label);
}

/// One column of pixels after the other: the band between the bounds, and the upper one as a line.
void draw_curve(Raster& raster, const Plot& plot, const PlotFrame& frame) {
  for (std::size_t i = 1; i < plot.points.size(); ++i) {
    const PlotPoint& a = plot.points[i - 1];
    const PlotPoint& b = plot.points[i];
    const int left = x_at(frame, a.x);
    const int right = x_at(frame, b.x);
    const auto between = [&](double from, double to, int x) {
      const double part = right > left ? static_cast<double>(x - left) / (right - left) : 1;
      return y_at((1 - part) * frame.upward(from) + part * frame.upward(to));
    };
    for (int x = left; x <= right; ++x) {
      const int top = between(a.high, b.high, x);
      raster.rectangle(x, top, x, between(a.low, b.low, x), kBand);
    }
    for (int x = left; x < right; ++x) {
      raster.rectangle(x, between(a.high, b.high, x) - 1, x + 1, between(a.high, b.high, x + 1),
                       kInk);
    }
  }
}

}  // namespace

std::string plot_png(const Plot& plot) {
  const PlotFrame frame = PlotFrame::of(plot);
  Raster raster;
  draw_axes(raster, plot, frame);
  draw_curve(raster, plot, frame);
  raster.rectangle(kLeft, kTop, kLeft, kHeight - kBottom, kInk);
  raster.rectangle(kLeft, kHeight - kBottom, kWidth - kRight, kHeight - kBottom, kInk);
  const std::string header = big_endian(kWidth) + big_endian(kHeight) +
                             std::string("\x02\x03\0\0\0", 5);  // 2 bits a pixel, by a palette
  return "\x89PNG\r\n\x1a\n" + chunk("IHDR", header) + chunk("PLTE", std::string(kPalette)) +
         chunk("IDAT", stored(raster.packed())) + chunk("IEND", "");
}

}  // namespace discreet::report
