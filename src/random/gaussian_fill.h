// SPDX-License-Identifier: Apache-2.0
// Body of DiscreteGaussian::fill: whole blocks of words at a time. gaussian.cc compiles it for the
// product, array_test for words that it chooses itself.
#pragma once

#include <algorithm>

#include "random/gaussian.h"

namespace discreet::random {

template <int kColumnBits, int kThresholdBits>
template <BlockSource B>
void BasicDiscreteGaussian<kColumnBits, kThresholdBits>::fill(B& bits,
                                                              std::span<std::int64_t> out) const
  requires(kWordBits == 64)
{
  constexpr std::size_t kBlockWords = 512;  // a block stays in the first-level cache
  const std::size_t per_try = shape_.is_direct ? 1 : 2;
  const std::uint64_t* const entries = table_.entries();
  std::size_t done = 0;
  while (done < out.size()) {
    const std::span<const std::uint64_t> words =
        bits.take_words(std::min(kBlockWords, (out.size() - done) * per_try));
    for (std::size_t i = 0; i + per_try <= words.size(); i += per_try) {
      const std::uint64_t word = words[i];
      const std::uint64_t entry = entries[word & Table::kMask];
      const std::uint64_t column = Table::select(word, entry);
      const bool is_rare = Table::is_tie(word, entry) | (column == Table::kMask);
      if (shape_.is_direct) {
        if (!is_rare) [[likely]] {
          out[done++] = static_cast<std::int64_t>(column) - (kMiddle - 1);
          continue;
        }
      } else if (!is_rare) [[likely]] {
        const CellPoint point = cells_.split(words[i + 1]);
        if (cells_.surely_accepts(column, point)) [[likely]] {
          const std::uint64_t a = (column << shape_.cell_bits) + point.place;
          out[done++] = static_cast<std::int64_t>(a ^ -std::uint64_t{point.is_negative});
          continue;
        }
      }
      // The careful way may take more bits, and then the block is gone: what is unread is dropped.
      const CellPoint point = shape_.is_direct ? CellPoint{} : cells_.split(words[i + 1]);
      const std::uint64_t taken = bits.bits_taken();
      Int128 z = 0;
      if (finish(word, point, bits, z)) out[done++] = saturate_to_int64(z);
      if (bits.bits_taken() != taken) break;
    }
    if (words.size() < per_try) out[done++] = saturate_to_int64(draw(bits));
  }
}

}  // namespace discreet::random
