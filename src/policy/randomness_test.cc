// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "policy/policy.h"

namespace discreet::policy::randomness_test {
namespace {

Reading read(const std::string& line) {
  return read_policy("version: 1\nsnapshot: a\n" + line +
                         "units: {people: {budget: {epsilon: 1}}}\n"
                         "tables: {t: {source: t.csv, unit: id}}\n",
                     ".");
}

TEST(Randomness, IsReadAndWrittenBack) {
  EXPECT_FALSE(read("").policy->santha_vazirani.has_value());
  EXPECT_FALSE(read("randomness: fair\n").policy->santha_vazirani.has_value());
  const Reading bent = read("randomness: santha-vazirani 0.05\n");
  ASSERT_TRUE(bent.policy.has_value());
  EXPECT_EQ(bent.policy->santha_vazirani, Rational::ratio(1, 20));
  EXPECT_EQ(read_policy(write_policy(*bent.policy), ".").policy, bent.policy);
}

TEST(Randomness, MistakesSayWhatToWrite) {
  for (const char* line : {"randomness: santha-vazirani\n", "randomness: santha-vazirani 0\n",
                           "randomness: santha-vazirani 0.6\n", "randomness: santha-vazirani x\n",
                           "randomness: santha-vazirani -0.1\n", "randomness: 0.05\n"}) {
    const Reading reading = read(line);
    ASSERT_EQ(reading.mistakes.size(), 1U) << line;
    EXPECT_EQ(reading.mistakes[0].line, 3) << line;
    EXPECT_NE(reading.mistakes[0].fix.find("santha-vazirani 0.05"), std::string::npos);
  }
}

}  // namespace
}  // namespace discreet::policy::randomness_test
