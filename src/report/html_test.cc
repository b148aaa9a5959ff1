// SPDX-License-Identifier: Apache-2.0
#include "report/html.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace discreet::report::html_test {
namespace {

Exhibit exhibit() {
  Exhibit out{.title = "A <b> & \"c\""};
  out.sections.push_back({.heading = "first",
                          .words = {"many words that are longer than a line of thirty columns"},
                          .columns = {"x", "y"},
                          .rows = {{Cell::words("<script>"), Cell::number("1.5")}}});
  out.sections.push_back(
      {.heading = "second",
       .chart =
           Chart{.title = "t",
                 .x_label = "x",
                 .y_label = "y",
                 .x_log = true,
                 .curves = {{.name = "up", .points = {{0.01, 0.1}, {1, 0.5}, {10, 0.9}}},
                            {.name = "flat", .points = {{0.01, 0.3}, {10, 0.3}}, .bound = true}}}});
  return out;
}

TEST(Exhibit, TextIsBrokenAtTheColumns) {
  const std::string text = exhibit_text(exhibit(), 40);
  EXPECT_NE(text.find("many words that are longer than a line\nof thirty columns"), text.npos)
      << text;
  EXPECT_NE(text.find("  a  up"), text.npos);
  EXPECT_EQ(text.find("PARTIAL"), text.npos);
}

TEST(Exhibit, PageEscapesAndHoldsEverything) {
  const std::string page = exhibit_html(exhibit());
  EXPECT_NE(page.find("A &lt;b&gt; &amp; &quot;c&quot;"), page.npos);
  EXPECT_NE(page.find("&lt;script&gt;"), page.npos);
  EXPECT_EQ(page.find("<script"), page.npos);
  EXPECT_NE(page.find("<svg"), page.npos);
  EXPECT_EQ(page.find("src="), page.npos);
}

TEST(Exhibit, PartialIsSaidInEveryForm) {
  Exhibit partial = exhibit();
  partial.partial = true;
  EXPECT_NE(exhibit_text(partial).find("PARTIAL"), std::string::npos);
  EXPECT_NE(exhibit_html(partial).find("PARTIAL"), std::string::npos);
  EXPECT_NE(exhibit_json(partial).find("\"partial\": true"), std::string::npos);
}

// Lines of a table have nothing between them.
TEST(Chart, PointsApartAreNotJoined) {
  Chart chart{.title = "", .curves = {{.name = "", .points = {{1, 0}, {2, 5}, {3, 5}}}}};
  const auto letters = [](const std::string& text) {
    const std::string field = text.substr(0, text.find('+'));  // above the axis
    return std::count(field.begin(), field.end(), 'a');
  };
  EXPECT_GT(letters(chart_text(chart, 40, 10)), 30);
  chart.apart = true;
  EXPECT_EQ(letters(chart_text(chart, 40, 10)), 3);
  EXPECT_NE(chart_svg(chart).find("<svg"), std::string::npos);
}

TEST(Chart, DrawsEveryCurveInEveryForm) {
  const Chart chart = *exhibit().sections[1].chart;
  EXPECT_EQ(chart_png(chart).substr(1, 3), "PNG");
  const std::string svg = chart_svg(chart);
  EXPECT_NE(svg.find("a  up"), svg.npos);
  EXPECT_NE(svg.find("b  flat"), svg.npos);
  const std::string text = chart_text(chart, 40, 10);
  EXPECT_NE(text.find('a'), text.npos);
  EXPECT_NE(text.find("bbbb"), text.npos);
  // One point is a chart too.
  EXPECT_NE(chart_text({.curves = {{.name = "dot", .points = {{1, 1}}}}}, 10, 4), "");
}

}  // namespace
}  // namespace discreet::report::html_test
