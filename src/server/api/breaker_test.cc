// SPDX-License-Identifier: Apache-2.0
#include "server/api/breaker.h"

#include <gtest/gtest.h>

namespace discreet::server::api::breaker_test {
namespace {

struct Fuse {
  std::int64_t now_ms = 1'700'000'000'000;
  Breaker breaker{[this] { return now_ms; }};

  void note(Code code) {
    EngineWatch watch;
    watch.failed(code);
    breaker.note(watch);
  }
  void succeed() {
    EngineWatch watch;
    watch.answered();
    breaker.note(watch);
  }
  bool admits() const { return breaker.admit().has_value(); }
};

TEST(Breaker, OpensAfterThreeFailuresInARowAndTriesAgainLater) {
  Fuse fuse;
  for (int i = 0; i < 2; ++i) fuse.note(Code::kEngine);
  EXPECT_TRUE(fuse.admits());
  fuse.succeed();
  for (int i = 0; i < 2; ++i) fuse.note(Code::kEngine);
  EXPECT_TRUE(fuse.admits());
  fuse.note(Code::kEngine);
  EXPECT_FALSE(fuse.admits());
  EXPECT_EQ(fuse.breaker.admit().error().code, Code::kEngine);
  fuse.now_ms += Breaker::kRestMs - 1;
  EXPECT_FALSE(fuse.admits());
  fuse.now_ms += 1;
  EXPECT_TRUE(fuse.admits());
  fuse.note(Code::kEngine);  // still away
  EXPECT_FALSE(fuse.admits());
  fuse.now_ms += Breaker::kRestMs;
  fuse.succeed();
  fuse.note(Code::kEngine);
  EXPECT_TRUE(fuse.admits());
}

TEST(Breaker, CountsTheEnginesFailuresOnly) {
  Fuse fuse;
  for (int i = 0; i < 2; ++i) fuse.note(Code::kEngine);
  for (const Code code : {Code::kBudget, Code::kRefused, Code::kInvalidInput, Code::kStorage,
                          Code::kInterrupted, Code::kConflict}) {
    fuse.note(code);
    EXPECT_TRUE(fuse.admits());
  }
  fuse.note(Code::kEngine);  // the row was not broken by them
  EXPECT_FALSE(fuse.admits());
}

TEST(Breaker, AClockThatIsSetBackDoesNotKeepItOpen) {
  Fuse fuse;
  for (int i = 0; i < 3; ++i) fuse.note(Code::kEngine);
  fuse.now_ms -= 3'600'000;
  EXPECT_TRUE(fuse.admits());
}

}  // namespace
}  // namespace discreet::server::api::breaker_test
