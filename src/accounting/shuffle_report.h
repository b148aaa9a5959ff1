// SPDX-License-Identifier: Apache-2.0
// What one person's randomized response shows, before the others hide it.
//
// If the others' number of ones X has a mass function c that is log-concave, the best event is
// {x >= t}, and
//   delta = a Pr[X = t-1] - (e^eps - 1) Pr[X >= t],   a = (e^e0 - e^eps) / (e^e0 + 1),
// where the best t is the least x whose ratio c(x-1)/c(x) exceeds
//   kappa = (e^{e0+eps} - 1) / (e^e0 - e^eps).
// Proof: notions.md, "Shuffled responses"
#pragma once

#include "accounting/binomial.h"
#include "numeric/rational.h"

namespace discreet::accounting {

class Report {
 public:
  Report(const Rational& epsilon0, const Rational& epsilon);

  double kappa() const { return kappa_; }

  /// Brackets the delta of one threshold. `mass` is that of X = t-1 and `tail` that of X >= t.
  MassBracket at_threshold(const MassBracket& mass, const MassBracket& tail) const;

  /// The delta when the others contribute X ~ `others` = Bin(trials, odds/(1+odds)).
  MassBracket delta(const Binomial& others, std::uint64_t trials, double odds) const;

 private:
  MassBracket a_;
  MassBracket excess_;
  double kappa_ = 0;
};

}  // namespace discreet::accounting
