// SPDX-License-Identifier: Apache-2.0
// From a Renyi divergence at one order to (epsilon, delta): the step that zCDP and Renyi accounting
// share.
//
// Theorem (Canonne, Kamath, Steinke 2020, Prop. 12). If D_alpha(P||Q) <= tau for an alpha > 1, then
// for every eps >= 0
//   delta <= exp((alpha-1)(tau-eps)) / (alpha-1) * (1 - 1/alpha)^alpha,
// and so, solved for eps,
//   eps = tau + ln(1 - 1/alpha) - (ln delta + ln alpha) / (alpha - 1).
// It holds for every alpha: however alpha is chosen, the bound is certified.
// Proof: notions.md, "Conversion"
#pragma once

#include "numeric/interval.h"

namespace discreet::accounting {

/// An upper bound on epsilon at `delta`, at least 0; infinite if tau is.
/// Requires: order > 1; 0 < delta < 1.
double epsilon_at_order(double order, double tau, const Rational& delta);

/// An upper bound on ln delta at `epsilon`, at most 0.
double log_delta_at_order(double order, double tau, const Rational& epsilon);

/// The same formulas in plain doubles, for choosing an order. Nothing is promised.
double epsilon_guess(double order, double tau, double log_delta);
double log_delta_guess(double order, double tau, double epsilon);

/// e^x rounded up, at most 1. Requires: x <= 0 or infinite.
double exp_up(double x);

/// What is left of `delta` once an event of probability `spent` is set aside:
/// (delta - spent) / (1 - spent); 0 if nothing is.
Rational delta_left(const Rational& delta, const Rational& spent);

}  // namespace discreet::accounting
