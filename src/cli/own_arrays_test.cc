// SPDX-License-Identifier: Apache-2.0
#include "cli/own_arrays.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <numeric>
#include <vector>

namespace discreet::cli::own_arrays_test {
namespace {

const Sensitivity kOne = Sensitivity::parse("1").value();

/// Values so far apart that each noisy one still tells its place.
std::vector<std::int64_t> places(std::size_t n) {
  std::vector<std::int64_t> values(n);
  std::iota(values.begin(), values.end(), 0);
  for (std::int64_t& value : values) value *= 1000;
  return values;
}

// At epsilon 1 noise of 400 or more has a chance below e^-400.
TEST(OwnArrays, EveryEntryGetsItsOwnNoiseAcrossBlocks) {
  for (const std::size_t n : {1UL, 16383UL, 16384UL, 16385UL, 50000UL}) {
    const std::vector<std::int64_t> values = places(n);
    std::vector<std::int64_t> out(n, -1);
    ASSERT_TRUE(add_laplace(values, out, kOne, Epsilon::parse("1").value()));
    std::size_t moved = 0;
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_LT(std::abs(out[i] - values[i]), 400) << i;
      moved += out[i] != values[i] ? 1 : 0;
    }
    if (n > 1000) {  // 54 % move; 45 to 63 % but with a chance below 1e-200
      EXPECT_GT(static_cast<double>(moved), 0.45 * static_cast<double>(n));
      EXPECT_LT(static_cast<double>(moved), 0.63 * static_cast<double>(n));
    }
  }
}

TEST(OwnArrays, InPlaceIsTheSameAsApart) {
  std::vector<std::int64_t> values = places(40000);
  const std::vector<std::int64_t> before = values;
  ASSERT_TRUE(add_gaussian(values, values, kOne, Rho::parse("1/2").value()));
  EXPECT_NE(values, before);
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_LT(std::abs(values[i] - before[i]), 400);
}

TEST(OwnArrays, NothingIsWrittenWhenParametersAreWrong) {
  const std::vector<std::int64_t> values = places(10);
  std::vector<std::int64_t> out(10, 7);
  const Result<void> failed = add_laplace(values, out, kOne, Epsilon::parse("1e-20").value());
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, Code::kInvalidInput);
  EXPECT_EQ(out, std::vector<std::int64_t>(10, 7));
  EXPECT_TRUE(add_laplace({}, {}, kOne, Epsilon::parse("1").value()));
}

}  // namespace
}  // namespace discreet::cli::own_arrays_test
