// SPDX-License-Identifier: Apache-2.0
// e^epsilon as an integer that never exceeds it. Every randomizer of the local model weighs its
// outputs with two integers, `odds` for the likely ones and kUnit for the others, so that the ratio
// of two probabilities is odds/kUnit exactly, and the only thing to prove is odds <= e^epsilon
// kUnit.
//
// Theorem     odds_below(n) <= 2^32 e^(n/10^9), and at least (1 - 2^-45) 2^32 e^(n/10^9) - 1.
// Proof       Of the first half: the Taylor sum of e^y, y >= 0, has positive terms, so a sum that
//             is cut short and whose every product and quotient is rounded down is below e^y; a
//             square that is rounded down is below the square; and e^x = (e^(x/1024))^1024. The
//             second half is accuracy, not privacy.
// Checked by  randomizer_test: both halves, against MPFR.
// No floating point, no library: the client computes this at home and believes nobody.
#pragma once

#include <cstdint>

namespace discreet::local {

/// Quantities of privacy in the client: whole numbers of 10^-9 nats.
inline constexpr std::uint64_t kNano = 1'000'000'000;
inline constexpr std::uint64_t kEpsilonMin = kNano / 1000;  // 0.001
inline constexpr std::uint64_t kEpsilonMax = 20 * kNano;

/// The weight of an unlikely output.
inline constexpr std::uint64_t kUnit = std::uint64_t{1} << 32;

/// Requires: nano <= kEpsilonMax.
std::uint64_t odds_below(std::uint64_t nano);

/// The least n (in 10^-9) with odds <= odds_below(n), or 0 if there is none up to kEpsilonMax: what
/// a randomizer with these odds costs. Requires: odds > kUnit.
std::uint64_t cost_of_odds(std::uint64_t odds);

}  // namespace discreet::local
