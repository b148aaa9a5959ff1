// SPDX-License-Identifier: Apache-2.0
#include "report/plot.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace discreet::report::plot_test {
namespace {

Plot sample() {
  Plot plot{.title = "a < b", .x_label = "epsilon", .y_label = "delta"};
  for (int i = 0; i <= 10; ++i) {
    plot.points.push_back({0.2 * i, std::pow(10.0, -i) / 2, std::pow(10.0, -i)});
  }
  return plot;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

TEST(PlotFrame, ShowsWholeDecadesAndRoundTicks) {
  const PlotFrame frame = PlotFrame::of(sample());
  EXPECT_EQ(frame.decade_low, -10);
  EXPECT_EQ(frame.decade_high, 0);
  EXPECT_EQ(frame.upward(1), 1);
  EXPECT_EQ(frame.upward(0), 0);
  EXPECT_NEAR(frame.upward(1e-5), 0.5, 1e-12);
  EXPECT_EQ(frame.across(2), 1);
  const auto ticks = frame.x_ticks();
  ASSERT_EQ(ticks.size(), 5u);
  EXPECT_NEAR(ticks[1], 0.5, 1e-12);
  EXPECT_EQ(tick_text(0.5), "0.5");
}

TEST(PlotFrame, IsSoundForOnePointAndForZeroes) {
  for (const Plot& plot :
       {Plot{.points = {{1, 0, 0}}}, Plot{.points = {{1, 0, 1}}},
        Plot{.points = {{0, 0, 1e-300}, {1, 0, 0}}}, Plot{.points = {{1e6, 0, 1}, {2e6, 0, 1}}}}) {
    const PlotFrame frame = PlotFrame::of(plot);
    EXPECT_LT(frame.x_low, frame.x_high);
    EXPECT_LT(frame.decade_low, frame.decade_high);
    EXPECT_FALSE(plot_text(plot, 40, 8).empty());
    EXPECT_FALSE(plot_svg(plot).empty());
    EXPECT_FALSE(plot_png(plot).empty());
  }
}

TEST(PlotText, FallsFromLeftToRight) {
  const std::string text = plot_text(sample(), 20, 5);
  EXPECT_EQ(text,
            "a < b\n"
            "delta\n"
            "     1 │▇▅▃▁\n"
            "  1e-2 │████▇▅▂▁\n"
            "  1e-4 │████████▇▅▃▁\n"
            "  1e-6 │████████████▇▅▃▁\n"
            "  1e-8 │████████████████▇▅▂▁\n"
            "       └────────────────────\n"
            "        0    0.5  1   1.5  2\n"
            "        epsilon\n");
}

TEST(PlotSvg, HoldsEveryPointAndEscapesText) {
  const std::string svg = plot_svg(sample());
  EXPECT_NE(svg.find("a &lt; b"), std::string::npos);
  const std::string line = svg.substr(0, svg.find("stroke-width=\"2\""));
  EXPECT_EQ(count(line.substr(line.rfind("<polyline")), ","), 11u);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
}

Plot bars() {
  return {.title = "ages",
          .y_scale = YScale::kLinear,
          .bars = {{0, 10, 4, 2, 6}, {10, 20, 8, 6, 10}, {20, 30, -1, -3, 1}}};
}

Plot boxes() {
  return {.title = "cost",
          .y_scale = YScale::kLinear,
          .boxes = {{"north", 0, 2, 4, 6, 10}, {"south", 2, 3, 5, 8, 9}}};
}

TEST(PlotText, DrawsBarsWithTheirIntervals) {
  EXPECT_EQ(bars_text(bars(), 10),
            "ages\n"
            "  0 to 10  │████░░ 4 (2 to 6)\n"
            "  10 to 20 │████████░░ 8 (6 to 10)\n"
            "  20 to 30 │░ -1 (-3 to 1)\n");
}

TEST(PlotText, DrawsBoxesOnOneScale) {
  EXPECT_EQ(boxes_text(boxes(), 11),
            "cost\n"
            "  north ├─▒▒█▒▒───┤\n"
            "  south   ├▒▒█▒▒▒┤ \n"
            "        0        10\n");
}

TEST(PlotText, JumpsWhereTheCurveIsMadeOfSteps) {
  const Plot plot{
      .points = {{0, 0, 0}, {5, 0, 1}, {10, 0, 4}}, .y_scale = YScale::kLinear, .steps = true};
  EXPECT_TRUE(plot_text(plot, 10, 1).starts_with("\n\n     4 │     ▂▂▂▂▂\n"));
}

TEST(PlotFile, DrawsBarsAndBoxes) {
  EXPECT_EQ(count(plot_svg(bars()), "<polygon"), 3u);
  EXPECT_EQ(count(plot_svg(boxes()), "<polygon"), 2u);
  EXPECT_NE(plot_svg(boxes()).find(">south<"), std::string::npos);
  EXPECT_NE(plot_png(bars()), plot_png(boxes()));
}

// Checked by hand against libpng; here the parts that a reader checks first.
TEST(PlotPng, IsAWellFormedFile) {
  const std::string png = plot_png(sample());
  EXPECT_EQ(png.substr(0, 8), "\x89PNG\r\n\x1a\n");
  std::size_t at = 8;
  std::string types;
  while (at + 12 <= png.size()) {
    std::size_t size = 0;
    for (std::size_t i = 0; i < 4; ++i) size = size << 8 | static_cast<unsigned char>(png[at + i]);
    types += png.substr(at + 4, 4) + " ";
    at += size + 12;
  }
  EXPECT_EQ(at, png.size());
  EXPECT_EQ(types, "IHDR PLTE IDAT IEND ");
  EXPECT_EQ(png.substr(png.size() - 4), "\xae\x42\x60\x82") << "the CRC of an empty IEND is known";
}

std::string as_day(double day) { return "day " + tick_text(day); }

TEST(Plot, WritesWhatIsMeasuredInItsOwnWords) {
  Plot bars{.y_scale = YScale::kLinear, .measured = as_day};
  bars.bars = {{100, 150, 3, 2, 4}, {150, 200, 5, 4, 6}};
  EXPECT_NE(bars_text(bars, 20).find("day 100 to day 150"), std::string::npos);
  EXPECT_NE(plot_svg(bars).find(">day 120<"), std::string::npos) << plot_svg(bars);
  Plot boxes{.y_scale = YScale::kLinear, .measured = as_day};
  boxes.boxes = {{"a", 18'000, 18'020, 18'050, 18'070, 18'100}};
  EXPECT_NE(boxes_text(boxes, 40).find("day 18000"), std::string::npos);
  EXPECT_NE(plot_svg(boxes).find(">day 18100<"), std::string::npos);
  EXPECT_EQ(plot_svg(boxes).find("day 0"), std::string::npos);  // dates have no zero
}

}  // namespace
}  // namespace discreet::report::plot_test
