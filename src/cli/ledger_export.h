// SPDX-License-Identifier: Apache-2.0
// A history as lines of JSON that anybody can check without the ledger and without its key: every
// field that enters the chain of hashes, and the signed head as the last line.
#pragma once

#include <string>

#include "ledger/ledger.h"

namespace discreet::cli {

/// One line.
std::string export_line(const ledger::Record& record);
std::string export_line(const ledger::Head& head);

/// Folds an exported file from its first record: chain, signatures, caps; and its signed head.
/// Fails with: kNotFound, kStorage; kCorrupt, naming the line.
Result<ledger::Verified> verify_export(const std::string& path);

}  // namespace discreet::cli
