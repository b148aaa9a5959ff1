// SPDX-License-Identifier: Apache-2.0
#include "random/laplace.h"

#include <algorithm>
#include <array>

#include "base/check.h"

namespace discreet::random {
namespace {

Integer base_of(int column_bits, int digits) {
  return Integer(1) << static_cast<unsigned>(column_bits * digits);
}

// Words asked for at once; a block stays in the first-level cache.
constexpr std::size_t kBlockWords = 512;
constexpr std::size_t kWordsMax = 5;  // scale 2^40

using Table = DiscreteLaplace::Table;

// As many draws as `words` give, up to the first that has a tie or escapes; how many.
template <int kDigits>
std::size_t fill_from(const std::vector<Table>& tables, const std::uint64_t* words,
                      std::span<std::int64_t> out) {
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

}  // namespace

LaplaceShape laplace_shape(const Rational& scale, int column_bits, int word_bits) {
  const Integer count_max = (Integer(1) << static_cast<unsigned>(column_bits - 1)) - 1;
  if (count_max == 0) return {};
  // The escape has probability 2q/(1+q) q^(base count) <= 2 e^(-(1 + base count)/scale), at most
  // 2^-word_bits once 1 + base count >= (word_bits + 1) ln 2 scale. And ln 2 < 6931472/10^7.
  const Rational reach =
      Rational(word_bits + 1) * Rational::ratio(Integer(6931472), Integer(10000000)) * scale;
  for (int digits = 0;; ++digits) {
    const Rational wanted = (reach - Rational(1)) / Rational(base_of(column_bits, digits));
    const Integer count = wanted.sign() <= 0 ? Integer(0) : wanted.ceil();
    if (count <= count_max) return {digits, count.get_si()};
  }
}

WeightRule laplace_top_weights(const Rational& scale, int column_bits, const LaplaceShape& shape) {
  // Times 1 + q: zero 1 - q; k = +-(1 + h) each q (1 - r) r^h with r = q^base; the escape
  // 2 q r^count.
  return [=](int bits) {
    const std::size_t columns = std::size_t{1} << column_bits;
    const std::size_t zero = columns / 2 - 1;
    const FixedInterval q = fixed_exp(-(Rational(1) / scale), bits);
    const FixedInterval r =
        fixed_exp(-(Rational(base_of(column_bits, shape.digits)) / scale), bits);
    std::vector<FixedInterval> weights(columns, FixedInterval{0, 0});
    weights[zero] = difference(fixed_one(bits), q);
    const FixedInterval stop = difference(fixed_one(bits), r);
    FixedInterval reached = q;  // q r^h
    for (std::size_t h = 0; h < static_cast<std::size_t>(shape.high_count); ++h) {
      weights[zero + 1 + h] = weights[zero - 1 - h] = product(reached, stop, bits);
      reached = product(reached, r, bits);
    }
    weights[columns - 1] = twice(reached);
    return weights;
  };
}

WeightRule laplace_digit_weights(const Rational& scale, int column_bits, int i) {
  return [=](int bits) {
    const FixedInterval r = fixed_exp(-(Rational(base_of(column_bits, i)) / scale), bits);
    std::vector<FixedInterval> weights(std::size_t{1} << column_bits, fixed_one(bits));
    for (std::size_t d = 1; d < weights.size(); ++d) {
      weights[d] = product(weights[d - 1], r, bits);
    }
    return weights;
  };
}

template <>
void DiscreteLaplace::fill(SystemBits& bits, std::span<std::int64_t> out) const {
  const auto per_draw = static_cast<std::size_t>(words_per_draw());
  while (!out.empty()) {
    const std::span<const std::uint64_t> words =
        bits.take_words(std::min(kBlockWords / per_draw, out.size()) * per_draw);
    const std::size_t draws = words.size() / per_draw;
    const std::span<std::int64_t> block = out.first(draws);
    std::size_t done = 0;
    switch (shape_.digits) {
      case 0:
        done = fill_from<0>(tables_, words.data(), block);
        break;
      case 1:
        done = fill_from<1>(tables_, words.data(), block);
        break;
      case 2:
        done = fill_from<2>(tables_, words.data(), block);
        break;
      case 3:
        done = fill_from<3>(tables_, words.data(), block);
        break;
      default:
        DISCREET_CHECK(per_draw == kWordsMax);
        done = fill_from<4>(tables_, words.data(), block);
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
      std::array<std::uint64_t, kWordsMax> own;
      std::copy_n(words.data() + done * per_draw, per_draw, own.data());
      const std::uint64_t* next = own.data();
      out[done] = saturate_to_int64(finish([&] { return *next++; }, bits));
    }
    out = out.subspan(done + 1);
  }
}

}  // namespace discreet::random
