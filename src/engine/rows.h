// SPDX-License-Identifier: Apache-2.0
// What is kept of a row until its unit is bounded, packed into few words: the unit, a number for
// its key, and the contents that the plan reads. Threads fill Intakes; a row goes straight into the
// part of memory that will later be worked on alone, chosen by its unit. A thread that may have no
// more memory writes what it has to disk (spill.h), part by part.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "engine/interning.h"
#include "engine/keyed_hash.h"
#include "engine/spill.h"

namespace discreet::engine {

class Candidates;

/// One thing that a plan reads of a row: an integer between two public ends, or NULL.
struct Content {
  std::int64_t low = 0;
  std::int64_t high = 0;
};

/// Of a row's key and contents: two for each of the 1,000 measurements that a plan may have, and
/// more.
inline constexpr std::size_t kContentWordsMax = 2048;

/// Where everything is in a row's words. Words 0 (and 1, for units of 128 bits) are the unit; the
/// low half of the next is the key's number; then come the contents, each with a bit above it that
/// is set when it is not NULL. A row of zeros is all NULL.
class RowLayout {
 public:
  struct Field {
    std::size_t word;
    int shift;
    std::uint64_t mask;  // before shifting
    std::size_t set_word;
    std::uint64_t set_bit;
    std::int64_t low;
  };

  RowLayout(bool wide_unit, const std::vector<Content>& contents);

  std::size_t unit_words() const { return unit_words_; }
  std::size_t words() const { return words_; }
  std::size_t contents() const { return fields_.size(); }
  const Field& field(std::size_t content) const { return fields_[content]; }

  static void put(const Field& field, std::uint64_t* row, std::int64_t value) {
    row[field.word] |=
        ((static_cast<std::uint64_t>(value) - static_cast<std::uint64_t>(field.low)) & field.mask)
        << field.shift;
    row[field.set_word] |= field.set_bit;
  }
  static bool is_null(const Field& field, const std::uint64_t* row) {
    return (row[field.set_word] & field.set_bit) == 0;
  }
  static std::int64_t get(const Field& field, const std::uint64_t* row) {
    return static_cast<std::int64_t>(((row[field.word] >> field.shift) & field.mask) +
                                     static_cast<std::uint64_t>(field.low));
  }

 private:
  std::size_t unit_words_;
  std::size_t words_;
  std::vector<Field> fields_;
};

/// How a unit is spread: only the time depends on it, not the result.
inline std::uint64_t spread(const Secret& secret, std::uint64_t unit) {
  std::uint64_t x = (unit ^ secret.words[0]) * 0xff51afd7ed558ccd;
  x = (x ^ (x >> 33)) * 0xc4ceb9fe1a85ec53;
  return x ^ (x >> 33);
}

inline constexpr int kPartBits = 8;
inline constexpr std::size_t kParts = std::size_t{1} << kPartBits;

/// Memory for rows, in slabs whose pages are there from the start, given back all at once.
class RowMemory {
 public:
  static constexpr std::size_t kLargestBlock = 8192;  // words: 64 KiB

  explicit RowMemory(RowRoom& room) : room_(&room) {}
  RowMemory(RowMemory&&) = default;
  std::uint64_t* take(std::size_t words);
  /// A block of kLargestBlock words is free again.
  void give(std::uint64_t* block) { free_.push_back(block); }
  /// Whether a store has become crowded since this was last asked.
  bool crowded() { return std::exchange(crowded_, false); }
  void note(bool crowded) { crowded_ |= crowded; }
  /// Whether the last slab is in use and there may be no further one.
  bool full() const { return free_.empty() && used_ == slabs_.size() && room_->full_for(bytes()); }
  /// Everything that was taken is free again; what is beyond the room is given back.
  void reuse();

 private:
  std::size_t bytes() const { return slabs_.size() * kSlabBytes; }
  static constexpr std::size_t kSlabBytes = std::size_t{1} << 21;
  struct Unmap {
    std::size_t bytes;
    void operator()(void* slab) const;
  };
  RowRoom* room_;
  std::uint64_t* next_ = nullptr;
  std::size_t left_ = 0;
  std::size_t used_ = 0;  // slabs
  std::vector<std::unique_ptr<void, Unmap>> slabs_;
  std::vector<std::uint64_t*> free_;
  bool crowded_ = false;
};

/// The rows of one part that one thread took in, in blocks that grow.
class RowStore {
 public:
  /// Above `crowd` words it is worth looking whose they are.
  explicit RowStore(std::size_t crowd) : crowd_(crowd) {}

  std::uint64_t* next(std::size_t words, RowMemory& memory) {
    if (left_ < words) grow(words, memory);
    std::uint64_t* row = next_;
    next_ += words;
    left_ -= words;
    return row;
  }
  std::size_t room() const { return room_; }
  bool crowded() const { return room_ > crowd_; }
  void expect(std::size_t crowd) { crowd_ = crowd; }
  std::vector<std::uint64_t> copy() const;
  /// All that is held is gone.
  void give_back(RowMemory& memory);
  /// Calls f(words of whole rows) for each block.
  template <class F>
  void for_each_block(F f) const {
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      const std::size_t left = i + 1 == blocks_.size() ? left_ : blocks_[i].left;
      f(std::span<const std::uint64_t>(blocks_[i].words, blocks_[i].size - left));
    }
  }

 private:
  struct Block {
    std::uint64_t* words;
    std::size_t size;
    std::size_t left;  // unused at its end; of the last one: left_
  };
  void grow(std::size_t words, RowMemory& memory);

  std::uint64_t* next_ = nullptr;
  std::size_t left_ = 0;
  std::size_t room_ = 0;  // words in all blocks
  std::size_t crowd_;
  std::vector<Block> blocks_;
};

/// What one thread takes in. Not shared between threads.
class Intake {
 public:
  static constexpr std::size_t kRowsMax = 2048;

  /// Without `candidates` all rows wait. `key_hash`: of the bytes of the key with that number.
  Intake(const RowLayout& layout, const Secret& secret, RowRoom& room,
         const Candidates* candidates = nullptr,
         std::function<std::uint64_t(std::uint32_t)> key_hash = {});

  /// Zeroed words for `count` rows, to be filled. Requires: count <= kRowsMax.
  std::uint64_t* begin(std::size_t count);
  /// Stores them.
  void commit();

  /// One part's rows, those on disk brought back: good while this and the Intake are there.
  class Part {
   public:
    Part(const Intake& intake, std::size_t part);
    /// Calls f(words of whole rows) for each block.
    template <class F>
    void for_each_block(F f) const {
      if (!read_.empty()) f(std::span<const std::uint64_t>(read_));
      held_.for_each_block(f);
    }

   private:
    const RowStore& held_;
    std::vector<std::uint64_t> read_;
  };
  Part part(std::size_t i) const { return Part(*this, i); }

 private:
  struct Written {
    std::uint64_t place;
    std::size_t words;
  };
  void write_out();
  /// Drops what can no longer be kept of a unit that has most of a crowded part.
  void thin_out();
  std::size_t crowd(std::size_t words) const;

  RowLayout layout_;
  Secret secret_;
  std::size_t count_ = 0;
  std::vector<std::uint64_t> staging_;
  RowRoom* room_;
  RowMemory memory_;
  std::vector<RowStore> parts_;
  std::vector<std::vector<Written>> written_;  // of each part
  const Candidates* candidates_;
  std::function<std::uint64_t(std::uint32_t)> key_hash_;
};

}  // namespace discreet::engine
