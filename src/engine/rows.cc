// SPDX-License-Identifier: Apache-2.0
#include "engine/rows.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <new>

#include "base/check.h"

namespace discreet::engine {
namespace {

constexpr std::size_t kFirstBlock = 64;      // words
constexpr std::size_t kLargestBlock = 8192;  // 64 KiB

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
  used_ = 0;
  left_ = 0;
}

void RowStore::grow(std::size_t words, RowMemory& memory) {
  if (!blocks_.empty()) blocks_.back().left = left_;
  std::size_t size =
      blocks_.empty() ? kFirstBlock : std::min(blocks_.back().size * 2, kLargestBlock);
  size = std::max(size, words);
  blocks_.push_back({memory.take(size), size, 0});
  next_ = blocks_.back().words;
  left_ = size;
}

Intake::Intake(const RowLayout& layout, const Secret& secret, RowRoom& room)
    : layout_(layout),
      secret_(secret),
      staging_(kRowsMax * layout.words()),
      room_(&room),
      memory_(room),
      parts_(kParts),
      written_(kParts) {}

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
}

void Intake::write_out() {
  std::vector<std::uint64_t> together;
  for (std::size_t i = 0; i < kParts; ++i) {
    together.clear();
    parts_[i].for_each_block([&](std::span<const std::uint64_t> block) {
      together.insert(together.end(), block.begin(), block.end());
    });
    if (!together.empty()) {
      written_[i].push_back({room_->spill().write(together), together.size()});
    }
    parts_[i] = RowStore();
  }
  memory_.reuse();
}

Intake::Part::Part(const Intake& intake, std::size_t part) : held_(intake.parts_[part]) {
  std::size_t words = 0;
  for (const Written& piece : intake.written_[part]) words += piece.words;
  read_.resize(words);
  std::span<std::uint64_t> rest(read_);
  for (const Written& piece : intake.written_[part]) {
    intake.room_->spill().read(piece.place, rest.first(piece.words));
    rest = rest.subspan(piece.words);
  }
}

}  // namespace discreet::engine
