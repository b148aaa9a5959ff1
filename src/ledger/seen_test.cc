// SPDX-License-Identifier: Apache-2.0
#include "ledger/seen.h"

#include <gtest/gtest.h>

#include <string>

namespace discreet::ledger::seen_test {
namespace {

constexpr random::Secret kSecret{{1, 2}};

Record payment(const std::string& id, Kind kind = Kind::kCharge) {
  Record record;
  record.kind = kind;
  record.units = "patients";
  record.analyst = "ann";
  record.request_id = id;
  record.question = "question " + id;
  record.snapshot = "2026";
  return record;
}

bool may_have_id(const Seen& seen, const std::string& id) {
  return seen.may_have_request("patients", "ann", id);
}

bool may_have_answer(const Seen& seen, const std::string& question) {
  const std::string units = "patients";
  const std::string label = "2026";
  return seen.may_have_answer({units, question, label});
}

TEST(Seen, HasNothingAtFirst) {
  const Seen seen(kSecret);
  EXPECT_FALSE(may_have_id(seen, "a"));
  EXPECT_FALSE(may_have_answer(seen, "question a"));
  EXPECT_EQ(seen.bytes(), 0U);
}

TEST(Seen, TellsKindsOfRecordsApart) {
  Seen seen(kSecret);
  seen.add(payment("charge"));
  seen.add(payment("share", Kind::kShare));
  seen.add(payment("answer", Kind::kAnswer));
  for (const Kind other : {Kind::kAlsoCharge, Kind::kAlsoShare, Kind::kTopUp, Kind::kAnalyst}) {
    seen.add(payment("other", other));
  }
  EXPECT_TRUE(may_have_id(seen, "charge"));
  EXPECT_TRUE(may_have_id(seen, "share"));
  EXPECT_FALSE(may_have_id(seen, "answer"));  // an answer's record names no id
  EXPECT_FALSE(may_have_id(seen, "other"));
  EXPECT_TRUE(may_have_answer(seen, "question answer"));
  EXPECT_FALSE(may_have_answer(seen, "question charge"));  // charged, not answered
  EXPECT_FALSE(may_have_answer(seen, "question share"));
  EXPECT_FALSE(may_have_answer(seen, "question other"));
}

TEST(Seen, TellsThePartsOfAKeyApart) {
  Seen seen(kSecret);
  seen.add(payment("a"));
  EXPECT_FALSE(seen.may_have_request("staff", "ann", "a"));
  EXPECT_FALSE(seen.may_have_request("patients", "bob", "a"));
  EXPECT_FALSE(seen.may_have_request("patientsa", "nn", "a"));
  EXPECT_FALSE(seen.may_have_request("patients", "anna", ""));
  EXPECT_FALSE(may_have_id(seen, std::string("a\0", 2)));
}

TEST(Seen, ForgetsNothingAndSeldomRaisesAFalseAlarm) {
  // The secret is fixed, so the result is too. Over several sizes, since filters fill and grow.
  Seen seen(kSecret);
  int added = 0;
  for (const int size : {1'000, 1'024, 3'000, 30'000, 200'000}) {
    while (added < size) seen.add(payment(std::to_string(added++)));
    for (int i = 0; i < size; ++i) ASSERT_TRUE(may_have_id(seen, std::to_string(i))) << i;
    int alarms = 0;
    for (int i = 0; i < 200'000; ++i) {
      alarms += static_cast<int>(may_have_id(seen, "new " + std::to_string(i)));
    }
    EXPECT_LE(alarms, 200) << size;  // one in 1,000
  }
  EXPECT_LE(seen.bytes(), 200'000U * 12);
}

TEST(Seen, DoesNotGrowWithWhatItHas) {
  Seen seen(kSecret);
  for (int i = 0; i < 10'000; ++i) seen.add(payment(std::to_string(i % 100)));
  EXPECT_EQ(seen.bytes(), 4096U);
}

}  // namespace
}  // namespace discreet::ledger::seen_test
