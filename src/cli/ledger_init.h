// SPDX-License-Identifier: Apache-2.0
// Making a ledger from a policy, for commands that need one.
#pragma once

#include <string>

#include "cli/ledger.h"

namespace discreet::cli {

/// What `ledger init --policy` does, told on standard error.
Result<void> init_ledger(const LedgerArguments& where, const Streams& streams);

}  // namespace discreet::cli
