// SPDX-License-Identifier: Apache-2.0
#include "plan/training.h"

#include "accounting/calibrate.h"
#include "ledger/seal.h"
#include "plan/bent_coins.h"
#include "plan/members.h"

namespace discreet::plan {

using mechanism::ClippedSums;

Result<ClippedSums::Terms> terms_of(const Training& training, Neighbours neighbours) {
  if (!training.sampling) {
    const ClippedSums::Options options{.shares = training.shares, .neighbours = neighbours};
    if (training.delta.value() == 0) return ClippedSums::Terms::pure(training.epsilon, options);
    return ClippedSums::Terms::gaussian(training.epsilon, training.delta, options);
  }
  if (neighbours == Neighbours::kReplaceOne) {
    return Error{Code::kUnsupported,
                 "training on samples is accounted for units that are added or removed; this "
                 "namespace replaces one"};
  }
  if (training.delta.value() == 0) {
    return Error{Code::kUnsupported, "training on samples needs a --delta above 0, such as 1e-6"};
  }
  const Rational q = Rational(Integer(training.sampling->threshold)) / power_of_two(64);
  DISCREET_ASSIGN(const accounting::Calibrated noise,
                  accounting::calibrate_subsampled({training.epsilon.value(), training.delta},
                                                   training.sampling->rounds, q));
  return ClippedSums::Terms::sampled(
      {.threshold = training.sampling->threshold,
       .noise_multiplier = noise.noise,
       .rounds = training.sampling->rounds,
       .parts = training.sampling->parts,
       .price = {.epsilon = training.epsilon, .rho = std::nullopt, .delta = training.delta}});
}

Result<CheckedTraining> Checker::check_training(Plan plan, const Training& training,
                                                const policy::Policy& policy,
                                                std::string request_id) {
  if (!plan.keys.empty()) return invalid_input("learning takes rows, not groups");
  if (policy.santha_vazirani) return no_certificate(*policy.santha_vazirani, "learning");
  for (const Measurement& measurement : plan.measurements) {
    if (measurement.kind != MeasureKind::kSum || !measurement.argument) {
      return invalid_input("learning reads columns on declared ranges");
    }
  }
  // Every column passes as a sum of it would: declared, allowed, on a grid of 62 bits.
  DISCREET_ASSIGN(Checked checked, check(std::move(plan), policy, std::move(request_id)));
  if (checked.pair()) {
    return Error{Code::kUnsupported, "rows of two people cannot be learned from"};
  }
  const Charge& sums = checked.charge();
  // Where units are within larger ones, each of both pays for several (members.h): the series is
  // made for a share, so that what was offered covers the dearest.
  DISCREET_ASSIGN(const Offer offer, offer_of(training.epsilon, training.delta, checked.members()));
  Training offered = training;
  offered.epsilon = offer.epsilon;
  offered.delta = offer.delta;
  DISCREET_ASSIGN(ClippedSums::Terms terms, terms_of(offered, sums.units().neighbours));
  const Hash hash =
      ledger::sha256(std::string(sums.plan().begin(), sums.plan().end()) + terms.noise().text);
  checked.charge_ = Charge(sums.units(), {{terms.noise(), terms.cost()}}, hash, sums.request_id());
  return CheckedTraining{std::move(checked), std::move(terms)};
}

}  // namespace discreet::plan
