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

/// Noisy numbers of rows between cuts around the quantiles of a key.
struct Cells {
  std::vector<std::int64_t> cuts;
  std::vector<std::int64_t> counts;  ///< one more than there are cuts
};

struct Drawn {
  std::vector<std::string> keys;  ///< canonical bytes, in the answer's order
  /// steps[i]: for each key the step's released integers, one or, of quantiles, one for each.
  std::vector<std::vector<std::int64_t>> steps;
  std::vector<std::vector<Cells>> cells;  ///< cells[i][k], of steps with counts

  std::int64_t number(const plan::Checked& checked, std::size_t step, std::size_t key,
                      std::size_t number) const {
    return steps[step][key * checked.steps()[step].measurement.numbers() + number];
  }
};

/// Requires: the receipts are those of checked.charge(), in order.
/// Fails with: kNoEntropy. The charge stays.
Result<Drawn> draw(const plan::Checked& checked, const Sensitive<mechanism::Groups>& groups,
                   std::vector<Receipt> receipts);

/// What the owner and the analyst must know where the policy's coins may be bent: both epsilons,
/// and what the guarantee is not about. Empty on fair coins.
std::vector<std::string> notes_on_coins(const plan::Checked& checked);

}  // namespace discreet::session
