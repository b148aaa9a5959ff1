// SPDX-License-Identifier: Apache-2.0
// Which of a unit's rows are kept is chosen by hashes under a secret that is drawn for one run.
//
// Privacy does not rest on them. What a unit keeps is a function of its own rows and the secret
// (engine.h, E2) whatever the hash is; its quality is why the choice looks uniform.
#pragma once

#include <cstdint>
#include <span>

#include "numeric/int128.h"
#include "random/keyed_hash.h"

namespace discreet::engine {

using random::Hash128;
using random::keyed_hash;
using random::keyed_hash_wide;
using random::Secret;
using random::SipState;

/// For many hashes of one unit: its own 128 bits of SipHash, then a folded product for each key's
/// hash. As even as SipHash where it is used (bounding.md), at a fifth of its time.
class UnitHash {
 public:
  UnitHash(const Secret& secret, std::span<const std::uint64_t> unit) {
    SipState<> state(secret);
    state.widen();
    for (std::uint64_t word : unit) state.add(word);
    own_ = state.finish_wide();
  }
  std::uint64_t of(std::uint64_t key_hash) const {
    const Uint128 product = Uint128{key_hash ^ own_.low} * (own_.high | 1);
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  }

 private:
  Hash128 own_;
};

}  // namespace discreet::engine
