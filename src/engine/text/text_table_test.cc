// SPDX-License-Identifier: Apache-2.0
#include "engine/text/text_table.h"

#include <gtest/gtest.h>

#include "engine/text/csv_line.h"
#include "engine/text/line_cases_for_tests.h"
#include "engine/text/utf8.h"

namespace discreet::engine::text::text_table_test {
namespace {

TEST(TextTable, OneUnitsBytesChangeNobodyElsesRows) {
  LineTrial trial;
  LineCases cases(1);
  for (int i = 0; i < 4'000; ++i) {
    const LineCase the = cases.next();
    ASSERT_TRUE(trial.holds(the)) << "case " << i << ", JSON: " << the.is_json << "\nothers:\n"
                                  << the.others << "\none:\n"
                                  << the.one << "\nat " << the.at;
  }
}

// What the cases above must be able to find: a reader that goes on into the next line.
TEST(TextTable, ALineThatEndsTooSoonIsOneLine) {
  LineTrial trial;
  const std::string rows = "{\"u\": 1, \"x\": 5}\n{\"u\": 2, \"x\": 6}\n";
  for (const std::string one : {"{\"u\": 999, \"tags\": [", "{\"u\": 999, \"x\": \"", "[", "{"}) {
    EXPECT_TRUE(trial.holds({true, rows, one, 18, 0})) << one;
    EXPECT_TRUE(trial.holds({true, rows, one, 0, 0})) << one;
  }
}

TEST(CsvFields, AreWhatTheHeaderSays) {
  using Texts = std::vector<std::string>;
  const auto fields = [](std::string_view line) { return csv_texts(line, ','); };
  EXPECT_EQ(fields("a,b"), (Texts{"a", "b"}));
  EXPECT_EQ(fields(",,"), (Texts{"", "", ""}));
  EXPECT_EQ(fields("\"a,b\",c"), (Texts{"a,b", "c"}));
  EXPECT_EQ(fields("\"1\"\"2\",3"), (Texts{"1\"2", "3"}));
  EXPECT_EQ(fields("\"a\"b,c"), (Texts{"a", "c"}));
  EXPECT_EQ(fields("a\"b,c\",d"), (Texts{"a", "c", "d"}));
  EXPECT_EQ(fields("\"6"), (Texts{""}));
  EXPECT_EQ(fields("\"a,b"), (Texts{"", "b"}));
  EXPECT_EQ(fields("\"a\"\"b,c"), (Texts{"a", "c"}));
  EXPECT_EQ(fields("\"\""), (Texts{""}));
  CsvFields quoted("\"\",", ',');
  ASSERT_TRUE(quoted.next());
  EXPECT_FALSE(quoted.is_null());
  ASSERT_TRUE(quoted.next());
  EXPECT_TRUE(quoted.is_null());
  EXPECT_FALSE(quoted.next());
}

TEST(JsonLine, IsAnObjectOrCannotBeRead) {
  std::vector<JsonField> fields;
  std::string scratch;
  const auto value = [&](std::string_view line) {
    if (!json_fields(line, fields)) return std::string("unreadable");
    return fields.empty() ? "empty" : std::string(json_text(fields.back().value, scratch));
  };
  EXPECT_EQ(value("{}"), "empty");
  EXPECT_EQ(value("  {\"a\" : 1.50e+3 }\t"), "1.50e+3");
  EXPECT_EQ(value("\xef\xbb\xbf{\"a\":-0}"), "-0");
  EXPECT_EQ(value(R"({"a":"b\"\\\/\n\u00e9\ud83d\ude00"})"), "b\"\\/\n\xc3\xa9\xf0\x9f\x98\x80");
  EXPECT_EQ(value(R"({"a":[1, {"b":[]}], "a": {"c":true}})"), "{\"c\":true}");
  EXPECT_EQ(value(R"({"a":null})"), "null");
  for (const char* odd : {"",
                          " ",
                          "[",
                          "[1]",
                          "5",
                          "\"a\"",
                          "null",
                          "{",
                          "}",
                          "{}{}",
                          "{},",
                          "{\"a\"}",
                          "{\"a\":}",
                          "{\"a\":1,}",
                          "{a:1}",
                          "{\"a\":01}",
                          "{\"a\":1.}",
                          "{\"a\":.5}",
                          "{\"a\":1e}",
                          "{\"a\":+1}",
                          "{\"a\":nul}",
                          "{\"a\":\"b}",
                          "{\"a\":\"\\x\"}",
                          "{\"a\":\"\\ud800\"}",
                          "{\"a\":\"\\udc00\"}",
                          "{\"a\":\"\\ud800\\u0041\"}",
                          "{\"a\":\"\\u12\"}",
                          "{\"a\":\"\t\"}",
                          "{\"a\":[1,]}",
                          "{\"a\":[1 2]}",
                          "{\"a\":1 \"b\":2}",
                          "{\"a\":NaN}"}) {
    EXPECT_EQ(value(odd), "unreadable") << odd;
  }
  const auto nested = [](std::size_t depth) {
    return "{\"a\":" + std::string(depth, '[') + std::string(depth, ']') + "}";
  };
  EXPECT_NE(value(nested(60)), "unreadable");
  EXPECT_EQ(value(nested(70)), "unreadable");
  EXPECT_EQ(value(nested(30'000)), "unreadable");
}

TEST(Utf8, IsWhatTheStandardSays) {
  for (const char* fine : {"", "abcdefghijkl", "\xc2\x80", "\xed\x9f\xbf", "\xee\x80\x80",
                           "abcdefg\xe2\x82\xac", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_TRUE(is_utf8(fine)) << fine;
  }
  for (const char* odd :
       {"\x80", "\xc0\x80", "\xc1\xbf", "\xc2", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xe2\x82",
        "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "abcdefgh\xff", "\xc2\x41"}) {
    EXPECT_FALSE(is_utf8(odd)) << odd;
  }
}

}  // namespace
}  // namespace discreet::engine::text::text_table_test
