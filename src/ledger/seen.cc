// SPDX-License-Identifier: Apache-2.0
#include "ledger/seen.h"

#include <algorithm>

namespace discreet::ledger {
namespace {

constexpr std::size_t kFirstBlocks = 64;  // of the first filter: 4 KiB
constexpr std::size_t kKeysOfBlock = 16;  // 32 bits a key
constexpr int kBits = 7;                  // of a key, 9 bits of its hash each

/// Calls `visit` with word and mask of each bit of a key, until it returns false.
template <class Visit>
bool each_bit(std::uint64_t hash, const Visit& visit) {
  for (int i = 0; i < kBits; ++i, hash >>= 9U) {
    if (!visit((hash >> 6U) & 7U, std::uint64_t{1} << (hash & 63U))) return false;
  }
  return true;
}

}  // namespace

Seen::Key Seen::key_of(char kind, std::string_view a, std::string_view b,
                       std::string_view c) const {
  random::SipState<> state(secret_);
  state.widen();
  state.add(static_cast<std::uint64_t>(kind));
  // With their lengths, so that what stands where cannot be mistaken.
  for (const std::string_view text : {a, b, c}) {
    state.add(text.size());
    state.add_bytes(text);
  }
  return state.finish_wide();
}

void Seen::add(const Record& record) {
  if (record.kind == Kind::kCharge || record.kind == Kind::kShare) {
    add(key_of('r', record.units, record.analyst, record.request_id));
  } else if (record.kind == Kind::kAnswer) {
    add(key_of('a', record.units, record.question, record.snapshot));
  }
}

bool Seen::may_have_request(std::string_view units, std::string_view analyst,
                            std::string_view request_id) const {
  return may_have(key_of('r', units, analyst, request_id));
}

bool Seen::may_have_answer(const QuestionKey& key) const {
  return may_have(key_of('a', key.units, key.question, key.snapshot));
}

bool Seen::may_have(const Key& key) const {
  return std::ranges::any_of(filters_, [&](const std::vector<Block>& filter) {
    const Block& block = filter[key.low % filter.size()];
    return each_bit(
        key.high, [&](std::size_t word, std::uint64_t mask) { return (block[word] & mask) != 0; });
  });
}

void Seen::add(const Key& key) {
  if (may_have(key)) return;
  if (room_ == 0) {
    const std::size_t blocks = filters_.empty() ? kFirstBlocks : 2 * filters_.back().size();
    filters_.emplace_back(blocks);
    room_ = kKeysOfBlock * blocks;
  }
  --room_;
  std::vector<Block>& filter = filters_.back();
  Block& block = filter[key.low % filter.size()];
  each_bit(key.high, [&](std::size_t word, std::uint64_t mask) {
    block[word] |= mask;
    return true;
  });
}

std::size_t Seen::bytes() const {
  std::size_t blocks = 0;
  for (const std::vector<Block>& filter : filters_) blocks += filter.size();
  return blocks * sizeof(Block);
}

}  // namespace discreet::ledger
