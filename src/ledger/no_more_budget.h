// SPDX-License-Identifier: Apache-2.0
// That one state of a ledger allows nothing that another does not: asked before an upgrade is
// committed.
#pragma once

#include "ledger/state.h"

namespace discreet::ledger {

/// Whether `after` has the namespaces, terms, blocks and analysts of `before`, no cap above its cap
/// there, and nothing less spent, in total, by any analyst and on any block.
/// Fails with: kCorrupt, naming the account.
Result<void> check_no_more_budget(const State& before, const State& after);

}  // namespace discreet::ledger
