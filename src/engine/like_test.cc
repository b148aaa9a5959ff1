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
}

}  // namespace
}  // namespace discreet::engine::like_test
