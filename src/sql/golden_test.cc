// SPDX-License-Identifier: Apache-2.0
// testdata/*.txt: questions and what they are bound to, or why they are refused.
//
//   # a comment
//   accept
//   SELECT COUNT(*) FROM visits
//   ----
//   from visits
//   ...
//
//   refuse unsupported
//   SELECT * FROM visits
//   ----
//   * would show rows          (a part of the message)
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "plan/checker.h"
#include "sql/clinic_for_tests.h"

namespace discreet::sql::golden_test {
namespace {

struct Case {
  int line = 0;
  std::string verdict;
  std::string question;
  std::string expected;
};

std::vector<Case> read_cases(const std::string& name) {
  std::ifstream stream(std::string(DISCREET_SOURCE_DIR) + "/src/sql/testdata/" + name);
  EXPECT_TRUE(stream) << name;
  std::vector<Case> cases;
  enum class Part { kVerdict, kQuestion, kExpected } part = Part::kVerdict;
  std::string line;
  for (int number = 1; std::getline(stream, line); ++number) {
    if (part == Part::kVerdict) {
      if (line.empty() || line.front() == '#') continue;
      cases.push_back({.line = number, .verdict = line, .question = "", .expected = ""});
      part = Part::kQuestion;
    } else if (part == Part::kQuestion) {
      if (line == "----") {
        part = Part::kExpected;
      } else {
        cases.back().question += line + "\n";
      }
    } else if (line.empty()) {
      part = Part::kVerdict;
    } else {
      cases.back().expected += line + "\n";
    }
  }
  return cases;
}

TEST(Golden, AcceptedQuestionsAreBoundAsWrittenDown) {
  auto cases = read_cases("accepted.txt");
  ASSERT_GT(cases.size(), 50U);
  const auto relational = read_cases("relational.txt");
  ASSERT_GT(relational.size(), 15U);
  cases.insert(cases.end(), relational.begin(), relational.end());
  for (const Case& one : cases) {
    const auto query = sql::bind(one.question, spending(), clinic());
    ASSERT_TRUE(query) << "line " << one.line << "\n" << one.question << query.error().message;
    EXPECT_EQ(describe(*query), one.expected) << "line " << one.line << "\n" << one.question;
    const auto checked = plan::Checker::check(query->plan, clinic(), "request");
    EXPECT_EQ(checked.has_value(), one.verdict == "accept")
        << "line " << one.line << "\n"
        << one.question << (checked ? "" : checked.error().message);
  }
}

TEST(Golden, RefusedQuestionsSayWhatWouldBeAccepted) {
  const auto cases = read_cases("refused.txt");
  ASSERT_GT(cases.size(), 80U);
  for (const Case& one : cases) {
    const auto query = sql::bind(one.question, spending(), clinic());
    ASSERT_FALSE(query) << "line " << one.line << "\n" << one.question << describe(*query);
    const Error& error = query.error();
    EXPECT_EQ("refuse " + std::string(discreet::describe(error.code).name), one.verdict)
        << "line " << one.line << "\n"
        << one.question << error.message;
    const std::string part = one.expected.substr(0, one.expected.size() - 1);
    EXPECT_NE(error.message.find(part), std::string::npos) << "line " << one.line << "\n"
                                                           << one.question << error.message;
  }
}

}  // namespace
}  // namespace discreet::sql::golden_test
