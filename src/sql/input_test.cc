// SPDX-License-Identifier: Apache-2.0
// Text that is no question at all: too long, too deep, not text. Each has an error, in bounded
// stack and time.
#include <gtest/gtest.h>
#include <pthread.h>

#include "sql/clinic_for_tests.h"

namespace discreet::sql::input_test {
namespace {

Error refusal_of(const std::string& question) {
  const auto query = sql::bind(question, spending(), clinic());
  EXPECT_FALSE(query) << question.substr(0, 200);
  return query ? Error{Code::kBug, ""} : query.error();
}

std::string repeated(const std::string& part, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += part;
  return out;
}

void expect_invalid(const std::string& question, const std::string& reason) {
  const Error error = refusal_of(question);
  EXPECT_EQ(error.code, Code::kInvalidInput) << error.message;
  EXPECT_NE(error.message.find(reason), std::string::npos) << error.message;
  EXPECT_LT(error.message.size(), 1000U);
}

TEST(Input, EmptyTextAndCommentsAreNoQuestion) {
  for (const char* text : {"", " \n\t", ";", ";;", "-- only this", "/* a /* b */ c */"}) {
    expect_invalid(text, "the question is empty");
  }
}

TEST(Input, AMegabyteIsRefusedBeforeItIsParsed) {
  expect_invalid("SELECT COUNT(*) FROM visits WHERE city = '" + std::string(1 << 20, 'x') + "'",
                 "at most 65,536 are read");
  expect_invalid(std::string(1 << 20, '('), "at most 65,536 are read");
}

TEST(Input, BytesThatAreNoTextAreRefused) {
  expect_invalid(std::string("SELECT COUNT(*)\0FROM visits", 27), "is NUL");
  for (const char* bytes :
       {"\xff", "\xc3", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82", "\x80"}) {
    expect_invalid("SELECT COUNT(*) FROM visits -- " + std::string(bytes), "is not UTF-8");
  }
}

TEST(Input, DeepNestingIsRefusedWhateverNests) {
  const std::string from = " FROM visits";
  expect_invalid("SELECT " + repeated("(", 30'000) + "1" + repeated(")", 30'000) + from, "");
  expect_invalid("SELECT " + repeated("(", 101) + "1" + repeated(")", 101) + from,
                 "nested more than 100 levels deep");
  expect_invalid("SELECT " + repeated("CASE WHEN TRUE THEN ", 200) + "1" + repeated(" END", 200),
                 "nested more than 100 levels deep");
  expect_invalid("SELECT " + repeated("a[", 2000), "nested more than 100 levels deep");
  for (const char* prefix : {"NOT ", "- ", "+ ", "~ "}) {
    expect_invalid("SELECT COUNT(*) FROM visits WHERE " + repeated(prefix, 5000) + "smoker", "");
  }
  for (const char* suffix : {"+1", "||'a'", "::int", " IS NULL", "*age"}) {
    expect_invalid("SELECT COUNT(*) FROM visits WHERE age" + repeated(suffix, 3000), "");
  }
  expect_invalid("SELECT 1" + repeated(" UNION SELECT 1", 3000), "");
}

TEST(Input, AHundredThousandParenthesesFitNoQuestion) {
  expect_invalid(repeated("(", 100'000), "at most 65,536 are read");
  expect_invalid(repeated("(", 60'000), "more than 10,000");
}

// Sanitizers need more; otherwise this is less than any thread has.
#ifdef __SANITIZE_ADDRESS__
constexpr std::size_t kStack = 8 << 20;
#else
constexpr std::size_t kStack = 2 << 20;
#endif

void* bind_the_deepest(void*) {
  for (const int times : {150, 195, 3000, 4900}) {
    for (const char* part : {"+1", "||'a'", "::int", " IS NULL", " AND smoker", "*age-1"}) {
      EXPECT_FALSE(sql::bind("SELECT COUNT(*) FROM visits WHERE age" + repeated(part, times) + "'",
                             spending(), clinic()));
      const auto query = sql::bind("SELECT COUNT(*) FROM visits WHERE age" + repeated(part, times),
                                   spending(), clinic());
      EXPECT_TRUE(query || !query.error().message.empty());
    }
  }
  for (const char* part : {"NOT ", "- "}) {
    EXPECT_FALSE(
        sql::bind("SELECT COUNT(*) FROM visits WHERE " + repeated(part, 9'900) + "smoker AND 1",
                  spending(), clinic()));
  }
  return nullptr;
}

TEST(Input, TheDeepestTextsNeedLittleStack) {
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, kStack), 0);
  pthread_t thread{};
  ASSERT_EQ(pthread_create(&thread, &attributes, bind_the_deepest, nullptr), 0);
  ASSERT_EQ(pthread_join(thread, nullptr), 0);
  pthread_attr_destroy(&attributes);
}

TEST(Input, LongFlatQuestionsAreFine) {
  const std::string items = "1" + repeated(", 2", 2000);
  EXPECT_TRUE(
      sql::bind("SELECT COUNT(*) FROM visits WHERE age IN (" + items + ")", spending(), clinic()));
  EXPECT_TRUE(sql::bind("SELECT COUNT(*) FROM visits WHERE age > 1" + repeated(" OR age > 1", 1000),
                        spending(), clinic()));
  expect_invalid("SELECT COUNT(*)" + repeated(", COUNT(*)", 100) + " FROM visits",
                 "at most 100 columns");
}

TEST(Input, ErrorsPointIntoTheAnalystsOwnText) {
  EXPECT_EQ(refusal_of("SELECT COUNT(*),\n  AVG(agee)\nFROM visits").message,
            "line 2, column 7: there is no column 'agee' in visits (did you mean age?)\n"
            "    AVG(agee)\n"
            "        ^");
  EXPECT_EQ(refusal_of("SELECT 'é ü' AS \"ß\", AVG(agee)\tFROM visits").message,
            "line 1, column 26: there is no column 'agee' in visits (did you mean age?)\n"
            "  SELECT 'é ü' AS \"ß\", AVG(agee) FROM visits\n"
            "                           ^");
}

TEST(Input, ErrorsQuoteOnlyAPartOfALongText) {
  const Error error = refusal_of("SELECT '" + repeated("é", 20'000));
  EXPECT_LT(error.message.size(), 700U);
  EXPECT_NE(error.message.find("unterminated quoted string"), std::string::npos);
  EXPECT_LT(refusal_of("SELECT COUNT(*) FROM " + repeated("x", 5000)).message.size(), 700U);
}

TEST(Input, ErrorsDependOnTheTextAndThePolicyAlone) {
  const std::string question = "SELECT AVG(agee) FROM visits";
  EXPECT_EQ(refusal_of(question).message, refusal_of(question).message);
}

TEST(Input, WithoutEpsilonNothingIsAsked) {
  const auto query = sql::bind("SELECT COUNT(*) FROM visits", Options{}, clinic());
  ASSERT_FALSE(query);
  EXPECT_NE(query.error().message.find("--epsilon"), std::string::npos);
}

}  // namespace
}  // namespace discreet::sql::input_test
