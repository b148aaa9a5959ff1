// SPDX-License-Identifier: Apache-2.0
// Dense numbers for values, in the order in which they come: what a thread needs to store a key in
// 32 bits. The numbers themselves depend on the physical order of rows and never leave the engine's
// bookkeeping; keys are compared by their canonical bytes.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "engine/keyed_hash.h"
#include "numeric/int128.h"

namespace discreet::engine {

/// 64-bit words to 0, 1, 2, ...
class WordIds {
 public:
  explicit WordIds(const Secret& secret);
  std::uint32_t id(std::uint64_t word) {
    std::size_t at = mix(word) & mask_;
    while (slots_[at].id != kFree) {
      if (slots_[at].word == word) return slots_[at].id;
      at = (at + 1) & mask_;
    }
    return insert(at, word);
  }
  std::uint64_t word(std::uint32_t id) const { return words_[id]; }
  std::size_t size() const { return words_.size(); }

 private:
  static constexpr std::uint32_t kFree = 0xffffffff;
  struct Slot {
    std::uint64_t word = 0;
    std::uint32_t id = kFree;
  };
  std::uint64_t mix(std::uint64_t word) const {
    word = (word ^ key_) * 0x9e3779b97f4a7c15;
    return word ^ (word >> 32);
  }
  std::uint32_t insert(std::size_t at, std::uint64_t word);
  void grow();

  std::uint64_t key_;
  std::size_t mask_;
  std::vector<Slot> slots_;
  std::vector<std::uint64_t> words_;
};

/// Texts to 0, 1, 2, ...; it keeps copies of them.
class TextIds {
 public:
  explicit TextIds(const Secret& secret);
  std::uint32_t id(std::string_view text) {
    std::uint64_t hash = hash_of(text);
    std::size_t at = hash & mask_;
    while (slots_[at].id != kFree) {
      if (slots_[at].hash == hash && same(texts_[slots_[at].id], text)) return slots_[at].id;
      at = (at + 1) & mask_;
    }
    return insert(at, hash, text);
  }
  std::string_view text(std::uint32_t id) const { return texts_[id]; }
  std::size_t size() const { return texts_.size(); }

 private:
  static constexpr std::uint32_t kFree = 0xffffffff;
  struct Slot {
    std::uint64_t hash = 0;
    std::uint32_t id = kFree;
  };
  /// Folded products under the secret: only the time depends on it.
  std::uint64_t hash_of(std::string_view text) const {
    std::uint64_t hash = secret_.words[1] ^ text.size();
    std::size_t at = 0;
    for (; at + 8 <= text.size(); at += 8) hash = fold(hash ^ load(text.data() + at, 8));
    if (at < text.size()) {
      // The last 8 bytes again where there are so many: no loop over single bytes.
      hash = fold(hash ^ (text.size() >= 8 ? load(text.data() + text.size() - 8, 8)
                                           : load(text.data(), text.size())));
    }
    return fold(hash);
  }
  std::uint64_t fold(std::uint64_t x) const {
    Uint128 product = Uint128{x ^ secret_.words[0]} * 0x9e3779b97f4a7c15;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  }
  /// Without a call for the usual lengths.
  static bool same(std::string_view a, std::string_view b) {
    if (a.size() != b.size()) return false;
    if (a.size() < 8 || a.size() > 16) return a == b;
    const std::size_t last = a.size() - 8;
    return load(a.data(), 8) == load(b.data(), 8) &&
           load(a.data() + last, 8) == load(b.data() + last, 8);
  }
  static std::uint64_t load(const char* bytes, std::size_t count) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes, count);
    return word;
  }
  std::uint32_t insert(std::size_t at, std::uint64_t hash, std::string_view text);
  void grow();
  std::string_view keep(std::string_view text);

  Secret secret_;
  std::size_t mask_;
  std::vector<Slot> slots_;
  std::vector<std::string_view> texts_;
  std::vector<std::unique_ptr<char[]>> blocks_;
  std::size_t left_ = 0;  // bytes free at the end of the last small block
  char* next_ = nullptr;
};

}  // namespace discreet::engine
