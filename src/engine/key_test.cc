// SPDX-License-Identifier: Apache-2.0
#include "engine/key.h"

#include <gtest/gtest.h>

#include <set>

#include "engine/key_ids.h"

namespace discreet::engine::key_test {
namespace {

using plan::Shape;
using policy::Type;
using policy::Value;

Shape shape_of(Type type) {
  Shape shape;
  shape.type = type;
  if (type == Type::kDecimal) shape.grid = policy::Grid{-10, 10, Rational::ratio(1, 4)};
  return shape;
}

Value text(std::string value) { return {std::move(value), Type::kText}; }

TEST(Key, SurvivesTheRoundTripWhateverItsTextsHold) {
  const std::vector<Shape> shapes = {shape_of(Type::kText), shape_of(Type::kDecimal),
                                     shape_of(Type::kBoolean), shape_of(Type::kText)};
  std::set<std::string> seen;
  std::size_t count = 0;
  for (const std::string& first :
       {std::string(), std::string("\0", 1), std::string("a\0b", 3), std::string("n"),
        std::string("t1:a"), std::string("i5;"), std::string("é日本"), std::string(1 << 20, 'x')}) {
    for (const Value& number :
         {Value{Rational(0), Type::kDecimal}, Value{Rational::ratio(-9, 4), Type::kDecimal},
          Value{{}, Type::kDecimal}}) {
      for (const Value& last : {text(""), Value{{}, Type::kText}, text("b1")}) {
        const std::vector<Value> values = {text(first), number, Value{true, Type::kBoolean}, last};
        const std::string key = encode_key(values, shapes);
        EXPECT_TRUE(decode_key(key, shapes) == values);
        seen.insert(key);
        ++count;
      }
    }
  }
  EXPECT_EQ(seen.size(), count);
}

TEST(Key, IsCutAfter256Characters) {
  const std::string ascii(300, 'a');
  EXPECT_EQ(cut_key_text(ascii).size(), 256U);
  std::string wide;
  for (int i = 0; i < 300; ++i) wide += "é";
  EXPECT_EQ(cut_key_text(wide).size(), 512U);
  EXPECT_EQ(cut_key_text(wide.substr(0, 512)).size(), 512U);
  EXPECT_EQ(cut_key_text(std::string(256, 'b')).size(), 256U);
  EXPECT_EQ(cut_key_text(""), "");
}

TEST(KeyIds, GiveTheSameBytesAsTheEncoding) {
  KeyIds ids({KeyKind::kCutText, KeyKind::kNumber, KeyKind::kBoolean}, Secret{{1, 2}});
  std::uint32_t key = ids.extend(0, 0, ids.of_text(0, std::string(1000, 'q')));
  key = ids.extend(1, key, ids.of_number(1, -7));
  key = ids.extend(2, key, KeyIds::kNull);
  std::string expected;
  append_text(expected, std::string(256, 'q'));
  append_number(expected, -7);
  append_null(expected);
  EXPECT_EQ(ids.bytes(key), expected);
  EXPECT_EQ(ids.extend(0, 0, ids.of_text(0, std::string(256, 'q'))),
            ids.extend(0, 0, ids.of_text(0, std::string(257, 'q'))));
}

TEST(KeyIds, NumberManyValuesApart) {
  KeyIds ids({KeyKind::kText}, Secret{{3, 4}});
  std::set<std::uint32_t> seen;
  for (int i = 0; i < 100'000; ++i) seen.insert(ids.of_text(0, std::to_string(i)));
  EXPECT_EQ(seen.size(), 100'000U);
  for (int i = 0; i < 100'000; i += 997) {
    const std::uint32_t id = ids.of_text(0, std::to_string(i));
    std::string expected;
    append_text(expected, std::to_string(i));
    EXPECT_EQ(ids.bytes(ids.extend(0, 0, id)), expected);
  }
}

}  // namespace
}  // namespace discreet::engine::key_test
