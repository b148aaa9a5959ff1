// SPDX-License-Identifier: Apache-2.0
#include "random/entropy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <vector>

namespace discreet::random::entropy_test {
namespace {

// What the scripted source does in its next calls; after the script it fills everything.
struct Step {
  ssize_t give;  // bytes, or -1
  int error = 0;
};
std::vector<Step> script;
std::size_t calls;
std::uint8_t counter;

ssize_t scripted(void* out, std::size_t size) {
  auto* const bytes = static_cast<std::uint8_t*>(out);
  const std::size_t call = calls++;
  ssize_t give = static_cast<ssize_t>(size);
  if (call < script.size()) {
    give = std::min(script[call].give, give);
    errno = script[call].error;
  }
  for (ssize_t i = 0; i < give; ++i) bytes[i] = ++counter;
  return give;
}

ssize_t boastful(void* out, std::size_t size) { return scripted(out, size) + 1; }
ssize_t always_interrupted(void*, std::size_t) {
  ++calls;
  errno = EINTR;
  return -1;
}

Result<void> read_with(std::vector<Step> steps, std::span<std::uint8_t> out) {
  script = std::move(steps);
  calls = 0;
  counter = 0;
  return read_fully(scripted, out);
}

template <std::size_t kSize>
bool counts_from_one(const std::array<std::uint8_t, kSize>& bytes) {
  for (std::size_t i = 0; i < kSize; ++i) {
    if (bytes[i] != i + 1) return false;
  }
  return true;
}

TEST(Entropy, ShortReadsAreContinuedWhereTheyStopped) {
  std::array<std::uint8_t, 32> out{};
  ASSERT_TRUE(read_with({{1}, {5}, {20}}, out).has_value());
  EXPECT_TRUE(counts_from_one(out));
  EXPECT_EQ(calls, 4u);
}

TEST(Entropy, InterruptedAndEmptyReadsAreRepeated) {
  std::array<std::uint8_t, 32> out{};
  ASSERT_TRUE(read_with({{-1, EINTR}, {3}, {-1, EINTR}, {0}, {-1, EINTR}}, out).has_value());
  EXPECT_TRUE(counts_from_one(out));
}

TEST(Entropy, AFailedReadIsAnErrorThatNamesTheFixAndLeavesNothingBehind) {
  for (const int reason : {ENOSYS, EPERM, EFAULT, EAGAIN, EIO}) {
    std::array<std::uint8_t, 32> out{};
    const Result<void> read = read_with({{7}, {-1, reason}}, out);
    ASSERT_FALSE(read.has_value());
    EXPECT_EQ(read.error().code, Code::kNoEntropy);
    EXPECT_NE(read.error().message.find("allows the getrandom system call"), std::string::npos);
    EXPECT_EQ(out, (std::array<std::uint8_t, 32>{}));
  }
}

TEST(Entropy, ASourceThatClaimsMoreThanWasAskedForIsNotBelieved) {
  script.clear();
  std::array<std::uint8_t, 8> out{};
  EXPECT_EQ(read_fully(boastful, out).error().code, Code::kNoEntropy);
}

TEST(Entropy, ASourceThatNeverGivesAnythingIsGivenUp) {
  calls = 0;
  std::array<std::uint8_t, 8> out{};
  EXPECT_EQ(read_fully(always_interrupted, out).error().code, Code::kNoEntropy);
  EXPECT_EQ(calls, 1000u);
}

// False alarm: 2^-256.
TEST(Entropy, TheSystemGivesOtherBytesEachTime) {
  std::array<std::uint8_t, 32> first{};
  std::array<std::uint8_t, 32> second{};
  ASSERT_TRUE(read_fully(read_system, first).has_value());
  ASSERT_TRUE(read_fully(read_system, second).has_value());
  EXPECT_NE(first, second);
}

}  // namespace
}  // namespace discreet::random::entropy_test
