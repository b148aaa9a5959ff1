// SPDX-License-Identifier: Apache-2.0
// Privacy filters and odometers: budgets for questions that are thought up along the way, with
// prices that depend on earlier answers.
//
// Theorems. A filter stops before its sum would pass a budget that was fixed beforehand. Then
// everything asked, however adaptively, has the guarantee that the budget names:
//   epsilons, deltas     (cap epsilon, cap delta)-DP       [Rogers, Roth, Ullman, Vadhan 2016]
//   rhos, deltas         approximate zCDP with the caps    [Feldman, Zrnic 2021;
//                                                           Whitehouse et al. 2023]
//   Renyi at one order   tau(order) <= cap                 [Feldman, Zrnic 2021]
// Not claimed: filters for privacy-loss distributions; several orders at once (which of them holds
// may depend on the answers); concurrent composition of interactive mechanisms under approximate
// zCDP.
//
// Sums are exact: a price is rounded up to a multiple of 10^-18, a cap down, and both are 128-bit
// integers. Ten million charges of 0.1 make exactly one million. A charge is a few integer
// operations.
#pragma once

#include <string>

#include "numeric/int128.h"
#include "numeric/rational.h"

namespace discreet::accounting {

/// A multiple of 10^-18, at least 0, below 2^127 units (about 1.7 * 10^20).
class Amount {
 public:
  Amount() = default;
  /// Fails with: kInvalidInput if negative or too large.
  static Result<Amount> up(const Rational& value);
  static Result<Amount> down(const Rational& value);

  /// As multiples of 10^-18: how a ledger keeps it. Fails with: kInvalidInput if negative.
  static Result<Amount> from_units(Int128 units);
  Int128 units() const { return units_; }

  Rational value() const;
  std::string to_string() const { return value().to_string(); }

  /// Whether this + more <= cap; sums that do not fit are above every cap.
  bool plus_fits(const Amount& more, const Amount& cap) const;
  /// Requires: the sum fits.
  void add(const Amount& more);
  /// this + more, or the largest amount: for sums that are compared with a cap below it.
  Amount saturating_plus(const Amount& more) const;
  /// this - less, or 0.
  Amount minus_or_zero(const Amount& less) const;
  friend bool operator==(const Amount&, const Amount&) = default;
  friend auto operator<=>(const Amount&, const Amount&) = default;

 private:
  static Result<Amount> of(const Integer& units);
  Int128 units_ = 0;
};

/// What a filter adds up: one number (Renyi) or a number and a delta.
struct Price {
  Amount amount;  ///< epsilon, rho or tau
  Amount delta;

  friend bool operator==(const Price&, const Price&) = default;
};

enum class FilterNotion { kEpsilon, kZcdp, kRenyi };

class Filter {
 public:
  /// Caps are rounded down. Fails with: kInvalidInput.
  static Result<Filter> pure(const Rational& epsilon, const Rational& delta);
  static Result<Filter> zcdp(const Rational& rho, const Rational& delta);
  /// Requires: order > 1; the prices must be divergences of this order.
  static Result<Filter> renyi(const Rational& order, const Rational& tau);

  /// Rounds up. Fails with: kInvalidInput.
  static Result<Price> price(const Rational& amount, const Rational& delta = 0);

  bool admits(const Price& price) const {
    return spent_.amount.plus_fits(price.amount, cap_.amount) &&
           spent_.delta.plus_fits(price.delta, cap_.delta);
  }
  /// Fails with: kBudget, naming what is needed and what is left; nothing is charged then.
  Result<void> charge(const Price& price);

  /// The reading: what was charged so far.
  const Price& spent() const { return spent_; }
  const Price& cap() const { return cap_; }
  FilterNotion notion() const { return notion_; }

  /// What the caps mean as (epsilon, delta): an upper bound on epsilon at `delta`. For kEpsilon the
  /// cap itself, if delta >= its delta. Requires: 0 < delta < 1.
  double epsilon(const Rational& delta) const;

 private:
  Filter(FilterNotion notion, Price cap, Rational order)
      : notion_(notion), cap_(cap), order_(std::move(order)) {}
  Error refusal(const Price& price) const;

  FilterNotion notion_;
  Price cap_;
  Price spent_;
  Rational order_;
};

/// Bounds the privacy loss at every moment at once, with no cap: at any stopping time, also one
/// that depends on the answers, Pr[loss > reading] <= delta.
///
/// Theorem (after Feldman, Zrnic 2021). For levels rho_j = base 2^j and delta_j =
/// delta / ((j+1)(j+2)), which add up to delta: the process cut off by the filter with cap rho_j is
/// rho_j-zCDP, so its loss passes rho_j + 2 sqrt(rho_j ln(1/delta_j)) with probability at most
/// delta_j. The reading is that bound for the least level that covers what was spent. Proof:
/// notions.md, "Odometer"
class Odometer {
 public:
  /// Fails with: kInvalidInput unless base > 0 and 0 < delta < 1.
  static Result<Odometer> zcdp(const Rational& base_rho, const Rational& delta);

  /// Fails with: kBudget if the sum no longer fits 128 bits. Requires: price.delta is 0 (pure
  /// zCDP).
  Result<void> charge(const Price& price);
  const Amount& spent() const { return spent_; }
  /// An upper bound on the privacy loss so far; 0 before the first charge.
  double reading() const;

 private:
  Odometer(Amount base, Rational delta) : base_(base), delta_(std::move(delta)) {}
  Amount base_;
  Rational delta_;
  Amount spent_;
};

}  // namespace discreet::accounting
