// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"

#include <gtest/gtest.h>

#include <limits>

namespace discreet::clock_test {
namespace {

TEST(Clock, ReadsAsADateThatPeopleKnow) {
  EXPECT_EQ(to_utc(0), "1970-01-01 00:00:00 UTC");
  EXPECT_EQ(to_utc(-1), "1969-12-31 23:59:59 UTC");
  EXPECT_EQ(to_utc(951'827'696'789), "2000-02-29 12:34:56 UTC");
  EXPECT_EQ(to_utc(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808 ms");
  EXPECT_GT(system_time_ms(), 1'600'000'000'000);
}

}  // namespace
}  // namespace discreet::clock_test
