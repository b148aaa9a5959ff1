// SPDX-License-Identifier: Apache-2.0
#include "server/api/breaker.h"

#include <gtest/gtest.h>

namespace discreet::server::api::breaker_test {
namespace {

struct Fuse {
  std::int64_t now_ms = 1'700'000'000'000;
  Breaker breaker{[this] { return now_ms; }};

  /// A question of this analyst that was taken; false: it was not.
  bool ask(EngineWatch& watch, const std::string& analyst = "ann") {
    return breaker.admit(analyst, &watch).has_value();
  }
  bool fail(const std::string& analyst = "ann", Code code = Code::kEngine) {
    EngineWatch watch;
    if (!ask(watch, analyst)) return false;
    watch.failed(code);
    breaker.note(analyst, watch);
    return true;
  }
  bool succeed(const std::string& analyst = "ann", bool is_stored = false) {
    EngineWatch watch;
    if (!ask(watch, analyst)) return false;
    watch.answered(is_stored);
    breaker.note(analyst, watch);
    return true;
  }
};

TEST(Breaker, OpensAfterThreeFailuresInARowAndTriesAgainLater) {
  Fuse fuse;
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(fuse.fail());
  EXPECT_TRUE(fuse.succeed());
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(fuse.fail());
  EXPECT_FALSE(fuse.fail());
  EXPECT_EQ(fuse.breaker.admit("ann").error().code, Code::kEngine);
  fuse.now_ms += Breaker::kRestMs - 1;
  EXPECT_FALSE(fuse.fail());
  fuse.now_ms += 1;
  EXPECT_TRUE(fuse.fail());  // still away
  EXPECT_FALSE(fuse.fail());
  fuse.now_ms += Breaker::kRestMs;
  EXPECT_TRUE(fuse.succeed());
  EXPECT_TRUE(fuse.fail());
  EXPECT_TRUE(fuse.succeed());
}

TEST(Breaker, OneQuestionTriesItAfterTheRest) {
  Fuse fuse;
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(fuse.fail());
  fuse.now_ms += Breaker::kRestMs;
  EngineWatch probe;
  EngineWatch other;
  EXPECT_TRUE(fuse.ask(probe));
  EXPECT_FALSE(fuse.ask(other));
  probe.answered(false);
  fuse.breaker.note("ann", probe);
  EXPECT_TRUE(fuse.ask(other));
}

TEST(Breaker, AProbeThatIsNeverDeliveredIsFollowedByAnother) {
  Fuse fuse;
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(fuse.fail());
  for (int i = 0; i < 3; ++i) {
    fuse.now_ms += Breaker::kRestMs;
    EngineWatch probe;
    EXPECT_TRUE(fuse.ask(probe));
    EXPECT_FALSE(fuse.ask(probe));
  }
}

TEST(Breaker, OneAnalystStopsNobodyElse) {
  Fuse fuse;
  for (int i = 0; i < 100; ++i) {
    fuse.fail("ann");
    fuse.now_ms += Breaker::kRestMs / 10;
    EXPECT_TRUE(i % 2 == 0 ? fuse.fail("bob") : fuse.succeed("bob"));
    EXPECT_TRUE(fuse.breaker.admit("eve"));
  }
}

// Nor do many: what one analyst is told does not follow what others ask.
TEST(Breaker, HoweverManyFailNobodyElseRests) {
  Fuse fuse;
  for (const char* who : {"ann", "bob", "dan"}) {
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(fuse.fail(who));
    EXPECT_FALSE(fuse.fail(who));
  }
  EXPECT_TRUE(fuse.fail("eve"));
  EXPECT_TRUE(fuse.succeed("eve"));
  // Nor does somebody's answer end another one's rest.
  EXPECT_FALSE(fuse.fail("ann"));
  fuse.now_ms += Breaker::kRestMs;
  EXPECT_TRUE(fuse.fail("ann"));
  EXPECT_FALSE(fuse.fail("ann"));
}

TEST(Breaker, OfQuestionsAskedTogetherOneFailureCounts) {
  Fuse fuse;
  for (int round = 0; round < 3; ++round) {
    EngineWatch together[5];
    for (EngineWatch& each : together) EXPECT_TRUE(fuse.ask(each)) << round;
    for (EngineWatch& each : together) {
      each.failed(Code::kEngine);
      fuse.breaker.note("ann", each);
    }
  }
  EXPECT_FALSE(fuse.fail());
}

TEST(Breaker, CountsTheEnginesFailuresOnly) {
  Fuse fuse;
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(fuse.fail());
  for (const Code code : {Code::kBudget, Code::kRefused, Code::kInvalidInput, Code::kStorage,
                          Code::kInterrupted, Code::kConflict}) {
    EXPECT_TRUE(fuse.fail("ann", code));
  }
  EXPECT_TRUE(fuse.succeed("ann", true));  // a stored answer is not the engine's
  EXPECT_TRUE(fuse.fail());                // the row was not broken by them
  EXPECT_FALSE(fuse.fail());
}

TEST(Breaker, AReloadClosesIt) {
  Fuse fuse;
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(fuse.fail());
  EXPECT_FALSE(fuse.fail());
  fuse.breaker.reset();
  EXPECT_TRUE(fuse.succeed());
}

TEST(Breaker, AClockThatIsSetBackDoesNotKeepItOpen) {
  Fuse fuse;
  for (const char* who : {"ann", "bob", "eve"}) EXPECT_TRUE(fuse.fail(who));
  fuse.now_ms -= 3'600'000;
  EXPECT_TRUE(fuse.fail());
}

}  // namespace
}  // namespace discreet::server::api::breaker_test
