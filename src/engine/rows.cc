// SPDX-License-Identifier: Apache-2.0
#include "engine/rows.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <new>

#include "base/check.h"
#include "engine/candidates.h"

namespace discreet::engine {
namespace {

constexpr std::size_t kFirstBlock = 64;  // words

/// Hands out bits of consecutive words; nothing straddles two.
class Bits {
 public:
  Bits(std::size_t word, int used) : word_(word), used_(used) {}
  std::pair<std::size_t, int> take(int count) {
    if (used_ + count > 64) {
      ++word_;
      used_ = 0;
    }
    used_ += count;
    return {word_, used_ - count};
  }
  std::size_t words() const { return word_ + 1; }

 private:
  std::size_t word_;
  int used_;
};

}  // namespace

RowLayout::RowLayout(bool wide_unit, const std::vector<Content>& contents)
    : unit_words_(wide_unit ? 2 : 1) {
  Bits bits(unit_words_, 32);
  for (const Content& content : contents) {
    DISCREET_CHECK(content.low <= content.high);
    std::uint64_t span =
        static_cast<std::uint64_t>(content.high) - static_cast<std::uint64_t>(content.low);
    int width = static_cast<int>(std::bit_width(span));
    auto [word, shift] = bits.take(width);
    auto [set_word, set_shift] = bits.take(1);
    std::uint64_t mask = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
    // A width of 0 may come with a shift of 64; nothing is stored then.
    fields_.push_back(
        {word, width == 0 ? 0 : shift, mask, set_word, std::uint64_t{1} << set_shift, content.low});
  }
  words_ = bits.words();
}

void RowMemory::Unmap::operator()(void* slab) const { munmap(slab, bytes); }

std::uint64_t* RowMemory::take(std::size_t words) {
  DISCREET_CHECK(words * sizeof(std::uint64_t) <= kSlabBytes);
  if (words == kLargestBlock && !free_.empty()) {
    std::uint64_t* const block = free_.back();
    free_.pop_back();
    return block;
  }
  if (left_ < words) {
    if (used_ == slabs_.size()) {
      void* slab = mmap(nullptr, kSlabBytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
      if (slab == MAP_FAILED) throw std::bad_alloc();
      slabs_.emplace_back(slab, Unmap{kSlabBytes});
      room_->take(kSlabBytes);
    }
    next_ = static_cast<std::uint64_t*>(slabs_[used_++].get());
    left_ = kSlabBytes / sizeof(std::uint64_t);
  }
  std::uint64_t* taken = next_;
  next_ += words;
  left_ -= words;
  return taken;
}

void RowMemory::reuse() {
  while (room_->beyond(bytes())) {
    slabs_.pop_back();
    room_->give_back(kSlabBytes);
  }
  free_.clear();
  used_ = 0;
  left_ = 0;
}

void RowStore::grow(std::size_t words, RowMemory& memory) {
  if (!blocks_.empty()) blocks_.back().left = left_;
  std::size_t size =
      blocks_.empty() ? kFirstBlock : std::min(blocks_.back().size * 2, RowMemory::kLargestBlock);
  size = std::max(size, words);
  blocks_.push_back({memory.take(size), size, 0});
  room_ += size;
  memory.note(crowded());
  next_ = blocks_.back().words;
  left_ = size;
}

std::vector<std::uint64_t> RowStore::copy() const {
  std::vector<std::uint64_t> all;
  all.reserve(room_);
  for_each_block([&](std::span<const std::uint64_t> block) {
    all.insert(all.end(), block.begin(), block.end());
  });
  return all;
}

void RowStore::give_back(RowMemory& memory) {
  for (const Block& block : blocks_) {
    if (block.size == RowMemory::kLargestBlock) memory.give(block.words);
  }
  *this = RowStore(crowd_);
}

Intake::Intake(const RowLayout& layout, const Secret& secret, RowRoom& room,
               const Candidates* candidates, std::function<std::uint64_t(std::uint32_t)> key_hash)
    : layout_(layout),
      secret_(secret),
      staging_(kRowsMax * layout.words()),
      room_(&room),
      memory_(room),
      written_(kParts),
      candidates_(candidates),
      key_hash_(std::move(key_hash)) {
  parts_.assign(kParts, RowStore(crowd(0)));
}

// Looking costs as much as storing, so there are twice as many words before it is done again.
std::size_t Intake::crowd(std::size_t words) const {
  if (candidates_ == nullptr) return RowRoom::kEndless;
  return std::max(2 * words, 4 * candidates_->words_per_unit());
}

std::uint64_t* Intake::begin(std::size_t count) {
  DISCREET_CHECK(count <= kRowsMax);
  count_ = count;
  std::fill_n(staging_.begin(), count * layout_.words(), 0);
  return staging_.data();
}

void Intake::commit() {
  if (memory_.full()) write_out();
  const std::size_t words = layout_.words();
  const std::uint64_t* row = staging_.data();
  for (std::size_t i = 0; i < count_; ++i, row += words) {
    std::size_t part = spread(secret_, row[0]) >> (64 - kPartBits);
    std::uint64_t* out = parts_[part].next(words, memory_);
    for (std::size_t w = 0; w < words; ++w) out[w] = row[w];
  }
  count_ = 0;
  if (memory_.crowded()) thin_out();
}

void Intake::thin_out() {
  for (RowStore& part : parts_) {
    if (!part.crowded()) continue;
    const std::uint64_t* const unit =
        candidates_->heavy_unit([&](auto f) { part.for_each_block(f); });
    if (unit != nullptr) {
      std::vector<std::uint64_t> rows = part.copy();
      candidates_->thin(rows, unit, key_hash_);
      part.give_back(memory_);
      for (std::size_t i = 0; i < rows.size(); i += layout_.words()) {
        std::copy_n(&rows[i], layout_.words(), part.next(layout_.words(), memory_));
      }
    }
    part.expect(crowd(part.room()));
  }
}

void Intake::write_out() {
  for (std::size_t i = 0; i < kParts; ++i) {
    const std::vector<std::uint64_t> together = parts_[i].copy();
    if (!together.empty()) {
      written_[i].push_back({room_->spill().write(together), together.size()});
    }
    parts_[i] = RowStore(crowd(0));
  }
  memory_.reuse();
}

Intake::Part::Part(const Intake& intake, std::size_t part) : held_(intake.parts_[part]) {
  std::size_t crowd = intake.crowd(0);
  for (const Written& piece : intake.written_[part]) {
    const std::size_t before = read_.size();
    read_.resize(before + piece.words);
    intake.room_->spill().read(piece.place, std::span(read_).subspan(before));
    if (read_.size() <= crowd) continue;
    const std::uint64_t* const unit =
        intake.candidates_->heavy_unit([&](auto f) { f(std::span<const std::uint64_t>(read_)); });
    if (unit != nullptr) intake.candidates_->thin(read_, unit, intake.key_hash_);
    crowd = intake.crowd(read_.size());
  }
}

}  // namespace discreet::engine
