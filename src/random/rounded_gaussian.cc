// SPDX-License-Identifier: Apache-2.0
#include "random/rounded_gaussian.h"

#include "base/check.h"
#include "random/gaussian_fill.h"
#include "random/system_bits.h"

namespace discreet::random {
namespace {

// erfc((i + 1/2) / sqrt(2 sigma^2)): the probability of |x| > i + 1/2.
FixedInterval outside(const Rational& variance, std::int64_t i, int bits) {
  const int precision = bits + 64;
  const Interval root = sqrt(Interval::around(Rational(8) * variance, precision));
  return to_fixed(erfc(Interval::around(Rational(2 * i + 1), precision) / root), bits);
}

}  // namespace

GaussianShape rounded_gaussian_shape(const Rational& variance, int column_bits, int word_bits) {
  GaussianShape shape = gaussian_shape(variance, column_bits, word_bits);
  if (!shape.is_direct) return shape;
  if (shape.reach < std::int64_t{1} << (column_bits - 1)) {
    ++shape.reach;  // the tail begins half a unit earlier
    return shape;
  }
  shape.is_direct = false;
  const Integer cells_max = (Integer(1) << static_cast<unsigned>(column_bits)) - 1;
  while (cells_max << static_cast<unsigned>(shape.cell_bits) < shape.reach) ++shape.cell_bits;
  shape.cells = ((shape.reach - 1) >> shape.cell_bits) + 1;
  shape.reach = shape.cells << shape.cell_bits;
  return shape;
}

WeightRule rounded_gaussian_weights(const Rational& variance, int column_bits,
                                    const GaussianShape& shape) {
  if (!shape.is_direct) return gaussian_weights(variance, column_bits, shape);
  return [=](int bits) {
    // Times 2: P(0) = 1 - outside(0), P(z) = (outside(|z| - 1) - outside(|z|)) / 2.
    const std::size_t zero = (std::size_t{1} << (column_bits - 1)) - 1;
    std::vector<FixedInterval> weights(std::size_t{1} << column_bits, FixedInterval{0, 0});
    FixedInterval beyond = outside(variance, 0, bits);
    weights[zero] = twice(difference(fixed_one(bits), beyond));
    for (std::size_t z = 1; z < static_cast<std::size_t>(shape.reach); ++z) {
      FixedInterval next = outside(variance, static_cast<std::int64_t>(z), bits);
      weights[zero + z] = weights[zero - z] = difference(beyond, next);
      beyond = std::move(next);
    }
    weights.back() = twice(beyond);
    return weights;
  };
}

int compare_with_exp(const UniformPrefix& v, const Quadratic& f, const UniformPrefix& u) {
  // In units of 2^-v.count, where v lies in [digits, digits + 1].
  const int precision = v.count + u.count + 64;
  const Interval least = exp(Interval::around(-f.at(u.high()), precision));
  if (v.digits + 1 <= least.floor_low(v.count)) return -1;
  const Interval most = exp(Interval::around(-f.at(u.low()), precision));
  return v.digits > most.floor_high(v.count) ? 1 : 0;
}

template void RoundedGaussian::fill(SystemBits& bits, std::span<std::int64_t> out) const;

#define DISCREET_DRAW(Sampler, Source) template Int128 Sampler<Source>::draw(Source&) const;
DISCREET_ON_TAPES(DISCREET_DRAW, RoundedGaussianFor)
#undef DISCREET_DRAW

}  // namespace discreet::random
