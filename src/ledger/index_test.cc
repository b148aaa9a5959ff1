// SPDX-License-Identifier: Apache-2.0
#include "ledger/index.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace discreet::ledger::index_test {
namespace {

constexpr random::Secret kSecret{{1, 2}};

/// A record whose every part can be told from the others'.
Record record(Sequence sequence, Kind kind, const std::string& id) {
  Record record;
  record.sequence = sequence;
  record.kind = kind;
  record.units = "patients";
  record.analyst = "ann";
  record.request_id = id;
  record.question = "question " + id;
  record.snapshot = "2026";
  return record;
}

std::vector<Sequence> all(Index::Trail trail) {
  std::vector<Sequence> found;
  while (const auto at = trail.next()) found.push_back(*at);
  return found;
}

std::vector<Sequence> requests(const Index& index, const std::string& id) {
  return all(index.requests("patients", "ann", id));
}

std::vector<Sequence> answers(const Index& index, const std::string& id) {
  const std::string units = "patients";
  const std::string question = "question " + id;
  const std::string label = "2026";
  return all(index.answers({units, question, label}));
}

std::vector<Sequence> shares(const Index& index, const std::string& id,
                             const std::string& analyst = "ann") {
  const std::string units = "patients";
  const std::string question = "question " + id;
  const std::string label = "2026";
  return all(index.shares({units, question, label}, analyst));
}

using Found = std::vector<Sequence>;

TEST(Index, HasNothingAtFirst) {
  const Index index(kSecret);
  EXPECT_EQ(requests(index, "a"), Found());
  EXPECT_EQ(answers(index, "a"), Found());
  EXPECT_EQ(shares(index, "a"), Found());
  EXPECT_EQ(index.bytes(), 0U);
}

TEST(Index, TellsKindsOfRecordsApart) {
  Index index(kSecret);
  index.add(record(0, Kind::kCreated, "other"));
  index.add(record(1, Kind::kCharge, "charge"));
  index.add(record(2, Kind::kShare, "share"));
  index.add(record(3, Kind::kAnswer, "answer"));
  Sequence next = 4;
  for (const Kind kind : {Kind::kAlsoCharge, Kind::kAlsoShare, Kind::kTopUp, Kind::kAnalyst}) {
    index.add(record(next++, kind, "other"));
  }
  EXPECT_EQ(requests(index, "charge"), Found{1});
  EXPECT_EQ(requests(index, "share"), Found{2});
  EXPECT_EQ(requests(index, "answer"), Found());  // an answer's record names no id
  EXPECT_EQ(answers(index, "answer"), Found{3});
  EXPECT_EQ(answers(index, "charge"), Found());  // charged, not answered
  EXPECT_EQ(answers(index, "share"), Found());
  EXPECT_EQ(shares(index, "share"), Found{2});
  EXPECT_EQ(shares(index, "share", "bob"), Found());
  EXPECT_EQ(shares(index, "charge"), Found());
  EXPECT_EQ(shares(index, "answer"), Found());
  for (const auto& found :
       {requests(index, "other"), answers(index, "other"), shares(index, "other")}) {
    EXPECT_EQ(found, Found());
  }
}

TEST(Index, TellsThePartsOfAKeyApart) {
  Index index(kSecret);
  index.add(record(0, Kind::kCharge, "a"));
  EXPECT_EQ(all(index.requests("staff", "ann", "a")), Found());
  EXPECT_EQ(all(index.requests("patients", "bob", "a")), Found());
  EXPECT_EQ(all(index.requests("patientsa", "nn", "a")), Found());
  EXPECT_EQ(all(index.requests("patients", "anna", "")), Found());
  EXPECT_EQ(requests(index, std::string("a\0", 2)), Found());
}

// The secret is fixed, so the result is too. Over several sizes, since it grows by segments.
TEST(Index, LosesNothingAndSeldomRaisesAFalseAlarm) {
  Index index(kSecret);
  Sequence added = 0;
  for (const Sequence size : {1'000U, 65'536U, 65'537U, 196'609U}) {
    for (; added < size; ++added) index.add(record(added, Kind::kCharge, std::to_string(added)));
    for (Sequence i = 0; i < size; ++i) {
      const Found found = requests(index, std::to_string(i));
      ASSERT_TRUE(std::ranges::find(found, i) != found.end()) << i;
      ASSERT_TRUE(std::ranges::is_sorted(found, std::greater())) << i;
    }
    int alarms = 0;
    for (int i = 0; i < 200'000; ++i) {
      alarms += static_cast<int>(requests(index, "new " + std::to_string(i)).size());
    }
    EXPECT_EQ(alarms, 0) << size;  // one in 10^7
  }
  EXPECT_LE(index.bytes(), added * 13);
}

TEST(Index, AnIdThatIsUsedOverAndOverIsNoBurden) {
  Index index(kSecret);
  constexpr Sequence kMany = 300'000;  // would be hours if each went through those before it
  for (Sequence i = 0; i < kMany; ++i) index.add(record(i, Kind::kCharge, "same"));
  for (int i = 0; i < 300'000; ++i) {
    Index::Trail trail = index.requests("patients", "ann", "same");
    ASSERT_EQ(trail.next(), kMany - 1);
  }
  const Found found = requests(index, "same");
  ASSERT_EQ(found.size(), kMany);
  EXPECT_TRUE(std::ranges::is_sorted(found, std::greater()));
}

// Against a map, with tries that are kept and undone in between.
RC_GTEST_PROP(Index, FindsWhatAMapFinds, ()) {
  Index index(kSecret);
  std::map<std::string, Found> known;
  Sequence next = 0;
  const auto kinds = {Kind::kCharge, Kind::kShare, Kind::kAnswer, Kind::kTopUp};
  const auto add = [&](std::map<std::string, Found>& into) {
    const auto kind = *rc::gen::elementOf(kinds);
    const std::string id = std::to_string(*rc::gen::inRange(0, 12));
    if (kind == Kind::kCharge || kind == Kind::kShare) into["r" + id].push_back(next);
    if (kind == Kind::kShare) into["s" + id].push_back(next);
    if (kind == Kind::kAnswer) into["a" + id].push_back(next);
    index.add(record(next++, kind, id));
  };
  const auto check = [&](std::map<std::string, Found>& expected) {
    for (int i = 0; i < 13; ++i) {
      const std::string id = std::to_string(i);
      for (const auto& [name, found] :
           {std::pair("r" + id, requests(index, id)), std::pair("s" + id, shares(index, id)),
            std::pair("a" + id, answers(index, id))}) {
        Found wanted = expected[name];
        std::ranges::reverse(wanted);
        RC_ASSERT(found == wanted);
      }
    }
  };
  for (int turn = 0; turn < 6; ++turn) {
    const bool tries = *rc::gen::arbitrary<bool>();
    auto then = known;
    const Sequence before = next;
    if (tries) index.try_records();
    for (int i = *rc::gen::inRange(0, 8); i > 0; --i) add(then);
    check(then);
    if (tries && *rc::gen::arbitrary<bool>()) {
      index.undo();
      next = before;
    } else {
      if (tries) index.keep();
      known = then;
    }
    check(known);
  }
}

}  // namespace
}  // namespace discreet::ledger::index_test
