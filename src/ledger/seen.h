// SPDX-License-Identifier: Apache-2.0
// Which request ids and answered questions a history may have, in a few bytes each: a Bloom filter
// that grows. What it has not seen is in no record, so that the store need not be asked; what it
// may have seen is looked up there.
//
//   Theorem. If a key was added, may_have() of it is true, for ever. (Bits are only ever set.)
//
// A false alarm costs a look at the store and nothing else; fewer than one key in 1,000 gives one,
// whatever the history's length. Keys are hashed under a secret, so that nobody can choose ids that
// give many.
//
// [Bl70] Bloom: Space/time trade-offs in hash coding with allowable errors. CACM 13(7), 1970.
// [AB07] Almeida, Baquero, Preguica, Hutchison: Scalable Bloom filters. IPL 101(6), 2007.
// [PS07] Putze, Sanders, Singler: Cache-, hash- and space-efficient Bloom filters. WEA 2007.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "ledger/record.h"
#include "ledger/store.h"
#include "random/keyed_hash.h"

namespace discreet::ledger {

class Seen {
 public:
  explicit Seen(const random::Secret& secret = {}) : secret_(secret) {}

  /// A payment's request id, an answer's question; other records have neither.
  void add(const Record& record);

  bool may_have_request(std::string_view units, std::string_view analyst,
                        std::string_view request_id) const;
  bool may_have_answer(const QuestionKey& key) const;

  std::size_t bytes() const;

 private:
  /// Where a key's bits are: `low` chooses the block, `high` the bits in it.
  using Key = random::Hash128;
  /// The bits of a key are in one block, which is one line of the processor's cache.
  using Block = std::array<std::uint64_t, 8>;

  Key key_of(char kind, std::string_view a, std::string_view b, std::string_view c) const;
  bool may_have(const Key& key) const;
  void add(const Key& key);

  random::Secret secret_;
  std::vector<std::vector<Block>> filters_;  // each twice as large as the one before
  std::size_t room_ = 0;                     // keys that the last one still takes
};

}  // namespace discreet::ledger
