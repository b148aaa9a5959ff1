// SPDX-License-Identifier: Apache-2.0
// Bodies of random/alias.h.
#pragma once

#include "random/alias.h"
#include "random/real_coin.h"

namespace discreet::random {

template <int kColumnBits, int kThresholdBits>
template <BitSource B>
std::uint64_t AliasTable<kColumnBits, kThresholdBits>::outcome(std::uint64_t word, B& bits) const {
  if constexpr (requires { bits.note_look_up(); }) bits.note_look_up();
  const std::uint64_t entry = entries()[word & kMask];
  if (is_tie(word, entry)) [[unlikely]]
    return settle(word, bits);
  return select(word, entry);
}

template <int kColumnBits, int kThresholdBits>
template <BitSource B>
std::uint64_t AliasTable<kColumnBits, kThresholdBits>::settle(std::uint64_t word, B& bits) const {
  const std::uint64_t column = word & kMask;
  const std::uint64_t alias = entries()[column] & kMask;
  if (structure_.is_full(column)) return outcome_of(column);
  if (structure_.threshold_ends(column)) return outcome_of(alias);
  const std::uint64_t next = structure_.next_digits(column);
  const auto digits = [&](int n) { return structure_.digits_after_entry(column, n); };
  return outcome_of(uniform_is_below(0, 0, Bracket{next, next}, digits, bits) ? column : alias);
}

}  // namespace discreet::random
