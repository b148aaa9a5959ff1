// SPDX-License-Identifier: Apache-2.0
// Bodies of random/rounded_gaussian.h.
#pragma once

#include "random/bernoulli.h"
#include "random/rounded_gaussian.h"
#include "random/sampler_cache.h"
#include "random/tries.h"

namespace discreet::random {

/// a + b u + c u^2, rising on [0, 1].
struct Quadratic {
  Rational a, b, c;
  Rational at(const Rational& u) const { return a + u * (b + u * c); }
};

/// The first bits of a uniform real number.
struct UniformPrefix {
  Integer digits = 0;
  int count = 0;

  Rational low() const { return Rational(digits) * power_of_two(-count); }
  Rational high() const { return Rational(Integer(digits + 1)) * power_of_two(-count); }

  template <BitSource B>
  void extend(B& bits) {
    constexpr int kStep = B::kWordBits < 32 ? B::kWordBits : 32;
    digits = (digits << kStep) + static_cast<unsigned long>(bits.take(kStep));
    count += kStep;
  }
};

/// -1: v is below every e^-f(u) for certain; +1: above; 0: not known yet.
int compare_with_exp(const UniformPrefix& v, const Quadratic& f, const UniformPrefix& u);

/// True with probability E[e^-f(U)], U uniform with the prefix u, when v is the prefix of the
/// uniform real that decides; both get more bits until that is settled.
/// Requires: f >= 0 and rising on [0, 1].
template <BitSource B>
bool accept_lazily(const Quadratic& f, UniformPrefix u, UniformPrefix v, B& bits) {
  // In turns, v first: where f hardly moves along u, v alone decides.
  for (bool is_v = true;; is_v = !is_v) {
    const int order = compare_with_exp(v, f, u);
    if (order != 0) return order < 0;
    (is_v ? v : u).extend(bits);
  }
}

template <int kColumnBits, int kThresholdBits>
BasicRoundedGaussian<kColumnBits, kThresholdBits>::BasicRoundedGaussian(const Variance& variance)
    : shape_(rounded_gaussian_shape(variance.value(), kColumnBits, kWordBits)),
      cells_(variance.value(), shape_, kWordBits, 1),
      table_(rounded_gaussian_weights(variance.value(), kColumnBits, shape_)) {}

template <int kColumnBits, int kThresholdBits>
auto BasicRoundedGaussian<kColumnBits, kThresholdBits>::shared(const Variance& variance)
    -> std::shared_ptr<const BasicRoundedGaussian> {
  return SamplerCache<BasicRoundedGaussian>::get(variance);
}

template <int kColumnBits, int kThresholdBits>
template <BitSource B>
Int128 BasicRoundedGaussian<kColumnBits, kThresholdBits>::draw(B& bits) const {
  for (Tries tries(bits);; tries.again()) {
    const std::uint64_t word = bits.take(kWordBits);
    Int128 z = 0;
    const CellPoint point = shape_.is_direct ? CellPoint{} : cells_.read(bits);
    if (finish(word, point, bits, z)) return z;
  }
}

template <int kColumnBits, int kThresholdBits>
template <BitSource B>
bool BasicRoundedGaussian<kColumnBits, kThresholdBits>::finish(std::uint64_t word,
                                                               const CellPoint& point, B& bits,
                                                               Int128& z) const {
  const std::uint64_t column = table_.outcome(word, bits);
  if (column == Table::kMask) [[unlikely]]
    return finish_escape(bits, z);
  if (shape_.is_direct) {
    z = Int128{column} - (kMiddle - 1);
    return true;
  }
  // The point lies between start + place/2 and start + (place + 1)/2.
  const std::uint64_t start = column << shape_.cell_bits;
  const Int128 size = Int128{start} + (point.place + 1) / 2;
  z = point.is_negative ? -size : size;
  if (cells_.surely_accepts(column, point)) return true;
  const auto x = [&](std::uint64_t halves) { return halves * (4 * start + halves); };
  const int hidden = 64 - cells_.accept_bits();
  if (point.accept < cells_.acceptance(x(point.place + 1)).low >> hidden) return true;
  if (point.accept > cells_.acceptance(x(point.place)).high >> hidden) return false;
  const Rational width = power_of_two(shape_.cell_bits);
  const Quadratic f{0, cells_.exponent(Rational(2) * width * Rational(to_integer(Int128{start}))),
                    cells_.exponent(width * width)};
  return accept_lazily(f, {to_integer(Int128{point.place}), cells_.place_bits()},
                       {to_integer(Int128{point.accept}), cells_.accept_bits()}, bits);
}

template <int kColumnBits, int kThresholdBits>
template <BitSource B>
bool BasicRoundedGaussian<kColumnBits, kThresholdBits>::finish_escape(B& bits, Int128& z) const {
  const Rational half = power_of_two(-1);
  const Rational from = Rational(Integer(shape_.reach)) - (shape_.is_direct ? half : Rational(0));
  const Rational scale = cells_.twice_variance() / (Rational(2) * from);
  for (Tries tries(bits);; tries.again()) {
    const bool is_negative = bits.take(1) == 1;
    const Integer beyond = geometric(scale, bits);
    // The point is from + beyond + u; when direct, the whole unit rounds to one integer.
    UniformPrefix u;
    if (!shape_.is_direct) u = {to_integer(Int128{bits.take(1)}), 1};
    const Integer size = shape_.reach + beyond + u.digits;
    const Int128 clamped = fits_int128(size) ? to_int128(size) : kInt128Max;
    z = is_negative ? -clamped : clamped;
    const Rational j = Rational(beyond);
    const Quadratic f{cells_.exponent(j * j), cells_.exponent(Rational(2) * (from + j)),
                      cells_.exponent(Rational(1))};
    if (accept_lazily(f, u, {}, bits)) return true;
    // Direct: the escape's weight is the exact tail, so only the tail is drawn again. Cells: it is
    // an envelope, so the whole draw is.
    if (!shape_.is_direct) return false;
  }
}

}  // namespace discreet::random
