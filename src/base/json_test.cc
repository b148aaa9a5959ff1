// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace discreet::json_test {
namespace {

std::string again(std::string_view text) {
  const std::optional<Json> json = Json::parse(text);
  return json ? json->dump() : "malformed";
}

// Stored answers are hashed, and read again years later: each byte is a promise.
TEST(Json, NumbersAreWrittenAsTheyAlwaysWere) {
  const std::pair<Json, const char*> kCases[] = {
      {0, "0"},
      {-1, "-1"},
      {1.0, "1.0"},
      {-0.0, "-0.0"},
      {0.0, "0.0"},
      {0.1, "0.1"},
      {0.1 + 0.2, "0.30000000000000004"},
      {1e300, "1e+300"},
      {1e14, "100000000000000.0"},
      {1e15, "1e+15"},
      {1e16, "1e+16"},
      {1.5e-7, "1.5e-07"},
      {0.0001, "0.0001"},
      {0.00001, "1e-05"},
      {123456.789, "123456.789"},
      {5e-324, "5e-324"},
      {std::numeric_limits<double>::max(), "1.7976931348623157e+308"},
      {std::nextafter(1.0, 2.0), "1.0000000000000002"},
      {std::numeric_limits<double>::infinity(), "null"},
      {std::numeric_limits<double>::quiet_NaN(), "null"},
      {std::numeric_limits<std::int64_t>::min(), "-9223372036854775808"},
      {std::numeric_limits<std::int64_t>::max(), "9223372036854775807"},
      {std::uint64_t{1} << 63, "9223372036854775808"},
      {std::numeric_limits<std::uint64_t>::max(), "18446744073709551615"},
      {true, "true"},
      {false, "false"},
      {nullptr, "null"},
      {Json(), "null"},
  };
  for (const auto& [json, text] : kCases) EXPECT_EQ(json.dump(), text);
}

TEST(Json, NumbersAreReadAsTheyAlwaysWere) {
  const std::pair<const char*, const char*> kCases[] = {
      {"1.0", "1.0"},
      {"1e2", "100.0"},
      {"-0", "0"},
      {"-0.0", "-0.0"},
      {"0.1", "0.1"},
      {"9223372036854775808", "9223372036854775808"},
      {"18446744073709551615", "18446744073709551615"},
      {"18446744073709551616", "1.8446744073709552e+19"},  // beyond 64 bits: a double
      {"-9223372036854775808", "-9223372036854775808"},
      {"-9223372036854775809", "-9.223372036854776e+18"},
      {"1e-400", "0.0"},
      {"1e400", "malformed"},
      {"-1e400", "malformed"},
      {"01", "malformed"},
      {"+1", "malformed"},
      {".5", "malformed"},
      {"1.", "malformed"},
      {"0x1", "malformed"},
      {"NaN", "malformed"},
      {"Infinity", "malformed"},
  };
  for (const auto& [text, written] : kCases) EXPECT_EQ(again(text), written) << text;
}

TEST(Json, TextsAreEscapedAsTheyAlwaysWere) {
  const std::string all("\0\x01\b\t\n\v\f\r\x1f \"\\/\x7f", 14);
  EXPECT_EQ(Json(all).dump(), R"("\u0000\u0001\b\t\n\u000b\f\r\u001f \"\\/)"
                              "\x7f\"");
  EXPECT_EQ(json_line(all), R"("\u0000\u0001\b\t\n\u000b\f\r\u001f \"\\/\u007f")");
  const std::string wide = "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80";  // é, €, a face
  EXPECT_EQ(Json(wide).dump(), "\"" + wide + "\"");
  EXPECT_EQ(json_line(wide), R"("\u00e9\u20ac\ud83d\ude00")");
  EXPECT_EQ(again(R"("\u00e9\u20ac\ud83d\ude00\/")"), "\"" + wide + "/\"");
  EXPECT_EQ(again(R"({"a\n":1})"), R"({"a\n":1})");
}

TEST(Json, WhatIsNotUtf8IsReplacedOrThrown) {
  const std::pair<std::string, const char*> kCases[] = {
      {"a\xFF", "\"a\xEF\xBF\xBD\""},
      {"\xC3", "\"\xEF\xBF\xBD\""},
      {"\xC3(", "\"\xEF\xBF\xBD(\""},
      {"\xED\xA0\x80", "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\""},  // a lone surrogate
      {"\xF0\x9F\x98", "\"\xEF\xBF\xBD\""},
      {"\xC0\xAF", "\"\xEF\xBF\xBD\xEF\xBF\xBD\""},
  };
  for (const auto& [bytes, text] : kCases) {
    EXPECT_EQ(json_text(bytes), text);
    EXPECT_THROW(Json(bytes).dump(), std::exception);
    EXPECT_THROW((Json{{bytes, 1}}.dump()), std::exception);
    EXPECT_EQ(again("\"" + bytes + "\""), "malformed");
  }
  EXPECT_EQ(json_line("\xFF"), R"("\ufffd")");
}

TEST(Json, LaysOutOnOneLineOrIndented) {
  const Json json = {{"b", Json::array({1, Json::array(), Json::object()})},
                     {"a", {{"x", nullptr}, {"y", Json::array({Json{{"z", "t"}}})}}}};
  EXPECT_EQ(json.dump(), R"({"b":[1,[],{}],"a":{"x":null,"y":[{"z":"t"}]}})");
  EXPECT_EQ(json.dump({.indent = 1}),
            "{\n \"b\": [\n  1,\n  [],\n  {}\n ],\n \"a\": {\n  \"x\": null,\n  \"y\": [\n   {\n"
            "    \"z\": \"t\"\n   }\n  ]\n }\n}");
  EXPECT_EQ((Json{{"a", Json::array({1})}}.dump({.indent = 2})), "{\n  \"a\": [\n    1\n  ]\n}");
  EXPECT_EQ((Json{{"a", 1}}.dump({.indent = 0})), "{\n\"a\": 1\n}");
  EXPECT_EQ(Json::array().dump({.indent = 2}), "[]");
}

TEST(Json, ListsBecomeArrays) {
  EXPECT_EQ(Json(std::vector<std::vector<double>>{{1, 0.5}, {}}).dump(), "[[1.0,0.5],[]]");
  EXPECT_EQ(Json(std::vector<bool>{true, false}).dump(), "[true,false]");
  EXPECT_EQ(Json(std::vector<std::string>{"a"}).dump(), R"(["a"])");
}

TEST(Json, KeepsTheOrderOfNamesOrSortsThem) {
  Json json = *Json::parse(R"({"b":{"d":1,"c":[{"f":1,"e":2}]},"a":3,"B":4,"":5,"é":6})");
  EXPECT_EQ(json.dump(), R"({"b":{"d":1,"c":[{"f":1,"e":2}]},"a":3,"B":4,"":5,"é":6})");
  json.sort_keys();
  EXPECT_EQ(json.dump(), R"({"":5,"B":4,"a":3,"b":{"c":[{"e":2,"f":1}],"d":1},"é":6})");
}

TEST(Json, OfANameGivenTwiceTheLastValueStaysAtTheFirstPlace) {
  EXPECT_EQ(again(R"({"a":1,"b":2,"a":{"c":3}})"), R"({"a":{"c":3},"b":2})");
  EXPECT_EQ((Json{{"a", 1}, {"b", 2}, {"a", 3}}.dump()), R"({"a":3,"b":2})");
  std::string many = "{";
  std::string kept = "{";
  for (int i = 0; i < 40; ++i) {
    many += "\"" + std::to_string(i % 20) + "\":" + std::to_string(i) + (i == 39 ? "}" : ",");
    if (i < 20) {
      kept += "\"" + std::to_string(i) + "\":" + std::to_string(i + 20) + (i == 19 ? "}" : ",");
    }
  }
  EXPECT_EQ(again(many), kept);
}

// A body of a request with so many names must not hold the server up.
TEST(Json, ManyNamesAreReadInLittleMoreThanLinearTime) {
  std::string text = "{";
  for (int i = 0; i < 200'000; ++i) text += "\"" + std::to_string(i) + "\":0,";
  text += "\"0\":1}";
  const std::optional<Json> json = Json::parse(text);
  ASSERT_TRUE(json.has_value());
  EXPECT_EQ(json->size(), 200'000u);
  EXPECT_EQ(json->members().front().value, 1);
}

std::string arrays(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

std::string objects(std::size_t depth) {
  std::string out;
  for (std::size_t i = 0; i < depth; ++i) out += "{\"a\":";
  return out + "1" + std::string(depth, '}');
}

TEST(Json, DepthIsLimitedSoThatAllMayRecurse) {
  for (const auto& nested : {arrays, objects}) {
    const std::string text = nested(Json::kDepthMax);
    const std::optional<Json> json = Json::parse(text);
    ASSERT_TRUE(json.has_value());
    const Json copy = *json;
    EXPECT_TRUE(copy == *json);
    EXPECT_EQ(copy.dump(), text);
    EXPECT_FALSE(Json::parse(nested(Json::kDepthMax + 1)).has_value());
    EXPECT_FALSE(Json::parse(nested(2'000'000)).has_value());
  }
  EXPECT_FALSE(Json::parse(std::string(2'000'000, '[')).has_value());
  std::string wide = "[[]";
  for (std::size_t i = 0; i < Json::kDepthMax; ++i) wide += ",[]";
  EXPECT_EQ(again(wide + "]"), wide + "]");  // one beside the other is not deep
  EXPECT_TRUE(Json::parse("1", 0).has_value());
  EXPECT_FALSE(Json::parse("[]", 0).has_value());
}

TEST(Json, ReadingAndSortingCostNoStack) {
  constexpr std::size_t kDeep = 2'000'000;
  for (const auto& nested : {arrays, objects}) {
    std::optional<Json> json = Json::parse(nested(kDeep), kDeep);
    ASSERT_TRUE(json.has_value());
    json->sort_keys();
  }
}

TEST(Json, MalformedTextsAreNone) {
  for (const char* text :
       {"",         " ",       "{",        "}",          "[",         "]",         "[1,]",
        "[,1]",     "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{1:2}",     "{'a':1}",   "[1 2]",
        "nul",      "nulll",   "True",     "\"",         "\"\\x\"",   "\"\\u12\"", "\"\\ud800\"",
        "\"a\nb\"", "[1]x",    "[] []",    "// a\n1",    "/* a */ 1", "\xFF"}) {
    EXPECT_FALSE(Json::parse(text).has_value()) << text;
  }
  EXPECT_EQ(again("\xEF\xBB\xBF [1] \r\n\t"), "[1]");  // a byte order mark and blanks are skipped
  EXPECT_EQ(again(std::string_view("1\0x", 3)), "1");  // a zero byte ends the text
  EXPECT_FALSE(Json::parse({}).has_value());
}

TEST(Json, RandomBytesNeverCrashAndWhatIsReadIsReadAgain) {
  const std::string letters = "{}[],:\"\\0123456789eE.+-truefalsnab \n\xC3\xA9\xFF";
  std::mt19937_64 draw(1);
  int read = 0;
  for (int i = 0; i < 200'000; ++i) {
    std::string text;
    for (std::size_t n = draw() % 12; n > 0; --n) text += letters[draw() % letters.size()];
    const std::optional<Json> json = Json::parse(text);
    if (!json) continue;
    ++read;
    const std::string written = json->dump({.indent = static_cast<int>(draw() % 3) - 1});
    const std::optional<Json> second = Json::parse(written);
    ASSERT_TRUE(second.has_value()) << text;
    EXPECT_EQ(*second, *json) << text;
  }
  EXPECT_GT(read, 1000);
}

TEST(Json, EveryDoubleSurvivesARoundTrip) {
  std::mt19937_64 draw(2);
  for (int i = 0; i < 100'000; ++i) {
    const double mantissa = static_cast<double>(draw() >> 11);
    const double value = std::ldexp(mantissa, static_cast<int>(draw() % 2000) - 1050);
    if (!std::isfinite(value)) continue;
    EXPECT_EQ(Json::parse(Json(value).dump())->number(), value);
  }
}

TEST(Json, LookingIsTotal) {
  const Json json = *Json::parse(R"({"list":[1,"two"],"text":"t","yes":true,"none":null})");
  EXPECT_EQ(json["list"][1].text(), "two");
  EXPECT_TRUE(json["no"]["such"][7]["thing"].is_null());
  EXPECT_TRUE(json["list"][2].is_null());
  EXPECT_TRUE(json["text"]["x"].is_null());
  EXPECT_TRUE(json["list"]["x"].is_null());
  EXPECT_TRUE(json[0].is_null());
  EXPECT_TRUE(json.contains("none"));
  EXPECT_FALSE(json.contains("no"));
  EXPECT_EQ(json.find("no"), nullptr);
  EXPECT_EQ(json["list"].back(), "two");
  EXPECT_TRUE(json["text"].back().is_null());
  EXPECT_EQ(json["text"].text("otherwise"), "t");
  EXPECT_EQ(json["list"].text("otherwise"), "otherwise");
  EXPECT_TRUE(json["yes"].flag());
  EXPECT_TRUE(json["no"].flag(true));
  EXPECT_TRUE(std::isnan(json["text"].number()));
  EXPECT_EQ(json["list"][0].number(), 1.0);
  EXPECT_EQ(json.size(), 4u);
  EXPECT_EQ(json["text"].size(), 0u);
  EXPECT_TRUE(json["text"].items().empty());
  EXPECT_TRUE(json["list"].members().empty());
}

TEST(Json, ReadsWhatFitsAndNothingElse) {
  const Json json = *Json::parse(
      R"({"i":-5,"n":9223372036854775808,"d":1.0,"t":"x","b":true,"l":[1,2],"m":[1,"2"]})");
  std::int64_t integer = 7;
  std::uint64_t natural = 7;
  double number = 7;
  bool flag = false;
  std::string text = "7";
  std::vector<std::uint64_t> list = {7};
  EXPECT_TRUE(json["i"].read(integer));
  EXPECT_EQ(integer, -5);
  EXPECT_TRUE(json["n"].read(natural));
  EXPECT_EQ(natural, std::uint64_t{1} << 63);
  for (const char* name : {"n", "d", "t", "b", "l", "gone"}) {
    EXPECT_FALSE(json[name].read(integer)) << name;
  }
  for (const char* name : {"i", "d", "t", "b", "l", "gone"}) {
    EXPECT_FALSE(json[name].read(natural)) << name;
  }
  EXPECT_EQ(integer, -5);
  for (const char* name : {"i", "n", "d"}) EXPECT_TRUE(json[name].read(number)) << name;
  EXPECT_EQ(number, 1.0);
  for (const char* name : {"t", "b", "l", "gone"}) EXPECT_FALSE(json[name].read(number)) << name;
  EXPECT_TRUE(json["b"].read(flag) && flag);
  EXPECT_FALSE(json["i"].read(flag));
  EXPECT_TRUE(json["t"].read(text));
  EXPECT_FALSE(json["i"].read(text));
  EXPECT_FALSE(json["m"].read(list));
  EXPECT_EQ(list, std::vector<std::uint64_t>{7});
  EXPECT_TRUE(json["l"].read(list));
  EXPECT_EQ(list, (std::vector<std::uint64_t>{1, 2}));
  EXPECT_FALSE(json.read(list));
}

TEST(Json, IsBuiltByNames) {
  Json json;
  json["a"]["b"] = 1;
  json["list"].push_back("x");
  json["list"].push_back({{"y", 2}});
  json["list"].back()["z"] = 3;
  EXPECT_EQ(json.dump(), R"({"a":{"b":1},"list":["x",{"y":2,"z":3}]})");
  const Json copy = json;
  EXPECT_TRUE(json.erase("a"));
  EXPECT_FALSE(json.erase("a"));
  EXPECT_EQ(json.dump(), R"({"list":["x",{"y":2,"z":3}]})");
  EXPECT_EQ(copy["a"]["b"], 1);
  json = json["list"];  // a part of itself
  EXPECT_EQ(json.dump(), R"(["x",{"y":2,"z":3}])");
  std::ostringstream shown;
  shown << json;
  EXPECT_EQ(shown.str(), json.dump());
}

TEST(Json, IsEqualByValue) {
  EXPECT_EQ(Json(1), Json(1u));
  EXPECT_EQ(Json(1), Json(1.0));
  EXPECT_NE(Json(-1), Json(std::numeric_limits<std::uint64_t>::max()));
  EXPECT_NE(Json(1), Json(true));
  EXPECT_NE(Json(0), Json(nullptr));
  EXPECT_NE(Json("1"), Json(1));
  EXPECT_NE(Json::array(), Json::object());
  EXPECT_NE(Json::array({1, 2}), Json::array({2, 1}));
  EXPECT_EQ((Json{{"a", 1}, {"b", 2}}), (Json{{"b", 2}, {"a", 1}}));
  EXPECT_NE((Json{{"a", 1}}), (Json{{"b", 1}}));
  EXPECT_NE((Json{{"a", 1}}), (Json{{"a", 1}, {"b", 1}}));
}

// Writes what it is told, with lines.
class Told : public JsonEvents {
 public:
  bool null() override { return say("null"); }
  bool boolean(bool value) override { return say(value ? "true" : "false"); }
  bool integer(std::int64_t value) override { return say("i" + std::to_string(value)); }
  bool natural(std::uint64_t value) override { return say("n" + std::to_string(value)); }
  bool real(double, const std::string& written) override { return say("r" + written); }
  bool string(std::string& text) override { return say("s" + text); }
  bool key(std::string& name) override { return say("k" + name); }
  bool begin_array() override { return say("["); }
  bool end_array() override { return say("]"); }
  bool begin_object() override { return say("{"); }
  bool end_object() override { return say("}"); }
  void malformed(bool ended, const std::string& token) override {
    say((ended ? "ended " : "wrong ") + token);
  }

  std::string said;
  std::string stop = "?";

 private:
  bool say(const std::string& what) {
    said += std::to_string(line) + what + " ";
    return what != stop;
  }
};

TEST(JsonEvents, TellNumbersAsWrittenAndLines) {
  Told told;
  EXPECT_TRUE(read_json("[\n0.10, -5, 7,\n{\"a\": null,\n\"a\": true}, \"x\"]", told));
  EXPECT_EQ(told.said, "1[ 2r0.10 2i-5 2n7 3{ 3ka 3null 4ka 4true 4} 4sx 4] ");
  Told cut;
  EXPECT_FALSE(read_json("[1,\n", cut));
  EXPECT_EQ(cut.said, "1[ 1n1 2ended 1,<U+000A> ");
  Told wrong;
  EXPECT_FALSE(read_json("[1,\n!]", wrong));
  EXPECT_EQ(wrong.said.substr(0, 14), "1[ 1n1 2wrong ");
  Told stopped;
  stopped.stop = "n1";
  EXPECT_FALSE(read_json("[1,\n!]", stopped));
  EXPECT_EQ(stopped.said, "1[ 1n1 ");
}

}  // namespace
}  // namespace discreet::json_test
