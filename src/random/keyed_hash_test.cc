// SPDX-License-Identifier: Apache-2.0
#include "random/keyed_hash.h"

#include <gtest/gtest.h>

#include <string>

namespace discreet::random::keyed_hash_test {
namespace {

// Key 00 01 .. 0f and messages 00 01 .. as in the appendix of [AB12] and in its authors' vectors.
constexpr Secret kKey{{0x0706050403020100, 0x0f0e0d0c0b0a0908}};

std::string counting(std::size_t size) {
  std::string text;
  for (std::size_t i = 0; i < size; ++i) text += static_cast<char>(i);
  return text;
}

TEST(SipHash, GivesThePublishedValues) {
  SipState<2, 4> state(kKey);
  state.add_bytes(counting(15));
  EXPECT_EQ(state.finish(), 0xa129ca6149be45e5U);

  SipState<2, 4> empty(kKey);
  empty.add_bytes("");
  EXPECT_EQ(empty.finish(), 0x726fdb47dd0e0e31U);

  SipState<2, 4> wide(kKey);
  wide.widen();
  wide.add_bytes("");
  const Hash128 hash = wide.finish_wide();
  EXPECT_EQ(hash.low, 0xe6a825ba047f81a3U);
  EXPECT_EQ(hash.high, 0x930255c71472f66dU);
}

TEST(SipHash, TellsLengthsApart) {
  EXPECT_NE(keyed_hash(kKey, std::string_view("", 0)), keyed_hash(kKey, std::string_view("\0", 1)));
  EXPECT_NE(keyed_hash(kKey, std::string(7, '\0')), keyed_hash(kKey, std::string(8, '\0')));
  EXPECT_NE(keyed_hash(kKey, "a"), keyed_hash(Secret{{1, 2}}, "a"));
}

TEST(Secret, IsFreshEveryTime) {
  EXPECT_NE(Secret::fresh().value().words, Secret::fresh().value().words);
}

}  // namespace
}  // namespace discreet::random::keyed_hash_test
