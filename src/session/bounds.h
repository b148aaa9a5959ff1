// SPDX-License-Identifier: Apache-2.0
// A column's domain, bought: where its values lie, or which keys it has, by ordinary questions that
// are charged like any other. What is found becomes a property in the policy, and further questions
// use it for nothing.
//
// Range of numbers: two rounds, half of epsilon each. The first counts rows between 0, +-1, +-2,
// +-5,
// +-10, ... steps (at most 54 bins on either side of 0), the second between about 50 marks inside
// of what the first found. A bin counts as occupied when its noisy count is surely (1 - 1/1000 over
// all bins) above 0; the range goes from the lowest to the highest occupied bin, so that stragglers
// are left outside and clamped to. Dates and timestamps: one round, by year, 1900 to 2100. One row
// of each unit counts, whatever the policy's bounds: the noise of a bin has scale 1/epsilon.
//
// Theorem. Each round is one listed-keys question of sensitivity 1 (2 for replace-one) and costs
// its epsilon by the checker; the second is chosen by the first's released answer (adaptive
// composition).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "policy/policy.h"
#include "session/session.h"

namespace discreet::session {

struct Purchase {
  std::string table;
  std::string column;
  Epsilon epsilon;
  std::optional<Delta> delta = {};    ///< for keys
  std::optional<Rational> step = {};  ///< of a decimal; none: about a millionth of what is found
  std::string analyst = "owner";
};

struct Bought {
  std::optional<policy::Grid> grid;   ///< of numbers, dates, timestamps
  std::vector<policy::Value> values;  ///< keys of texts, integers, booleans without a range
  double outside = 0;                 ///< the share of rows beyond the range, by noisy counts
  std::vector<ledger::Sequence> charges;
  bool repeated = false;  ///< all of it was stored: nothing was charged
  /// "epsilon 0.1 of patients, record 7 of ledger 1f..; about 0.2 % of the rows lie beyond"
  std::string origin;
};

/// The policy without what it says about the column's values: what a purchase is asked under.
/// Fails with: kNotFound, kInvalidInput (a public table; a type that has no domain to buy).
Result<policy::Policy> policy_for_purchase(policy::Policy policy, const Purchase& purchase);

/// Requires: a session over policy_for_purchase(). `ledger_id` is for the origin.
/// Fails with: what Session::ask says; kInvalidInput when nothing stands out of the noise, which
/// the released answer tells.
Result<Bought> buy(Session& session, const policy::Policy& policy, const Purchase& purchase,
                   const std::string& ledger_id, const engine::OwnerLog& log = {});

}  // namespace discreet::session
