// SPDX-License-Identifier: Apache-2.0
// How often each bit was 1 among many bit strings of one length. The counters stand upright: plane
// j holds bit j of 64 counters in a word, so one addition serves 64 of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace discreet::local {

class BitCounts {
 public:
  /// Strings of `bits` bits, in (bits + 7)/8 bytes, lowest bit first.
  explicit BitCounts(std::size_t bits);

  void add(const std::uint8_t* string);
  /// `count` strings, each `stride` bytes behind the one before.
  void add_many(const std::uint8_t* first, std::size_t stride, std::size_t count);
  /// Adds the counts so far to totals[0..bits).
  void add_to(std::span<std::uint64_t> totals) const;

 private:
  static constexpr std::size_t kPlanes = 16;  // below 2^16 strings before a flush

  void add_sixteen(const std::uint8_t* first, std::size_t stride);
  /// How often the bit was 1 since the last flush.
  std::uint64_t held(std::size_t bit) const;
  void flush();

  std::size_t bits_;
  std::size_t words_;
  std::size_t held_ = 0;               // strings in the planes
  std::vector<std::uint64_t> planes_;  // plane j of word w at [j * words_ + w]
  std::vector<std::uint64_t> totals_;
};

}  // namespace discreet::local
