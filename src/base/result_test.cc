// SPDX-License-Identifier: Apache-2.0
#include "base/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>

namespace discreet::result_test {
namespace {

Result<int> half(int n) {
  if (n % 2 != 0) return invalid_input("odd");
  return n / 2;
}

Result<int> quarter(int n) {
  DISCREET_ASSIGN(const int h, half(n));
  DISCREET_TRY(half(h));
  return h / 2;
}

TEST(Result, CarriesAValueOrAnError) {
  EXPECT_EQ(*half(4), 2);
  EXPECT_EQ(half(3).error().message, "odd");
}

TEST(Result, MacrosHandTheFirstErrorUpwards) {
  EXPECT_EQ(*quarter(8), 2);
  EXPECT_EQ(quarter(6).error().code, Code::kInvalidInput);
  EXPECT_EQ(quarter(5).error().code, Code::kInvalidInput);
}

TEST(Result, HoldsMoveOnlyValues) {
  Result<std::unique_ptr<int>> r(std::make_unique<int>(7));
  std::unique_ptr<int> p = std::move(r).value();
  EXPECT_EQ(*p, 7);
}

TEST(ResultDeathTest, ReadingTheWrongSideIsOurBug) {
  EXPECT_EXIT((void)*half(3), testing::ExitedWithCode(70), "broken invariant");
  EXPECT_EXIT((void)half(4).error(), testing::ExitedWithCode(70), "broken invariant");
}

#ifndef NDEBUG
TEST(ResultDeathTest, AFailedResultThatDiesUnreadAborts) {
  EXPECT_EXIT(
      {
        auto unread = half(3);
        (void)unread;
      },
      testing::ExitedWithCode(70), "seen");
}
#endif

TEST(Error, EveryCodeHasItsRowAndADistinctName) {
  std::set<std::string_view> names;
  for (const CodeFacts& facts : all_codes()) {
    EXPECT_EQ(&describe(facts.code), &facts);
    EXPECT_TRUE(names.insert(facts.name).second);
    EXPECT_EQ(facts.sqlstate.size(), 5u);
    EXPECT_TRUE((std::set<int>{2, 3, 4, 5, 70, 130}.count(facts.exit_status)));
  }
}

TEST(Error, QuotedShowsACallersWordsSafely) {
  EXPECT_EQ(in_quotes("abc"), "'abc'");
  EXPECT_EQ(in_quotes(std::string("a\0b\n", 4)), "'a?b?'");
  EXPECT_EQ(in_quotes(std::string(1000000, 'x')).size(), 45u);
  EXPECT_EQ(in_quotes(std::string(39, 'x') + "\xC3\xA9").back(), '\'');
  EXPECT_EQ(in_quotes(std::string(39, 'x') + "\xC3\xA9\xC3\xA9"),
            "'" + std::string(39, 'x') + "...'");
}

}  // namespace
}  // namespace discreet::result_test
