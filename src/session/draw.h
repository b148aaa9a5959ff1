// SPDX-License-Identifier: Apache-2.0
// From sealed groups to released numbers: the keys, then every step of the checked plan with the
// receipt that was paid for it. Nothing here looks inside a Sensitive.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "mechanism/groups.h"
#include "plan/checker.h"
#include "privacy/receipt.h"
#include "privacy/sensitive.h"

namespace discreet::session {

/// The released integers of one step, one for each key.
struct Drawn {
  std::vector<std::string> keys;                 ///< canonical bytes, in the answer's order
  std::vector<std::vector<std::int64_t>> steps;  ///< steps[i][k]
};

/// Requires: the receipts are those of checked.charge(), in order.
/// Fails with: kNoEntropy. The charge stays.
Result<Drawn> draw(const plan::Checked& checked, const Sensitive<mechanism::Groups>& groups,
                   std::vector<Receipt> receipts);

/// What the owner and the analyst must know where the policy's coins may be bent: both epsilons,
/// and what the guarantee is not about. Empty on fair coins.
std::vector<std::string> notes_on_coins(const plan::Checked& checked);

}  // namespace discreet::session
