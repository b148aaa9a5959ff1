// SPDX-License-Identifier: Apache-2.0
#include "audit/walk.h"

#include <algorithm>

namespace discreet::audit {
namespace {

// Rejections round once for each outcome and each place where a loop began: 2^-30 stays far above
// what a million of those lose.
constexpr int kSpareBits = 40;

}  // namespace

Uint128 in_proportion(Uint128 m, Uint128 whole, Uint128 rest) {
  if (rest == whole) return m;
  if (whole >> 64 == 0) return m * whole / rest;
  const auto integer = [](Uint128 x) { return to_integer(static_cast<Int128>(x)); };
  return static_cast<Uint128>(to_int128(Integer(integer(m) * integer(whole) / integer(rest))));
}

TapeMass::TapeMass(const Coin& coin, int depth)
    : coin_bits_(coin.bits), mass_bits_(std::min(kTapeMax, coin.bits * depth + kSpareBits)) {
  DISCREET_CHECK(coin.bits >= 1 && depth >= 0 && coin.bits * depth <= kTapeMax);
  DISCREET_CHECK(coin.ones < std::uint64_t{1} << coin.bits && coin.ones > 0);
  const Uint128 zeros = (Uint128{1} << coin.bits) - coin.ones;
  one_[0] = zero_[0] = 1;
  for (int i = 1; i <= kTapeMax; ++i) {
    // Beyond the depth the powers are not used: they would not fit.
    one_[i] = i <= depth ? one_[i - 1] * coin.ones : 0;
    zero_[i] = i <= depth ? zero_[i - 1] * zeros : 0;
  }
}

Walk::Walk(WalkOptions options)
    : options_(std::move(options)), mass_(options_.coin, options_.depth) {}

int Walk::significant_bits(Uint128 at) {
  const auto low = static_cast<std::uint64_t>(at);
  const auto high = static_cast<std::uint64_t>(at >> 64);
  if (low != 0) return 128 - std::countr_zero(low);
  return high == 0 ? 0 : 64 - std::countr_zero(high);
}

void Walk::report(Uint128 at) const {
  if (!options_.progress) return;
  const auto top = static_cast<std::uint32_t>(at >> 96);
  options_.progress(static_cast<int>(std::uint64_t{top} * 1000 >> 32));
}

}  // namespace discreet::audit
