// SPDX-License-Identifier: Apache-2.0
#include "plan/bent_coins.h"

#include "mechanism/saturation.h"

namespace discreet::plan {
namespace {

using mechanism::kEntryMax;
using mechanism::SvLaplace;

bool has_certificate(MeasureKind kind) {
  switch (kind) {
    case MeasureKind::kRows:
    case MeasureKind::kUnits:
    case MeasureKind::kDistinct:
    case MeasureKind::kSum:
      return true;
    case MeasureKind::kSquares:
    case MeasureKind::kQuantile:
      break;
  }
  return false;
}

}  // namespace

Error no_certificate(const Rational& gamma, const std::string& what) {
  return {Code::kRefused,
          "the policy's coins may be bent (randomness: santha-vazirani " + gamma.to_string() +
              "), and " + what +
              " has no certificate for them; ask one COUNT or SUM without GROUP BY, or have the "
              "owner keep a ledger on fair coins"};
}

Result<void> check_bent_coins(const Plan& plan, const policy::Policy& policy) {
  if (!policy.santha_vazirani) return {};
  const Rational& gamma = *policy.santha_vazirani;
  if (!plan.keys.empty()) return no_certificate(gamma, "an answer in groups");
  if (plan.measurements.size() > 1) {
    return no_certificate(
        gamma, "a question that measures " + std::to_string(plan.measurements.size()) + " things");
  }
  for (const Measurement& measurement : plan.measurements) {
    if (!has_certificate(measurement.kind)) return no_certificate(gamma, "a quantile or a square");
  }
  return {};
}

Result<SvLaplace> bent_noise(const Terms& terms, const Measurement& measurement,
                             const Lowered& lowered, const Move& move, const Epsilon& epsilon) {
  DISCREET_CHECK(terms.gamma.has_value() && has_certificate(measurement.kind));
  // No kept rows of all units together reach further than this; it is public. Verbs::number clamps
  // to kEntryMax.
  const Integer all = terms.units_max * move.apart;
  const Int128 far = all > to_integer(kEntryMax) ? kEntryMax : Int128{all.get_si()};
  const bool counts = measurement.kind != MeasureKind::kSum;
  return SvLaplace::make({.sensitivity = Sensitivity::trusted(l1(terms.reach, move)),
                          .epsilon = epsilon,
                          .gamma = *terms.gamma,
                          .low = counts || lowered.low >= 0 ? 0 : -far,
                          .high = far});
}

}  // namespace discreet::plan
