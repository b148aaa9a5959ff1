// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdio>

#include "report/canvas.h"
#include "report/markup.h"

namespace discreet::report {
namespace {

std::string number(double x) {
  std::array<char, 32> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.2f", x);
  return buffer.data();
}

const char* colour(Ink ink) {
  switch (ink) {
    case Ink::kPaper:
      return "#ffffff";
    case Ink::kGrid:
      return "#d8d8d8";
    case Ink::kFill:
      return "#a8c8f0";
    case Ink::kLine:
      return "#103070";
  }
  return "";
}

class Svg : public Canvas {
 public:
  void line(const Points& points, Ink ink, int width) override {
    body_ += "<polyline points=\"" + list(points) + "\" fill=\"none\" stroke=\"" + colour(ink) +
             "\" stroke-width=\"" + std::to_string(width) + "\"/>\n";
  }
  void area(const Points& outline, Ink ink) override {
    body_ += "<polygon points=\"" + list(outline) + "\" fill=\"" + colour(ink) + "\"/>\n";
  }
  void text(double x, double y, Anchor anchor, const std::string& text) override {
    const char* const where =
        anchor == Anchor::kStart ? "start" : (anchor == Anchor::kMiddle ? "middle" : "end");
    body_ += "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" text-anchor=\"" + where +
             "\">" + escaped(text) + "</text>\n";
  }
  std::string bytes() const override {
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"800\" height=\"500\" "
           "viewBox=\"0 0 800 500\" font-family=\"sans-serif\" font-size=\"14\">\n"
           "<rect width=\"800\" height=\"500\" fill=\"white\"/>\n" +
           body_ + "</svg>\n";
  }

 private:
  static std::string list(const Points& points) {
    std::string out;
    for (const auto& [x, y] : points) out += number(x) + "," + number(y) + " ";
    return out;
  }
  std::string body_;
};

}  // namespace

std::unique_ptr<Canvas> svg_canvas() { return std::make_unique<Svg>(); }

}  // namespace discreet::report
