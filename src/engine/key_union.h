// SPDX-License-Identifier: Apache-2.0
// The keys of several threads, numbered together.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/key_ids.h"

namespace discreet::engine {

/// Every key that any thread has seen, by number.
struct AllKeys {
  std::vector<std::string> bytes;
  std::vector<std::uint64_t> hashes;  // keyed, of the bytes
};

struct KeyUnion {
  AllKeys keys;
  std::vector<std::vector<std::uint32_t>> numbers;  // numbers[thread][its own number]
};

KeyUnion unite(const std::vector<const KeyIds*>& threads, const Secret& secret);

}  // namespace discreet::engine
