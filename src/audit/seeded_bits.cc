// SPDX-License-Identifier: Apache-2.0
#include "audit/seeded_bits.h"

#include <cmath>
#include <numbers>

#include "numeric/int128.h"
#include "random/system_bits.h"

namespace discreet::audit {

Result<SeededBits> SeededBits::fresh() {
  DISCREET_ASSIGN(random::SystemBits* const bits, random::SystemBits::this_thread());
  return SeededBits(bits->take(64));
}

std::uint64_t SeededBits::below(std::uint64_t n) {
  return static_cast<std::uint64_t>(Uint128{next()} * n >> 64);
}

double SeededBits::normal() {
  const double u = 1 - unit();
  return std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * unit());
}

}  // namespace discreet::audit
