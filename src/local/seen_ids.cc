// SPDX-License-Identifier: Apache-2.0
#include <bit>

#include "local/aggregate.h"
#include "random/system_bits.h"

namespace discreet::local {

SeenIds::SeenIds() : slots_(1 << 10) {
  // Senders choose their ids; without the secret they could choose ones that collide.
  const Result<random::SystemBits*> bits = random::SystemBits::this_thread();
  if (bits.has_value()) secret_ = (*bits)->take(64) | 1;
}

std::size_t SeenIds::slot_of(const Id& id) const {
  const Uint128 product =
      (Uint128{id.low ^ secret_} + 1) * ((id.high ^ std::rotl(secret_, 32)) | 1);
  const auto mixed =
      static_cast<std::uint64_t>(product >> 64) ^ static_cast<std::uint64_t>(product);
  return (mixed * secret_ >> 20) & (slots_.size() - 1);
}

bool SeenIds::insert(Bytes record) {
  const Id id{read_little(record.first(8)), read_little(record.subspan(8, 8))};
  if (id.low == 0 && id.high == 0) {
    const bool fresh = !zero_;
    zero_ = true;
    return fresh;
  }
  if (2 * (size_ + 1) > slots_.size()) grow();
  for (std::size_t i = slot_of(id);; i = (i + 1) & (slots_.size() - 1)) {
    Id& slot = slots_[i];
    if (slot.low == id.low && slot.high == id.high) return false;
    if (slot.low == 0 && slot.high == 0) {
      slot = id;
      ++size_;
      return true;
    }
  }
}

bool SeenIds::contains(Bytes record) const {
  const Id id{read_little(record.first(8)), read_little(record.subspan(8, 8))};
  if (id.low == 0 && id.high == 0) return zero_;
  for (std::size_t i = slot_of(id);; i = (i + 1) & (slots_.size() - 1)) {
    const Id& slot = slots_[i];
    if (slot.low == id.low && slot.high == id.high) return true;
    if (slot.low == 0 && slot.high == 0) return false;
  }
}

void SeenIds::grow() {
  std::vector<Id> old(2 * slots_.size());
  old.swap(slots_);
  for (const Id& id : old) {
    if (id.low == 0 && id.high == 0) continue;
    std::size_t i = slot_of(id);
    while (slots_[i].low != 0 || slots_[i].high != 0) i = (i + 1) & (slots_.size() - 1);
    slots_[i] = id;
  }
}

}  // namespace discreet::local
