// SPDX-License-Identifier: Apache-2.0
#include "random/gaussian_cells.h"

#include "base/check.h"
#include "random/exp_bracket.h"

namespace discreet::random {
namespace {

Integer two_to(int bits) { return Integer(1) << static_cast<unsigned>(bits); }

// 2 e^(-A^2 / 2 sigma^2) / (1 - e^(-A / sigma^2)): the weight of a geometric tail from A on, both
// signs, that lies above the Gaussian's, since (A + j)^2 >= A^2 + 2 A j.
FixedInterval tail_weight(const Rational& variance, const Integer& reach, int bits) {
  const Rational a = Rational(reach);
  const FixedInterval start = fixed_exp(-(a * a / (Rational(2) * variance)), bits);
  const FixedInterval ratio = fixed_exp(-(a / variance), bits);
  return quotient(twice(start), difference(fixed_one(bits), ratio), bits);
}

Integer least_reach(const Rational& variance, int word_bits) {
  constexpr int kBits = 256;
  const Integer allowed = two_to(kBits - word_bits);  // the other weights add up to at least one
  const auto suffices = [&](const Integer& reach) {
    return tail_weight(variance, reach, kBits).high <= allowed;
  };
  Integer high = 1;
  while (!suffices(high)) high *= 2;
  Integer low = high / 2;  // does not suffice, or is zero
  while (high - low > 1) {
    const Integer middle = (low + high) / 2;
    (suffices(middle) ? high : low) = middle;
  }
  return high;
}

std::vector<FixedInterval> direct_weights(const Rational& variance, int column_bits,
                                          const GaussianShape& shape, int bits) {
  const std::size_t zero = (std::size_t{1} << (column_bits - 1)) - 1;
  std::vector<FixedInterval> weights(std::size_t{1} << column_bits, FixedInterval{0, 0});
  const Rational step = Rational(1) / (Rational(2) * variance);
  const FixedInterval q_squared = fixed_exp(-(Rational(2) * step), bits);
  FixedInterval factor = fixed_exp(-step, bits);  // q^(2z + 1)
  FixedInterval weight = fixed_one(bits);         // q^(z^2)
  for (std::size_t z = 0; z < static_cast<std::size_t>(shape.reach); ++z) {
    weights[zero + z] = weights[zero - z] = weight;
    weight = product(weight, factor, bits);
    factor = product(factor, q_squared, bits);
  }
  weights.back() = tail_weight(variance, Integer(shape.reach), bits);
  return weights;
}

// All divided by 2w: cell h has e^(-(h w)^2 / 2 sigma^2).
std::vector<FixedInterval> cell_weights(const Rational& variance, int column_bits,
                                        const GaussianShape& shape, int bits) {
  std::vector<FixedInterval> weights(std::size_t{1} << column_bits, FixedInterval{0, 0});
  const Rational step = power_of_two(2 * shape.cell_bits) / (Rational(2) * variance);
  const FixedInterval r_squared = fixed_exp(-(Rational(2) * step), bits);
  FixedInterval factor = fixed_exp(-step, bits);
  FixedInterval weight = fixed_one(bits);
  for (std::size_t h = 0; h < static_cast<std::size_t>(shape.cells); ++h) {
    weights[h] = weight;
    weight = product(weight, factor, bits);
    factor = product(factor, r_squared, bits);
  }
  const FixedInterval tail = tail_weight(variance, Integer(shape.reach), bits);
  const FixedInterval width{two_to(bits + shape.cell_bits + 1), two_to(bits + shape.cell_bits + 1)};
  weights.back() = quotient(tail, width, bits);
  return weights;
}

}  // namespace

GaussianShape gaussian_shape(const Rational& variance, int column_bits, int word_bits) {
  GaussianShape shape;
  const Integer reach = least_reach(variance, word_bits);
  shape.is_direct = reach <= two_to(column_bits - 1);
  if (shape.is_direct) {
    shape.reach = reach.get_si();
    return shape;
  }
  const Integer cells_max = two_to(column_bits) - 1;
  while (cells_max * two_to(shape.cell_bits) < reach) ++shape.cell_bits;
  shape.cells = (Rational(reach) * power_of_two(-shape.cell_bits)).ceil().get_si();
  shape.reach = shape.cells << shape.cell_bits;
  return shape;
}

WeightRule gaussian_weights(const Rational& variance, int column_bits, const GaussianShape& shape) {
  return [=](int bits) {
    return shape.is_direct ? direct_weights(variance, column_bits, shape, bits)
                           : cell_weights(variance, column_bits, shape, bits);
  };
}

GaussianCells::GaussianCells(const Rational& variance, const GaussianShape& shape, int word_bits,
                             int fraction_bits)
    : twice_variance_(Rational(2) * variance),
      place_bits_(shape.cell_bits + fraction_bits),
      fraction_bits_(fraction_bits),
      accept_bits_(word_bits == 64 ? 63 - place_bits_ : word_bits) {
  if (shape.is_direct) return;
  const Rational unit = Rational(1) / (power_of_two(2 * fraction_bits) * twice_variance_);
  while (inverse_bits_ < 128 && power_of_two(62) > unit * power_of_two(inverse_bits_)) {
    ++inverse_bits_;
  }
  inverse_ = (unit * power_of_two(inverse_bits_)).floor().get_ui();

  const std::uint64_t width = std::uint64_t{1} << place_bits_;
  squeeze_.reserve(static_cast<std::size_t>(shape.cells));
  for (std::uint64_t h = 0; h < static_cast<std::uint64_t>(shape.cells); ++h) {
    const Bracket least = acceptance(width * (2 * h * width + width));
    squeeze_.push_back(least.low >> (64 - accept_bits_));
  }
}

Bracket GaussianCells::acceptance(std::uint64_t scaled) const {
  if (inverse_bits_ >= 64) {
    // inverse_ >= 2^62 is short by less than 1, so the product of something below 1 is short by
    // less than 2^-62, and the shift drops less than 2^-64: a slack of 5 in units of 2^-64.
    const Uint128 x = (Uint128{scaled} * inverse_) >> (inverse_bits_ - 64);
    if (x >> 64 == 0) return exp_bracket(static_cast<std::uint64_t>(x), 5);
  }
  const Rational x = Rational(to_integer(Int128{scaled})) * power_of_two(-2 * fraction_bits_);
  return bracket_of(exp_real(-exponent(x)));
}

}  // namespace discreet::random
