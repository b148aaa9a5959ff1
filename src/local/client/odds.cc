// SPDX-License-Identifier: Apache-2.0
#include "local/client/odds.h"

#include <bit>

#include "base/check.h"
#include "numeric/int128.h"

namespace discreet::local {
namespace {

constexpr int kHalvings = 10;
constexpr int kFraction = 62;  // y and its powers are multiples of 2^-62
constexpr int kTerms = 10;     // y < 0.0196, so what is cut off is below y^10/10! < 2^-78

// floor of a b / 2^62
std::uint64_t times(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::uint64_t>(Uint128{a} * b >> kFraction);
}

}  // namespace

std::uint64_t odds_below(std::uint64_t nano) {
  DISCREET_CHECK(nano <= kEpsilonMax);
  const auto y = static_cast<std::uint64_t>((Uint128{nano} << (kFraction - kHalvings)) / kNano);
  std::uint64_t sum = std::uint64_t{1} << kFraction;
  std::uint64_t term = sum;
  for (std::uint64_t i = 1; i < kTerms; ++i) {
    term = times(term, y) / i;
    sum += term;
  }
  // sum 2^shift / 2^62 is below e^(x/2^10); sum keeps 63 bits, the shift takes the rest.
  int shift = 0;
  for (int i = 0; i < kHalvings; ++i) {
    const Uint128 square = Uint128{sum} * sum;
    const int top = 64 - std::countl_zero(static_cast<std::uint64_t>(square >> 63));
    const int excess = top > 0 ? top : 0;
    sum = static_cast<std::uint64_t>(square >> excess);
    shift = 2 * shift + excess - kFraction;
  }
  const int right = kFraction - 32 - shift;
  DISCREET_CHECK(right >= 0 && right < 64);
  return sum >> right;
}

std::uint64_t cost_of_odds(std::uint64_t odds) {
  DISCREET_CHECK(odds > kUnit);
  if (odds > odds_below(kEpsilonMax)) return 0;
  std::uint64_t low = 0;  // odds_below(low) < odds <= odds_below(high): rounding keeps it monotone
  std::uint64_t high = kEpsilonMax;
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (odds_below(middle) < odds ? low : high) = middle;
  }
  return high;
}

}  // namespace discreet::local
