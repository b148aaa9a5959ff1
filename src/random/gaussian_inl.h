// SPDX-License-Identifier: Apache-2.0
// Bodies of random/gaussian.h.
#pragma once

#include "random/bernoulli.h"
#include "random/gaussian.h"
#include "random/sampler_cache.h"
#include "random/tries.h"

namespace discreet::random {

template <int kColumnBits, int kThresholdBits>
BasicDiscreteGaussian<kColumnBits, kThresholdBits>::BasicDiscreteGaussian(const Variance& variance)
    : shape_(gaussian_shape(variance.value(), kColumnBits, kWordBits)),
      cells_(variance.value(), shape_, kWordBits, 0),
      table_(gaussian_weights(variance.value(), kColumnBits, shape_)) {}

template <int kColumnBits, int kThresholdBits>
auto BasicDiscreteGaussian<kColumnBits, kThresholdBits>::shared(const Variance& variance)
    -> std::shared_ptr<const BasicDiscreteGaussian> {
  return SamplerCache<BasicDiscreteGaussian>::get(variance);
}

template <int kColumnBits, int kThresholdBits>
template <BitSource B>
Int128 BasicDiscreteGaussian<kColumnBits, kThresholdBits>::draw(B& bits) const {
  for (Tries tries(bits);; tries.again()) {
    const std::uint64_t word = bits.take(kWordBits);
    Int128 z = 0;
    const CellPoint point = shape_.is_direct ? CellPoint{} : cells_.read(bits);
    if (finish(word, point, bits, z)) return z;
  }
}

template <int kColumnBits, int kThresholdBits>
template <BitSource B>
bool BasicDiscreteGaussian<kColumnBits, kThresholdBits>::finish(std::uint64_t word,
                                                                const CellPoint& point, B& bits,
                                                                Int128& z) const {
  const std::uint64_t column = table_.outcome(word, bits);
  if (column == Table::kMask) [[unlikely]]
    return finish_escape(bits, z);
  if (shape_.is_direct) {
    z = Int128{column} - (kMiddle - 1);
    return true;
  }
  // a runs through the cell; z = a for one sign and -1 - a for the other, so that zero comes once.
  const std::uint64_t start = column << shape_.cell_bits;
  const std::uint64_t a = start + point.place;
  z = point.is_negative ? -1 - Int128{a} : Int128{a};
  if (cells_.surely_accepts(column, point)) return true;
  const std::uint64_t inside = point.place + (point.is_negative ? 1 : 0);
  const std::uint64_t x = inside * (2 * start + inside);  // z^2 - start^2
  const auto digits = [&](int n) {
    return digits_of(exp_real(-cells_.exponent(Rational(to_integer(Int128{x})))), n);
  };
  return uniform_is_below(point.accept, cells_.accept_bits(), cells_.acceptance(x), digits, bits);
}

template <int kColumnBits, int kThresholdBits>
template <BitSource B>
bool BasicDiscreteGaussian<kColumnBits, kThresholdBits>::finish_escape(B& bits, Int128& z) const {
  const Integer reach = shape_.reach;
  const bool is_negative = bits.take(1) == 1;
  const Rational scale = cells_.twice_variance() / Rational(Integer(2 * reach));
  const Integer beyond = geometric(scale, bits);
  const Integer size = reach + beyond + (is_negative && !shape_.is_direct ? 1 : 0);
  const Integer x = size * size - reach * reach - 2 * reach * beyond;
  const Int128 clamped = fits_int128(size) ? to_int128(size) : kInt128Max;
  z = is_negative ? -clamped : clamped;
  return bernoulli_exp(cells_.exponent(Rational(x)), bits);
}

}  // namespace discreet::random
