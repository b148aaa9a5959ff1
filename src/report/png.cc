// SPDX-License-Identifier: Apache-2.0
// PNG without a library: four colours, two bits a pixel, stored and not compressed. A picture is
// about 100 kB.
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include "report/canvas.h"

namespace discreet::report {
namespace {

constexpr int kDot = 2;  // pixels of a dot of the letters
constexpr std::string_view kPalette("\xff\xff\xff\xd8\xd8\xd8\xa8\xc8\xf0\x10\x30\x70", 12);

/// Letters of 3 by 5 dots; an octal digit is a row, from the top.
struct Glyph {
  char letter;
  int rows;
};
constexpr std::array<Glyph, 58> kGlyphs = {
    {{'0', 075557}, {'1', 026227}, {'2', 071747}, {'3', 071717}, {'4', 055711},  {'5', 074717},
     {'6', 074757}, {'7', 071111}, {'8', 075757}, {'9', 075717}, {'.', 000002},  {',', 000024},
     {'-', 000700}, {'+', 002720}, {'%', 051245}, {'/', 011244}, {'(', 012221},  {')', 042224},
     {':', 002020}, {'=', 007070}, {'<', 012421}, {'>', 042124}, {'_', 000007},  {'A', 025755},
     {'B', 065656}, {'C', 034443}, {'D', 065556}, {'E', 074647}, {'F', 074644},  {'G', 034553},
     {'H', 055755}, {'I', 072227}, {'J', 011152}, {'K', 055655}, {'L', 044447},  {'M', 057755},
     {'N', 065555}, {'O', 025552}, {'P', 065644}, {'Q', 025563}, {'R', 065655},  {'S', 034216},
     {'T', 072222}, {'U', 055557}, {'V', 055552}, {'W', 055775}, {'X', 055255},  {'Y', 055222},
     {'Z', 071247}, {'*', 005250}, {'[', 064446}, {']', 031113}, {'\'', 022000}, {'"', 055000},
     {'!', 022202}, {'?', 071202}, {';', 002024}, {'|', 022222}}};

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

class Png : public Canvas {
 public:
  void line(const Points& points, Ink ink, int width) override {
    for (std::size_t i = 1; i < points.size(); ++i) {
      const auto [x0, y0] = points[i - 1];
      const auto [x1, y1] = points[i];
      const int steps =
          1 + static_cast<int>(std::ceil(std::max(std::abs(x1 - x0), std::abs(y1 - y0))));
      for (int k = 0; k <= steps; ++k) {
        const double part = static_cast<double>(k) / steps;
        const int x = static_cast<int>(std::lround(x0 + part * (x1 - x0)));
        const int y = static_cast<int>(std::lround(y0 + part * (y1 - y0)));
        for (int dx = 0; dx < width; ++dx) {
          for (int dy = 0; dy < width; ++dy) set(x + dx, y + dy, ink);
        }
      }
    }
  }

  /// Inside is where a ray to the left crosses the outline an odd number of times.
  void area(const Points& outline, Ink ink) override {
    for (int y = 0; y < kHeight; ++y) {
      std::vector<double> crossings;
      for (std::size_t i = 0; i < outline.size(); ++i) {
        const auto [x0, y0] = outline[i];
        const auto [x1, y1] = outline[(i + 1) % outline.size()];
        if ((y0 <= y) == (y1 <= y)) continue;
        crossings.push_back(x0 + (y - y0) / (y1 - y0) * (x1 - x0));
      }
      std::sort(crossings.begin(), crossings.end());
      for (std::size_t i = 0; i + 1 < crossings.size(); i += 2) {
        const int to = static_cast<int>(std::lround(crossings[i + 1]));
        for (int x = static_cast<int>(std::lround(crossings[i])); x <= to; ++x) set(x, y, ink);
      }
    }
  }

  /// Letters that it has no shape for are left blank.
  void text(double x, double y, Anchor anchor, const std::string& text) override {
    const double width = static_cast<double>(text.size()) * 4 * kDot;
    const double shift = anchor == Anchor::kStart ? 0 : (anchor == Anchor::kMiddle ? 0.5 : 1.0);
    int left = static_cast<int>(std::lround(x - shift * width));
    const int top = static_cast<int>(std::lround(y)) - 5 * kDot;  // y is the line they stand on
    for (const char c : text) {
      letter(left, top, static_cast<char>(std::toupper(static_cast<unsigned char>(c))));
      left += 4 * kDot;
    }
  }

  std::string bytes() const override {
    const std::string header = big_endian(kWidth) + big_endian(kHeight) +
                               std::string("\x02\x03\0\0\0", 5);  // 2 bits a pixel, by a palette
    return "\x89PNG\r\n\x1a\n" + chunk("IHDR", header) + chunk("PLTE", std::string(kPalette)) +
           chunk("IDAT", stored(packed())) + chunk("IEND", "");
  }

 private:
  static std::size_t index(int x, int y) { return static_cast<std::size_t>(y * kWidth + x); }

  void set(int x, int y, Ink ink) {
    if (x < 0 || x >= kWidth || y < 0 || y >= kHeight) return;
    pixels_[index(x, y)] = static_cast<std::uint8_t>(ink);
  }

  void letter(int left, int top, char c) {
    const auto* const glyph =
        std::find_if(kGlyphs.begin(), kGlyphs.end(), [&](const Glyph& g) { return g.letter == c; });
    for (int bit = 0; glyph != kGlyphs.end() && bit < 15; ++bit) {
      if ((glyph->rows >> (14 - bit) & 1) == 0) continue;
      for (int dot = 0; dot < kDot * kDot; ++dot) {
        set(left + bit % 3 * kDot + dot % kDot, top + bit / 3 * kDot + dot / kDot, Ink::kLine);
      }
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

  std::vector<std::uint8_t> pixels_ =
      std::vector<std::uint8_t>(static_cast<std::size_t>(kWidth) * kHeight);
};

}  // namespace

std::unique_ptr<Canvas> png_canvas() { return std::make_unique<Png>(); }

}  // namespace discreet::report
