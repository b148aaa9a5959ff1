// SPDX-License-Identifier: Apache-2.0
#include "random/laplace.h"

#include "random/laplace_fill.h"
#include "random/system_bits.h"

namespace discreet::random {
namespace {

Integer base_of(int column_bits, int digits) {
  return Integer(1) << static_cast<unsigned>(column_bits * digits);
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

template void DiscreteLaplace::fill(SystemBits& bits, std::span<std::int64_t> out) const;

#define DISCREET_DRAW(Sampler, Source) template Int128 Sampler<Source>::draw(Source&) const;
DISCREET_ON_TAPES(DISCREET_DRAW, LaplaceFor)
#undef DISCREET_DRAW

}  // namespace discreet::random
