// SPDX-License-Identifier: Apache-2.0
// Body of DiscreteLaplace::fill: whole blocks of words at a time. laplace.cc compiles it for the
// product, array_test for words that it chooses itself.
#pragma once

#include <algorithm>
#include <array>

#include "base/check.h"
#include "random/laplace.h"

namespace discreet::random {

inline constexpr std::size_t kLaplaceWordsMax = 5;  // scale 2^40

// As many draws as `words` give, up to the first that has a tie or escapes; how many.
template <int kDigits>
std::size_t fill_laplace(const std::vector<DiscreteLaplace::Table>& tables,
                         const std::uint64_t* words, std::span<std::int64_t> out) {
  using Table = DiscreteLaplace::Table;
  constexpr std::int64_t kBase = std::int64_t{1} << (10 * kDigits);
  constexpr std::int64_t kZero = 511;
  const std::uint64_t* entries[kDigits + 1];
  for (int i = 0; i <= kDigits; ++i) entries[i] = tables[static_cast<std::size_t>(i)].entries();
  for (std::size_t n = 0; n < out.size(); ++n, words += kDigits + 1) {
    std::int64_t low = 0;
    bool rare = false;
    for (int i = 0; i < kDigits; ++i) {
      const std::uint64_t entry = entries[i][words[i] & Table::kMask];
      low += static_cast<std::int64_t>(Table::select(words[i], entry)) << (10 * i);
      rare |= Table::is_tie(words[i], entry);
    }
    const std::uint64_t entry = entries[kDigits][words[kDigits] & Table::kMask];
    const std::uint64_t top = Table::select(words[kDigits], entry);
    rare |= Table::is_tie(words[kDigits], entry) | (top == Table::kMask);
    if (rare) [[unlikely]]
      return n;
    const std::int64_t k = static_cast<std::int64_t>(top) - kZero;
    const std::int64_t sign = (k > 0) - (k < 0);
    out[n] = k * kBase - sign * (kBase - 1 - low);
  }
  return out.size();
}

template <int kColumnBits, int kThresholdBits>
template <BlockSource B>
void BasicDiscreteLaplace<kColumnBits, kThresholdBits>::fill(B& bits,
                                                             std::span<std::int64_t> out) const
  requires(kWordBits == 64)
{
  constexpr std::size_t kBlockWords = 512;  // a block stays in the first-level cache
  const auto per_draw = static_cast<std::size_t>(words_per_draw());
  while (!out.empty()) {
    const std::span<const std::uint64_t> words =
        bits.take_words(std::min(kBlockWords / per_draw, out.size()) * per_draw);
    const std::size_t draws = words.size() / per_draw;
    const std::span<std::int64_t> block = out.first(draws);
    std::size_t done = 0;
    switch (shape_.digits) {
      case 0:
        done = fill_laplace<0>(tables_, words.data(), block);
        break;
      case 1:
        done = fill_laplace<1>(tables_, words.data(), block);
        break;
      case 2:
        done = fill_laplace<2>(tables_, words.data(), block);
        break;
      case 3:
        done = fill_laplace<3>(tables_, words.data(), block);
        break;
      default:
        DISCREET_CHECK(per_draw == kLaplaceWordsMax);
        done = fill_laplace<4>(tables_, words.data(), block);
        break;
    }
    if (done == draws && draws > 0) {
      out = out.subspan(draws);
      continue;
    }
    // A rare draw (or a block too short for one). Its words are copied, because the block is gone
    // once more bits are taken; unread words are dropped, which no draw depends on.
    if (draws == 0) {
      out[0] = saturate_to_int64(draw(bits));
    } else {
      std::array<std::uint64_t, kLaplaceWordsMax> own;
      std::copy_n(words.data() + done * per_draw, per_draw, own.data());
      const std::uint64_t* next = own.data();
      out[done] = saturate_to_int64(finish([&] { return *next++; }, bits));
    }
    out = out.subspan(done + 1);
  }
}

}  // namespace discreet::random
