// SPDX-License-Identifier: Apache-2.0
#include "random/exp_bracket.h"

#include "numeric/int128.h"

namespace discreet::random {
namespace {

constexpr std::uint64_t kOne = std::uint64_t{1} << 63;
constexpr std::uint64_t kErrorMax = 10;  // in units of 2^-64; see exp_bracket.md

// 1 - x/1 (1 - x/2 (1 - ... (1 - x/20))), innermost first, in units of 2^-63.
template <int kFrom>
constexpr std::uint64_t horner(std::uint64_t x, std::uint64_t inner) {
  if constexpr (kFrom == 0) {
    return inner;
  } else {
    const auto product = static_cast<std::uint64_t>((Uint128{x} * inner) >> 64);
    return horner<kFrom - 1>(x, kOne - product / kFrom);
  }
}

}  // namespace

Bracket exp_bracket(std::uint64_t x_low, std::uint64_t slack) {
  const Int128 middle = Int128{horner<20>(x_low, kOne)} * 2;
  const Int128 low = middle - kErrorMax - slack;
  const Int128 high = middle + kErrorMax;
  constexpr Int128 kMost = ~std::uint64_t{0};
  return {static_cast<std::uint64_t>(low < 0 ? 0 : low),
          static_cast<std::uint64_t>(high > kMost ? kMost : high)};
}

}  // namespace discreet::random
