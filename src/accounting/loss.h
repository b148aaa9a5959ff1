// SPDX-License-Identifier: Apache-2.0
// The privacy loss of a mechanism as a random variable: for a dominating pair (P, Q) it is L =
// ln(dP/dQ)(y) with y drawn from P. It decides everything: delta(eps) = E[(1 - e^{eps - L})+], and
// losses of independent uses add up.
//
// A Loss says how much mass P and Q give to the outputs whose loss lies in (a, b], as brackets that
// contain the truth. The two directions of a neighbour relation are two Losses; `reversed` gives
// the other one.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace discreet::accounting {

/// A bracket for the mass of one event under P and under Q.
struct Mass {
  double p_low = 0;
  double p_high = 0;
  double q_low = 0;
  double q_high = 0;
};

/// Outputs that all have one loss, known to within `loss_error`.
struct Atom {
  double loss = 0;
  double loss_error = 0;
  Mass mass;
};

struct Loss {
  /// The mass of the outputs with loss in (a, b], atoms not counted; a = -inf and b = inf are
  /// allowed. Boundaries are where a double says they are, up to loss_error: equal arguments mean
  /// the same boundary, so that neighbouring cells tile. It remembers what it computed last: one
  /// thread at a time, and neighbouring cells one after the other are quickest.
  std::function<Mass(double a, double b)> cell;
  double loss_error = 0;
  std::vector<Atom> atoms;
  double infinity_low = 0;  ///< mass of P where Q has none: a bracket
  double infinity_high = 0;
};

/// Two Gaussians one unit of mu apart: L ~ N(mu^2/2, mu^2). Requires: 0 < mu.
Loss gaussian_loss(double mu);

/// Laplace noise with epsilon = sensitivity / scale.
Loss laplace_loss(double epsilon);

/// Discrete Laplace noise on one integer of sensitivity `steps`: the losses epsilon (steps - 2j) /
/// steps, j = 0..steps.
Loss discrete_laplace_loss(double epsilon, unsigned steps);

/// The worst epsilon-DP (delta > 0: (epsilon, delta)-DP) mechanism there is: randomized response
/// with a giveaway of probability delta.
Loss response_loss(double epsilon, double delta);

/// The pair ((1-q) Q + q P, Q) of Poisson subsampling with probability q; `base` is the pair (P,
/// Q). Requires: 0 < q <= 1 and base has no mass at infinity.
Loss subsampled(const Loss& base, double q);

/// The pair (Q, P).
Loss reversed(const Loss& loss);

}  // namespace discreet::accounting
