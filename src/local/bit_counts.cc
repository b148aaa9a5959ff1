// SPDX-License-Identifier: Apache-2.0
#include "local/bit_counts.h"

#include <algorithm>
#include <cstring>

namespace discreet::local {
namespace {

constexpr std::size_t kLanes = 4;
// Four words that are added at once; the processor's widest registers that the build allows.
typedef std::uint64_t Lanes __attribute__((vector_size(8 * kLanes)));

inline void load(Lanes& to, const void* from) { std::memcpy(&to, from, sizeof(Lanes)); }
inline void store(void* to, const Lanes& from) { std::memcpy(to, &from, sizeof(Lanes)); }

// a + b + c of each lane is sum + 2 carry.
inline void add3(Lanes& carry, Lanes& sum, const Lanes& b, const Lanes& c) {
  const Lanes half = sum ^ b;
  carry = (sum & b) | (half & c);
  sum = half ^ c;
}

struct Sixteen {
  const std::uint8_t* first;
  std::size_t stride;
  void take(std::size_t i, Lanes& lanes) const { load(lanes, first + i * stride); }
};

// Sixteen strings into planes of weight 1, 2, 4, 8; what is left over has weight 16.
inline void add16(const Sixteen& x, Lanes& ones, Lanes& twos, Lanes& fours, Lanes& eights,
                  Lanes& sixteens) {
  Lanes two[2];
  Lanes four[2];
  Lanes eight[2];
  for (std::size_t e = 0; e < 2; ++e) {
    for (std::size_t f = 0; f < 2; ++f) {
      for (std::size_t t = 0; t < 2; ++t) {
        Lanes a;
        Lanes b;
        x.take(8 * e + 4 * f + 2 * t, a);
        x.take(8 * e + 4 * f + 2 * t + 1, b);
        add3(two[t], ones, a, b);
      }
      add3(four[f], twos, two[0], two[1]);
    }
    add3(eight[e], fours, four[0], four[1]);
  }
  add3(sixteens, eights, eight[0], eight[1]);
}

}  // namespace

BitCounts::BitCounts(std::size_t bits)
    : bits_(bits),
      words_((bits + 64 * kLanes - 1) / (64 * kLanes) * kLanes),
      planes_(words_ * kPlanes),
      totals_(bits) {}

void BitCounts::add(const std::uint8_t* string) {
  if (held_ + 1 >= 1 << kPlanes) flush();
  ++held_;
  const std::size_t bytes = (bits_ + 7) / 8;
  for (std::size_t w = 0; 8 * w < bytes; ++w) {
    std::uint64_t carry = 0;
    std::memcpy(&carry, string + 8 * w, std::min<std::size_t>(8, bytes - 8 * w));
    for (std::size_t j = 0; carry != 0; ++j) {
      std::uint64_t& plane = planes_[j * words_ + w];
      const std::uint64_t next = plane & carry;
      plane ^= carry;
      carry = next;
    }
  }
}

void BitCounts::add_sixteen(const std::uint8_t* first, std::size_t stride) {
  if (held_ + 16 >= 1 << kPlanes) flush();
  held_ += 16;
  for (std::size_t w = 0; w < words_; w += kLanes) {
    Lanes plane[4];
    Lanes carry;
    for (std::size_t j = 0; j < 4; ++j) load(plane[j], &planes_[j * words_ + w]);
    add16({first + 8 * w, stride}, plane[0], plane[1], plane[2], plane[3], carry);
    for (std::size_t j = 0; j < 4; ++j) store(&planes_[j * words_ + w], plane[j]);
    for (std::size_t j = 4; j < kPlanes; ++j) {
      Lanes high;
      load(high, &planes_[j * words_ + w]);
      const Lanes next = high & carry;
      store(&planes_[j * words_ + w], high ^ carry);
      carry = next;
      if ((carry[0] | carry[1] | carry[2] | carry[3]) == 0) break;
    }
  }
}

void BitCounts::add_many(const std::uint8_t* first, std::size_t stride, std::size_t count) {
  std::size_t i = 0;
  if (bits_ % (64 * kLanes) == 0) {
    for (; i + 16 <= count; i += 16) add_sixteen(first + i * stride, stride);
  }
  for (; i < count; ++i) add(first + i * stride);
}

std::uint64_t BitCounts::held(std::size_t bit) const {
  std::uint64_t count = 0;
  for (std::size_t j = 0; j < kPlanes; ++j) {
    count += (planes_[j * words_ + bit / 64] >> bit % 64 & 1) << j;
  }
  return count;
}

void BitCounts::flush() {
  for (std::size_t b = 0; b < bits_; ++b) totals_[b] += held(b);
  std::fill(planes_.begin(), planes_.end(), 0);
  held_ = 0;
}

void BitCounts::add_to(std::span<std::uint64_t> totals) const {
  for (std::size_t b = 0; b < bits_; ++b) totals[b] += totals_[b] + held(b);
}

}  // namespace discreet::local
