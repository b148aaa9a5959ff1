// SPDX-License-Identifier: Apache-2.0
// Bodies of random/laplace.h.
#pragma once

#include "base/check.h"
#include "random/bernoulli.h"
#include "random/laplace.h"
#include "random/sampler_cache.h"

namespace discreet::random {

template <int kColumnBits, int kThresholdBits>
BasicDiscreteLaplace<kColumnBits, kThresholdBits>::BasicDiscreteLaplace(const Scale& scale)
    : scale_(scale.value()), shape_(laplace_shape(scale_, kColumnBits, kWordBits)) {
  DISCREET_CHECK(shape_.high_count < kMiddle);
  DISCREET_CHECK(kColumnBits * words_per_draw() <= 62);
  tables_.reserve(static_cast<std::size_t>(words_per_draw()));
  for (int i = 0; i < shape_.digits; ++i) {
    tables_.emplace_back(laplace_digit_weights(scale_, kColumnBits, i));
  }
  tables_.emplace_back(laplace_top_weights(scale_, kColumnBits, shape_));
}

template <int kColumnBits, int kThresholdBits>
auto BasicDiscreteLaplace<kColumnBits, kThresholdBits>::shared(const Scale& scale)
    -> std::shared_ptr<const BasicDiscreteLaplace> {
  return SamplerCache<BasicDiscreteLaplace>::get(scale);
}

template <int kColumnBits, int kThresholdBits>
Rational BasicDiscreteLaplace<kColumnBits, kThresholdBits>::refinement_probability() const {
  int ties = 0;
  for (const Table& table : tables_) ties += table.structure().refinable_columns();
  // Each such column's tie is one word of 2^kWordBits; the escape comes on top.
  return Rational(ties + 1) * power_of_two(-kWordBits);
}

template <int kColumnBits, int kThresholdBits>
template <BitSource B>
Int128 BasicDiscreteLaplace<kColumnBits, kThresholdBits>::draw(B& bits) const {
  return finish([&] { return bits.take(kWordBits); }, bits);
}

template <int kColumnBits, int kThresholdBits>
template <class NextWord, BitSource B>
Int128 BasicDiscreteLaplace<kColumnBits, kThresholdBits>::finish(NextWord&& next_word,
                                                                 B& bits) const {
  // 64 bits hold everything but the escape: |k| base < 2^(kColumnBits (digits + 1)) <= 2^62.
  const auto digits = static_cast<std::size_t>(shape_.digits);
  std::int64_t low = 0;
  for (std::size_t i = 0; i < digits; ++i) {
    const auto digit = static_cast<std::int64_t>(tables_[i].outcome(next_word(), bits));
    low += digit << (kColumnBits * static_cast<int>(i));
  }
  // The digits have been drawn also when the top says zero: the work is always the same.
  const std::uint64_t top = tables_[digits].outcome(next_word(), bits);
  const std::int64_t base = std::int64_t{1} << (kColumnBits * shape_.digits);
  if (top != Table::kMask) [[likely]] {
    // k = sign (1 + H), so sign (1 + low + H base) = k base - sign (base - 1 - low).
    const std::int64_t k = static_cast<std::int64_t>(top) - (kMiddle - 1);
    const std::int64_t sign = (k > 0) - (k < 0);
    return k * base - sign * (base - 1 - low);
  }
  // The escape: H >= high_count. What lies above is geometric again, and the sign is fair.
  const bool is_negative = bits.take(1) == 1;
  const Integer beyond = geometric(scale_ / Rational(to_integer(base)), bits);
  const Integer size = 1 + to_integer(low) + to_integer(base) * (shape_.high_count + beyond);
  const Int128 clamped = fits_int128(size) ? to_int128(size) : kInt128Max;
  return is_negative ? -clamped : clamped;
}

}  // namespace discreet::random
