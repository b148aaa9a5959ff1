// SPDX-License-Identifier: Apache-2.0
#include "local/bit_lines.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

namespace discreet::local::bit_lines_test {
namespace {

/// The bits as text, or the error's message.
std::string read(std::string_view text, std::size_t piece = 1 << 20) {
  BitLines lines;
  for (std::size_t at = 0; at < text.size(); at += piece) {
    const auto fed = lines.feed(text.substr(at, piece));
    if (!fed) return fed.error().message;
  }
  const auto finished = lines.finish();
  if (!finished) return finished.error().message;
  std::string out;
  for (std::uint8_t bit : lines.bits()) out += static_cast<char>('0' + bit);
  return out;
}

TEST(BitLines, ReadsEverySpelling) {
  EXPECT_EQ(read("0\n1\n1\n"), "011");
  EXPECT_EQ(read("yes\nNO\nYes\n"), "101");
  EXPECT_EQ(read("TRUE\nfalse\n"), "10");
  EXPECT_EQ(read("0\r\n1\r\n"), "01");
  EXPECT_EQ(read(" 0\t\n1"), "01");
  EXPECT_EQ(read("1\n\n\n"), "1");
  EXPECT_EQ(read("1\n0\n\r\n"), "10");
}

TEST(BitLines, NamesTheLineThatIsOff) {
  struct Case {
    std::string text;
    std::string begins;
  };
  const Case cases[] = {
      {"", "there is no input"},
      {"\n\n", "there is no input"},
      {"0\n1\n2\n", "line 3 is '2'"},
      {"0\n\n1\n", "line 2 is empty"},
      {"\n1\n", "line 1 is empty"},
      {"yes\n0\n", "line 2 is '0' but line 1 uses no/yes"},
      {"0\n1\ntrue\n", "line 3 is 'true' but line 1 uses 0/1"},
      {"maybe", "line 1 is 'maybe'"},
      {"0 1\n", "line 1 is '0 1'"},
      {"01\n", "line 1 is '01'"},
      {"1\n" + std::string(1 << 20, '1') + "\n", "line 2 is too long"},
      {std::string("1\n\0\n", 4), "line 2 is '?'"},
      {"1\n\xff\xfe\x01\n", "line 2 is '"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(read(c.text).substr(0, c.begins.size()), c.begins);
    const bool names_the_fix = read(c.text).find("write one bit a line") != std::string::npos ||
                               read(c.text).find("use one spelling") != std::string::npos;
    EXPECT_TRUE(names_the_fix) << read(c.text);
  }
}

RC_GTEST_PROP(BitLinesLaws, ReadsTheSameHoweverTheTextIsCut, ()) {
  const auto lines = *rc::gen::container<std::vector<std::string>>(
      rc::gen::element<std::string>("0", "1", "0", "1", "", "yes", "\r", " 1"));
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  const auto piece = *rc::gen::inRange<std::size_t>(1, 9);
  RC_ASSERT(read(text, piece) == read(text));
}

RC_GTEST_PROP(BitLinesLaws, ReadsWhatItSpells, (const std::vector<bool>& bits)) {
  RC_PRE(!bits.empty());
  const auto vocabulary =
      *rc::gen::element(Vocabulary::kDigits, Vocabulary::kNoYes, Vocabulary::kFalseTrue);
  std::string text;
  std::string expected;
  for (bool bit : bits) {
    text += std::string(spelling(vocabulary, bit)) + "\n";
    expected += bit ? '1' : '0';
  }
  RC_ASSERT(read(text) == expected);
}

}  // namespace
}  // namespace discreet::local::bit_lines_test
