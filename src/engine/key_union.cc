// SPDX-License-Identifier: Apache-2.0
#include "engine/key_union.h"

#include <utility>

namespace discreet::engine {

KeyUnion unite(const std::vector<const KeyIds*>& threads, const Secret& secret) {
  KeyUnion all;
  TextIds ids(secret);
  for (const KeyIds* keys : threads) {
    std::vector<std::uint32_t>& numbers = all.numbers.emplace_back(keys->size());
    for (std::uint32_t key = 0; key < numbers.size(); ++key) {
      std::string bytes = keys->bytes(key);
      numbers[key] = ids.id(bytes);
      if (numbers[key] == all.keys.bytes.size()) {
        all.keys.hashes.push_back(keyed_hash(secret, bytes));
        all.keys.bytes.push_back(std::move(bytes));
      }
    }
  }
  return all;
}

}  // namespace discreet::engine
