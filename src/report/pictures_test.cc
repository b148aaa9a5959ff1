// SPDX-License-Identifier: Apache-2.0
// Tiles and intervals: what is drawn, and that words stay words.
#include <gtest/gtest.h>

#include "report/intervals.h"
#include "report/markup.h"
#include "report/tiles.h"

namespace discreet::report::pictures_test {
namespace {

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) {
    ++found;
  }
  return found;
}

TEST(Markup, WordsStayWords) {
  EXPECT_EQ(escaped("<a & \"b\">\n"), "&lt;a &amp; &quot;b&quot;&gt; ");
  EXPECT_EQ(shortened("Zürich", 6), "Zürich");
  EXPECT_EQ(shortened("Zürich", 2), "Z…");
  EXPECT_EQ(shortened("", 2), "");
}

TEST(Tiles, AreAMatrixWithNamesAndSayWhoIsHidden) {
  const Tiles tiles{.title = "t",
                    .tiles = {{"a, x", 5}, {"a, y", 1, true}, {"b, x", 3}, {"b, <y>", 9}},
                    .columns = 2,
                    .row_names = {"a", "b"},
                    .column_names = {"x", "<y>"}};
  const std::string svg = tiles_svg(tiles);
  EXPECT_EQ(count(svg, "<title>"), 5U);  // four tiles, one of them hatched over
  EXPECT_EQ(count(svg, "<y>"), 0U);
  EXPECT_NE(svg.find("hidden by the noise"), std::string::npos);
  EXPECT_EQ(tiles_svg({.tiles = {{"a", 1}}}).find("hidden"), std::string::npos);
}

TEST(Intervals, AreBarsWithBothEnds) {
  const std::string svg =
      intervals_svg("rows", {{"f", 10, 8, 12}, {"m", -1, -3, 1, true}, {"<m>", 0, 0, 0}});
  EXPECT_EQ(count(svg, "<rect"), 3U);
  EXPECT_NE(svg.find("10 ± 2"), std::string::npos);
  EXPECT_EQ(count(svg, "<m>"), 0U);
}

}  // namespace
}  // namespace discreet::report::pictures_test
