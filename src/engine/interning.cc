// SPDX-License-Identifier: Apache-2.0
#include "engine/interning.h"

#include "base/check.h"

namespace discreet::engine {
namespace {

constexpr std::size_t kFirstSlots = 64;
constexpr std::size_t kBlock = std::size_t{1} << 16;

/// Moves the slots of an open-addressing table into twice as many.
template <class Slot, class Place>
void rehash(std::vector<Slot>& slots, std::size_t& mask, Place place) {
  std::vector<Slot> old(slots.size() * 2);
  old.swap(slots);
  mask = slots.size() - 1;
  for (const Slot& slot : old) {
    if (slot.id == Slot{}.id) continue;
    std::size_t at = place(slot) & mask;
    while (slots[at].id != Slot{}.id) at = (at + 1) & mask;
    slots[at] = slot;
  }
}

}  // namespace

WordIds::WordIds(const Secret& secret)
    : key_(secret.words[1]), mask_(kFirstSlots - 1), slots_(kFirstSlots) {}

std::uint32_t WordIds::insert(std::size_t at, std::uint64_t word) {
  DISCREET_CHECK(words_.size() < kFree);
  auto id = static_cast<std::uint32_t>(words_.size());
  slots_[at] = {word, id};
  words_.push_back(word);
  if (words_.size() * 2 > slots_.size()) grow();
  return id;
}

void WordIds::grow() {
  rehash(slots_, mask_, [this](const Slot& slot) { return mix(slot.word); });
}

TextIds::TextIds(const Secret& secret)
    : secret_(secret), mask_(kFirstSlots - 1), slots_(kFirstSlots) {}

std::uint32_t TextIds::insert(std::size_t at, std::uint64_t hash, std::string_view text) {
  DISCREET_CHECK(texts_.size() < kFree);
  auto id = static_cast<std::uint32_t>(texts_.size());
  slots_[at] = {hash, id};
  texts_.push_back(keep(text));
  if (texts_.size() * 2 > slots_.size()) grow();
  return id;
}

void TextIds::grow() {
  rehash(slots_, mask_, [](const Slot& slot) { return slot.hash; });
}

std::string_view TextIds::keep(std::string_view text) {
  if (text.empty()) return {};
  if (text.size() > left_) {
    std::size_t size = text.size() > kBlock ? text.size() : kBlock;
    blocks_.push_back(std::make_unique<char[]>(size));
    next_ = blocks_.back().get();
    left_ = size;
  }
  std::memcpy(next_, text.data(), text.size());
  std::string_view kept(next_, text.size());
  next_ += text.size();
  left_ -= text.size();
  return kept;
}

}  // namespace discreet::engine
