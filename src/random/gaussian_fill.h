// SPDX-License-Identifier: Apache-2.0
// Bodies of DiscreteGaussian::fill and RoundedGaussian::fill: whole blocks of words at a time.
// gaussian.cc and rounded_gaussian.cc compile them for the product, array_test for words that it
// chooses itself.
#pragma once

#include <algorithm>

#include "random/gaussian.h"
#include "random/rounded_gaussian.h"

namespace discreet::random {

/// What the two have in common. inside(start of the cell, point) is what a point that is accepted
/// stands for; finish(word, point, z) is a try whatever happens; draw() is a draw of its own.
template <class Table, BlockSource B, class Inside, class Finish, class Draw>
void fill_from_cells(const Table& table, const GaussianShape& shape, const GaussianCells& cells,
                     B& bits, std::span<std::int64_t> out, const Inside& inside,
                     const Finish& finish, const Draw& draw) {
  constexpr std::size_t kBlockWords = 512;  // a block stays in the first-level cache
  constexpr std::int64_t kZero = static_cast<std::int64_t>(Table::kColumns) / 2 - 1;
  const std::size_t per_try = shape.is_direct ? 1 : 2;
  const std::uint64_t* const entries = table.entries();
  std::size_t done = 0;
  while (done < out.size()) {
    const std::span<const std::uint64_t> words =
        bits.take_words(std::min(kBlockWords, (out.size() - done) * per_try));
    for (std::size_t i = 0; i + per_try <= words.size(); i += per_try) {
      const std::uint64_t word = words[i];
      const std::uint64_t entry = entries[word & Table::kMask];
      const std::uint64_t column = Table::select(word, entry);
      const bool is_rare = Table::is_tie(word, entry) | (column == Table::kMask);
      if (shape.is_direct) {
        if (!is_rare) [[likely]] {
          out[done++] = static_cast<std::int64_t>(column) - kZero;
          continue;
        }
      } else if (!is_rare) [[likely]] {
        const CellPoint point = cells.split(words[i + 1]);
        if (cells.surely_accepts(column, point)) [[likely]] {
          out[done++] = inside(column << shape.cell_bits, point);
          continue;
        }
      }
      // The careful way may take more bits, and then the block is gone: what is unread is dropped.
      const CellPoint point = shape.is_direct ? CellPoint{} : cells.split(words[i + 1]);
      const std::uint64_t taken = bits.bits_taken();
      Int128 z = 0;
      if (finish(word, point, z)) out[done++] = saturate_to_int64(z);
      if (bits.bits_taken() != taken) break;
    }
    if (words.size() < per_try) out[done++] = saturate_to_int64(draw());
  }
}

template <int kColumnBits, int kThresholdBits>
template <BlockSource B>
void BasicDiscreteGaussian<kColumnBits, kThresholdBits>::fill(B& bits,
                                                              std::span<std::int64_t> out) const
  requires(kWordBits == 64)
{
  const auto inside = [](std::uint64_t start, const CellPoint& point) {
    return static_cast<std::int64_t>((start + point.place) ^ -std::uint64_t{point.is_negative});
  };
  fill_from_cells(
      table_, shape_, cells_, bits, out, inside,
      [&](std::uint64_t word, const CellPoint& point, Int128& z) {
        return finish(word, point, bits, z);
      },
      [&] { return draw(bits); });
}

template <int kColumnBits, int kThresholdBits>
template <BlockSource B>
void BasicRoundedGaussian<kColumnBits, kThresholdBits>::fill(B& bits,
                                                             std::span<std::int64_t> out) const
  requires(kWordBits == 64)
{
  const auto inside = [](std::uint64_t start, const CellPoint& point) {
    const std::uint64_t size = start + (point.place + 1) / 2;
    const std::uint64_t sign = -std::uint64_t{point.is_negative};
    return static_cast<std::int64_t>((size ^ sign) - sign);
  };
  fill_from_cells(
      table_, shape_, cells_, bits, out, inside,
      [&](std::uint64_t word, const CellPoint& point, Int128& z) {
        return finish(word, point, bits, z);
      },
      [&] { return draw(bits); });
}

}  // namespace discreet::random
