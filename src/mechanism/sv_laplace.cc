// SPDX-License-Identifier: Apache-2.0
#include "mechanism/sv_laplace.h"

#include <algorithm>

#include "mechanism/draws.h"
#include "mechanism/whole_sensitivity.h"

namespace discreet::mechanism {
namespace {

constexpr Int128 kRangeMax = Int128{1} << 62;

/// round(x / unit), halves up: moves by at most 1 when x moves by at most `unit`.
Int128 rounded(Int128 x, Int128 unit) { return floor_div(2 * x + unit, 2 * unit); }

}  // namespace

Result<SvLaplace> SvLaplace::make(const Options& options) {
  DISCREET_ASSIGN(const Int128 unit, whole_sensitivity(options.sensitivity));
  DISCREET_ASSIGN(const SvGamma gamma, SvGamma::of(options.gamma));
  if (options.low > options.high || options.low < -kRangeMax || options.high > kRangeMax) {
    return invalid_input(
        "the public range must have its low end below its high end, both at most 2^62 in size");
  }
  DISCREET_ASSIGN(const random::SvShape shape, choose_sv_shape(options.epsilon, gamma));
  // Cells for what lies up to 40 halvings beyond the range; the outermost take the rest.
  const Int128 margin = 1 + Int128{20} * shape.period / (Int128{shape.halvings} * shape.q);
  const auto cells = std::make_shared<const random::SvCells>(
      shape, floor_div(rounded(options.low, unit), shape.q) - margin,
      floor_div(rounded(options.high, unit), shape.q) + 1 + margin);
  const std::optional<Rational> fair = SvCertificate(*cells, SvGamma{}).epsilon();
  DISCREET_CHECK(fair.has_value());
  return SvLaplace(options, unit, *fair, cells);
}

NoiseSpec SvLaplace::noise() const {
  const random::SvShape& shape = cells_->shape();
  return {"sv-laplace(sensitivity=" + options_.sensitivity.to_string() +
          ",gamma=" + options_.gamma.to_string() + ",epsilon=" + options_.epsilon.to_string() +
          ",fair-epsilon=" + fair_.to_decimal(6, Round::kUp) + ",period=" +
          std::to_string(shape.period) + ",halvings=" + std::to_string(shape.halvings) +
          ",bits=" + std::to_string(shape.bits) + ",cell=" + std::to_string(shape.q) + ")[" +
          to_string(options_.low) + "," + to_string(options_.high) + "]"};
}

Int128 SvLaplace::in_units(Int128 value) const {
  return rounded(std::clamp(value, options_.low, options_.high), unit_);
}

std::optional<Accuracy> SvLaplace::accuracy(const Confidence& confidence) const {
  // |answer - y| <= (q + d)/2 unless the tape begins with j + 1 equal bits, where E(d) <= 2^-(j+1);
  // under every source that has probability at most 2 ((1+gamma)/2)^(j+1).
  const Rational each = (1 + options_.gamma) * Rational::ratio(1, 2);
  Rational beyond = 2 * each;
  int j = 0;
  while (beyond > 1 - confidence.value()) {
    beyond = beyond * each;
    ++j;
  }
  const random::SvShape& shape = cells_->shape();
  const Rational d((Rational(j) * shape.period / shape.halvings).ceil());
  // Half a unit for rounding to units.
  const Rational half_width =
      (Rational(shape.q) + d + 1) * Rational::ratio(1, 2) * options_.sensitivity.value();
  return Accuracy{half_width, confidence};
}

template <random::BitSource B>
SvLaplace::Output SvLaplace::draw(const Input& value, B& bits) const {
  return cells_->decode(in_units(value), bits) * cells_->shape().q * unit_;
}

DISCREET_DRAW_FROM(SvLaplace, random::RawBits)
DISCREET_ON_TAPES(DISCREET_DRAW_FROM, SvLaplace)

}  // namespace discreet::mechanism
