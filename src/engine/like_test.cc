// SPDX-License-Identifier: Apache-2.0
#include "engine/like.h"

#include <gtest/gtest.h>

#include "plan/random_for_tests.h"

namespace discreet::engine::like_test {
namespace {

std::string some_of(plan::Random& random, const std::vector<std::string>& parts, int most) {
  std::string text;
  for (int n = plan::up_to(random, most); n > 0; --n) {
    text +=
        parts[static_cast<std::size_t>(plan::up_to(random, static_cast<int>(parts.size()) - 1))];
  }
  return text;
}

TEST(LikePattern, MatchesWhatTheInterpreterSays) {
  plan::Random random(20261117);
  int matched = 0;
  for (int i = 0; i < 200'000; ++i) {
    const std::string text = some_of(random, {"a", "b", "é", "日", "%", "_", "\\"}, 7);
    const std::string pattern =
        some_of(random, {"a", "b", "é", "日", "%", "_", "%", "_", "\\%", "\\_", "\\\\", "\\a"}, 6);
    const bool expected = plan::like(text, 0, pattern, 0);
    ASSERT_EQ(LikePattern(pattern).matches(text), expected) << text << " LIKE " << pattern;
    matched += expected ? 1 : 0;
  }
  EXPECT_GT(matched, 10'000);
}

// Patterns of many words, where a text's characters have several bytes, against the same.
TEST(LikePattern, MatchesLongPatternsToo) {
  plan::Random random(20261118);
  int matched = 0;
  for (int i = 0; i < 5'000; ++i) {
    std::string text;
    std::string run;
    for (int n = 40 + plan::up_to(random, 120); n > 0; --n) {
      const std::string one = some_of(random, {"a", "b", "é", "日"}, 1);
      text += one;
      run += plan::up_to(random, 2) == 0 && !one.empty() ? "_" : one;
    }
    if (plan::up_to(random, 1) == 0) run += some_of(random, {"a", "_"}, 1);
    const std::string pattern = "%" + run + "%";
    const std::string longer = some_of(random, {"a", "é"}, 9) + text + some_of(random, {"b"}, 2);
    const bool expected = plan::like(longer, 0, pattern, 0);
    ASSERT_EQ(LikePattern(pattern).matches(longer), expected) << longer << " LIKE " << pattern;
    matched += expected ? 1 : 0;
  }
  EXPECT_GT(matched, 1'000);
  EXPECT_LT(matched, 4'900);
}

// A run of 999 characters was tried at each of 60,000 places, a LIKE of one row took 0.2 s.
TEST(LikePattern, LooksAtEachByteOnceForEvery64CharactersOfThePattern) {
  const std::string text(60'000, 'a');
  for (const std::string& run : {"a" + std::string(996, '_') + "b", std::string(996, '_') + "b",
                                 std::string(500, 'a') + "_" + std::string(490, 'a') + "b"}) {
    std::size_t steps = 0;
    EXPECT_FALSE(LikePattern("%" + run + "%").matches(text, steps));
    EXPECT_GE(steps, text.size());
    EXPECT_LE(steps, 16 * text.size());
  }
  std::string pattern;
  for (int i = 0; i < 100; ++i) pattern += "%a_a_";
  std::size_t steps = 0;
  EXPECT_FALSE(LikePattern(pattern + "b%").matches(text, steps));
  EXPECT_LE(steps, text.size());  // what one % has passed is not looked at again
}

// Each of these takes longer than the test is given where ways to share a text are tried in turn.
TEST(LikePattern, EndsOnTextsThatFitAlmost) {
  const std::string text = std::string(60'000, 'a') + "c";
  std::string pattern;
  std::string with_any;
  for (int i = 0; i < 100; ++i) {
    pattern += "%a";
    with_any += "%_a_";
  }
  EXPECT_FALSE(LikePattern(pattern + "%b").matches(text));
  EXPECT_FALSE(LikePattern(with_any + "%b%").matches(text));
  EXPECT_TRUE(LikePattern(pattern + "%c").matches(text));
}

TEST(FirstCharacters, CountsCharactersNotBytes) {
  EXPECT_EQ(first_characters("aé日b", 0), "");
  EXPECT_EQ(first_characters("aé日b", 2), "aé");
  EXPECT_EQ(first_characters("aé日b", 3), "aé日");
  EXPECT_EQ(first_characters("aé日b", 4), "aé日b");
  EXPECT_EQ(first_characters("aé日b", 9), "aé日b");
  std::string text;
  for (int i = 0; i < 400; ++i) text += i % 3 == 0 ? "日" : i % 3 == 1 ? "é" : "ab";
  for (std::int64_t count = 0; count < 540; ++count) {
    ASSERT_EQ(first_characters(text, static_cast<std::size_t>(count)),
              plan::characters(text, 1, count));
  }
}

}  // namespace
}  // namespace discreet::engine::like_test
