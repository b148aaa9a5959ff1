// SPDX-License-Identifier: Apache-2.0
// Bodies of random/shuffle.h.
#pragma once

#include <set>
#include <utility>

#include "base/check.h"
#include "random/shuffle.h"
#include "random/uniform.h"

namespace discreet::random {

template <class T, BitSource B>
void shuffle(std::span<T> items, B& bits) {
  using std::swap;
  for (std::size_t left = items.size(); left > 1; --left) {
    // Invariant: items[left...] is a uniform ordered choice, and the rest are the others.
    swap(items[left - 1], items[uniform_below(std::uint64_t{left}, bits)]);
  }
}

template <BitSource B>
std::vector<std::uint64_t> uniform_subset(std::uint64_t n, std::uint64_t k, B& bits) {
  DISCREET_CHECK(k <= n);
  // Invariant (Floyd): after the step for `last`, `chosen` is a uniform subset of {0, ..., last}
  // of its size. A fresh number below last + 1 joins; if it is there already, `last` does, which
  // cannot be there yet. So `last` is in with probability size/(last + 1), as it must be.
  std::set<std::uint64_t> chosen;
  for (std::uint64_t last = n - k; last < n; ++last) {
    const std::uint64_t drawn = uniform_below(last + 1, bits);
    if (!chosen.insert(drawn).second) chosen.insert(last);
  }
  return {chosen.begin(), chosen.end()};
}

}  // namespace discreet::random
