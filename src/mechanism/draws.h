// SPDX-License-Identifier: Apache-2.0
// How draws are compiled. A mechanism's header describes it and only declares `draw`; its source
// defines it and ends with DISCREET_DRAWS(M). So each draw is compiled once, with the product's
// flags, for the bits that the door hands out and for the tapes that the audit walks, and a reader
// of the description needs no sampler.
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "numeric/int128.h"
#include "random/bit_source.h"
#include "random/system_bits.h"
#include "random/tape.h"

namespace discreet::mechanism {

/// Fills `out` with independent draws, clamped to int64: whole blocks from the system's bits, one by
/// one from a tape.
template <class Sampler, random::BitSource B>
void fill(std::vector<std::int64_t>& out, const Sampler& sampler, B& bits) {
  if constexpr (std::is_same_v<B, random::SystemBits>) {
    sampler.fill(bits, out);
  } else {
    for (std::int64_t& entry : out) entry = saturate_to_int64(sampler.draw(bits));
  }
}

}  // namespace discreet::mechanism

/// X(M, source) for every source that a draw of M is compiled for.
#define DISCREET_ON_SOURCES(X, M) X(M, random::SystemBits) DISCREET_ON_TAPES(X, M)

#define DISCREET_DRAW_FROM(M, Source) template M::Output M::draw(const M::Input&, Source&) const;
#define DISCREET_DRAWS(M) DISCREET_ON_SOURCES(DISCREET_DRAW_FROM, M)
