// SPDX-License-Identifier: Apache-2.0
// A sheet of 800 by 500 to draw on; it becomes SVG or PNG. Four inks are enough.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace discreet::report {

enum class Ink { kPaper, kGrid, kFill, kLine };
enum class Anchor { kStart, kMiddle, kEnd };

class Canvas {
 public:
  static constexpr int kWidth = 800;
  static constexpr int kHeight = 500;
  using Points = std::vector<std::pair<double, double>>;

  virtual ~Canvas() = default;
  virtual void line(const Points& points, Ink ink, int width) = 0;
  virtual void area(const Points& outline, Ink ink) = 0;
  virtual void text(double x, double y, Anchor anchor, const std::string& text) = 0;
  /// The finished file.
  virtual std::string bytes() const = 0;
};

std::unique_ptr<Canvas> svg_canvas();
std::unique_ptr<Canvas> png_canvas();  // png.cc

}  // namespace discreet::report
