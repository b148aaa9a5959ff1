// SPDX-License-Identifier: Apache-2.0
#include "plan/noise.h"

#include <algorithm>

#include "mechanism/verbs.h"
#include "plan/bent_coins.h"
#include "plan/grid.h"

namespace discreet::plan {
namespace {

using mechanism::GaussianVector;
using mechanism::LaplaceVector;
using mechanism::Quantiles;

// What a quantile's interval gets of its share. The error of the quantile itself is inverse to the
// rest, the width of the interval to this.
const Rational kIntervalShare = Rational::ratio(1, 10);
constexpr int kDigits = 12;  // of roots and shares
constexpr int kLedgerDecimals = 18;
constexpr int kScaleBits = 40;     // of a Scale
constexpr int kVarianceBits = 60;  // of a Variance

bool is_zcdp(const Terms& terms) { return terms.notion == policy::Notion::kZcdp; }

// The epsilon of a mechanism that costs epsilon in the one notion and epsilon^2/(2 gain) in zCDP.
Result<Epsilon> epsilon_of(const Terms& terms, const Rational& share, const Rational& gain) {
  if (!is_zcdp(terms)) return Epsilon::of(share_below(terms.epsilon.value() * share));
  return Epsilon::of(terms.epsilon.value() * root_below(share * gain));
}

Rational rho_of(const Terms& terms, const Rational& share) {
  return share_below(terms.epsilon.value() * terms.epsilon.value() / Rational(2) * share);
}

Move move_one_way(const Measurement& measurement, const Lowered& lowered, std::int64_t rows) {
  switch (measurement.kind) {
    case MeasureKind::kUnits:
      return {1, 1};
    case MeasureKind::kDistinct:
      return {Integer(rows), Integer(rows)};
    case MeasureKind::kRows:
      return move_of_sum(rows, 0, 1);
    case MeasureKind::kSum:
    case MeasureKind::kSquares:
    case MeasureKind::kQuantile:
      break;
  }
  const Range range = range_of(measurement, lowered);
  return move_of_sum(rows, range.low, range.high);
}

Move move_of(const Measurement& measurement, const Lowered& lowered, const Terms& terms) {
  Move move = move_one_way(measurement, lowered, terms.rows);
  if (terms.both_ways) move.spread = 2 * move.apart;
  return move;
}

bool gaussian(const Terms& terms) {
  return is_zcdp(terms) && !terms.gamma && terms.preference != policy::NoisePreference::kLaplace;
}

// Whether the noise would be wider than the mechanisms go.
bool too_wide(const Terms& terms, const Rational& share, const Move& move, const Epsilon& epsilon) {
  if (gaussian(terms)) {
    return Rational(l2_squared(terms.reach, move)) / (rho_of(terms, share) * Rational(2)) >
           power_of_two(kVarianceBits);
  }
  return Rational(l1(terms.reach, move)) / epsilon.value() > power_of_two(kScaleBits);
}

Result<Noise> additive_noise(const Terms& terms, const Rational& share, const Move& move,
                             const Epsilon& epsilon) {
  if (gaussian(terms)) {
    DISCREET_ASSIGN(const Rho rho, Rho::of(rho_of(terms, share)));
    DISCREET_ASSIGN(GaussianVector noise,
                    GaussianVector::make({L2Squared::trusted(l2_squared(terms.reach, move)), rho}));
    return Noise(std::move(noise));
  }
  DISCREET_ASSIGN(LaplaceVector noise,
                  LaplaceVector::make({Sensitivity::trusted(l1(terms.reach, move)), epsilon}));
  return Noise(std::move(noise));
}

// Of the rows in each cell of a group: r rows of a unit move its cells by r, those of one that is
// replaced by another by 2r.
Result<Noise> counts_noise(const Terms& terms, const Rational& share) {
  const Move move{Integer(terms.rows), Integer(2 * terms.rows)};
  DISCREET_TRY(mechanism::check_sum_bound({terms.units_max, move.apart}));
  DISCREET_ASSIGN(const Epsilon epsilon, epsilon_of(terms, share, 1));
  return additive_noise(terms, share, move, epsilon);
}

Result<Step> make_quantile(const Measurement& measurement, const Shape& shape, const Terms& terms,
                           const Rational& share) {
  DISCREET_ASSIGN(const Lowered lowered, lower(measurement, shape));
  const Rational own = measurement.intervals ? share * (Rational(1) - kIntervalShare) : share;
  DISCREET_ASSIGN(
      const Epsilon epsilon,
      epsilon_of(terms, own, Quantiles::gain(terms.reach.groups, measurement.fractions)));
  // A replaced unit takes r rows from l groups and adds r rows to l groups: in no group more than
  // 2r rows change, in all of them together no more than l 2r.
  // Where rho is what counts, permute-and-flip costs more than it gains.
  const bool flip = !is_zcdp(terms) && lowered.high - lowered.low < Quantiles::kFlipMax;
  const bool replace = terms.reach.neighbours == Neighbours::kReplaceOne;
  DISCREET_ASSIGN(Quantiles noise,
                  Quantiles::make({.epsilon = epsilon,
                                   .keys_per_unit = terms.reach.groups,
                                   .rows_per_unit = replace ? 2 * terms.rows : terms.rows,
                                   .fractions = measurement.fractions,
                                   .low = lowered.low,
                                   .high = lowered.high,
                                   .choice = flip ? Quantiles::Choice::kPermuteAndFlip
                                                  : Quantiles::Choice::kExponential}));
  Step step{measurement, shape, lowered, Noise(std::move(noise))};
  if (measurement.intervals) {
    DISCREET_ASSIGN(step.counts, counts_noise(terms, share * kIntervalShare));
  }
  return step;
}

}  // namespace

Rational root_below(const Rational& x) {
  DISCREET_CHECK(x.sign() > 0);
  int digits = kDigits;
  while (x * power_of_ten(2 * digits) < power_of_ten(2 * kDigits)) ++digits;
  return Rational(Integer(sqrt((x * power_of_ten(2 * digits)).floor()))) * power_of_ten(-digits);
}

Rational share_below(const Rational& x) {
  DISCREET_CHECK(x.sign() > 0);
  int decimals = 0;
  while (decimals < kLedgerDecimals && x * power_of_ten(decimals) < power_of_ten(kDigits - 1)) {
    ++decimals;
  }
  const Integer units = (x * power_of_ten(decimals)).floor();
  return units == 0 ? x : Rational(units) * power_of_ten(-decimals);
}

Result<Step> make_step(const Measurement& measurement, const Shape& shape, const Terms& terms,
                       const Rational& share) {
  if (measurement.kind == MeasureKind::kQuantile) {
    return make_quantile(measurement, shape, terms, share);
  }
  DISCREET_ASSIGN(const Epsilon epsilon, epsilon_of(terms, share, 1));
  DISCREET_ASSIGN(Lowered lowered, lower(measurement, shape));
  Move move = move_of(measurement, lowered, terms);
  for (int coarser = 1; too_wide(terms, share, move, epsilon); ++coarser) {
    const bool coarsest = lowered.low >= -1 && lowered.high <= 1;
    if (coarsest) break;  // the mechanism says why not
    DISCREET_ASSIGN(lowered, lower(measurement, shape, coarser));
    move = move_of(measurement, lowered, terms);
  }
  // What a group adds up stays where 128-bit sums are exact.
  DISCREET_TRY(mechanism::check_sum_bound({terms.units_max, move.apart}));
  if (terms.gamma) {
    DISCREET_ASSIGN(auto bent, bent_noise(terms, measurement, lowered, move, epsilon));
    return Step{measurement, shape, lowered, Noise(std::move(bent))};
  }
  DISCREET_ASSIGN(Noise noise, additive_noise(terms, share, move, epsilon));
  return Step{measurement, shape, lowered, std::move(noise)};
}

Result<mechanism::KeySelection> make_selection(const Terms& terms, const Rational& share) {
  const std::int64_t keys = keys_moved(terms.reach);
  const Rational gain(terms.pays_as_group ? 1 : keys);
  DISCREET_ASSIGN(const Epsilon epsilon, epsilon_of(terms, share, gain));
  return mechanism::KeySelection::make(
      {.epsilon = epsilon, .delta = terms.delta, .keys_per_unit = keys});
}

Result<std::optional<mechanism::ThresholdedGroups>> make_threshold(const Step& step,
                                                                   const Terms& terms) {
  using mechanism::ThresholdedGroups;
  std::optional<ThresholdedGroups::Noise> noise;
  if (const auto* const laplace = std::get_if<LaplaceVector>(&step.noise)) noise = *laplace;
  // A group's price of a delta follows from an epsilon, which Gaussians do not claim.
  const auto* const gauss = std::get_if<GaussianVector>(&step.noise);
  if (gauss != nullptr && !terms.pays_as_group) noise = *gauss;
  const Move move = move_of(step.measurement, step.lowered, terms);
  // A unit adds between 0 and `apart` to a group, and takes nothing away.
  const bool only_adds = range_of(step.measurement, step.lowered).low >= 0 && !terms.both_ways;
  if (!noise || !only_adds || move.apart < 1) return std::optional<ThresholdedGroups>();
  // Where every unit adds as much as it can, the sum tells the units by itself.
  const MeasureKind kind = step.measurement.kind;
  const bool full = kind == MeasureKind::kUnits ||
                    (kind == MeasureKind::kRows && !step.measurement.argument && terms.rows == 1);
  DISCREET_ASSIGN(ThresholdedGroups groups,
                  ThresholdedGroups::make({.noise = *std::move(noise),
                                           .delta = terms.delta,
                                           .capacity = move.apart,
                                           .keys_per_unit = keys_moved(terms.reach),
                                           .room = !full}));
  return std::optional(std::move(groups));
}

ChargeLine line_of(const Noise& noise) {
  return std::visit([](const auto& each) { return ChargeLine{each.noise(), each.cost()}; }, noise);
}

}  // namespace discreet::plan
