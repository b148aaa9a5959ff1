// SPDX-License-Identifier: Apache-2.0
// Which ledger a policy belongs to. A budget is for life only if the same people always pay from
// the same ledger, so
//
//   1  without --ledger it is discreet.ledger beside the policy's file, links followed, whatever
//      the current folder is;
//   2  its id is written into the policy (`ledger:`) when it is made or first used;
//   3  any other ledger is refused from then on, and so is making another one.
#pragma once

#include <string>

#include "cli/ledger.h"
#include "policy/policy.h"

namespace discreet::cli {

/// discreet.ledger beside the policy's file; beside the file that a link leads to.
std::string ledger_beside(const std::string& policy_file);

/// Refuses to guess: versions before 0.10 took the ledger from the current folder. When the policy
/// names no ledger, --ledger is not given and the current folder has another one than the policy's
/// folder, the owner must say which it is. Fails with: kConflict.
Result<void> check_is_not_elsewhere(const LedgerArguments& where, const policy::Policy& policy);

/// The ledger that a policy's file names, also where the policy has mistakes; empty: none, or it
/// cannot be read.
std::string named_ledger(const std::string& policy_file);

/// That a policy that names the ledger `named` (empty: none) does not name another one. Fails with:
/// kRefused.
Result<void> check_is_its_ledger(const std::string& named, const std::string& id);

/// Two policies in one folder may be about different people: one that names no ledger is not given
/// the ledger that another one names, with that one's budget and stored answers, unless --ledger
/// says so. Fails with: kConflict.
Result<void> check_is_alone(const LedgerArguments& where, const std::string& id);

/// That the policy and the ledger speak of the same people in the same terms. Prices are in the
/// ledger's notion and neighbours, sensitivities in the policy's: they must not differ. Caps and
/// analysts may (session/ledger_terms.h). Fails with: kRefused; kNotFound for a namespace that the
/// ledger does not have.
Result<void> check_terms(const policy::Policy& policy, ledger::Ledger& ledger);

/// That the policy names no ledger, so that one may be made. Fails with: kConflict.
Result<void> check_has_no_ledger(const policy::Policy& policy);

/// Writes `ledger: ID` into the policy's file, unless it is there, and says so on standard error. A
/// file that cannot be changed stays as it is, and a warning there gives the line to add, and its
/// place. Whether the file names the ledger now. Fails with: kRefused when it names another one, and
/// when it cannot be changed and `must`: the place of the ledger was said, and another time it could
/// be another one.
Result<bool> bind_ledger(const std::string& policy_file, const std::string& id, bool must = false);

/// Where a server keeps accounts and its log, unless told otherwise: LEDGER.server.
std::string server_folder(const LedgerArguments& where);

/// The options that lead another command to the same policy and ledger: " --policy FILE".
std::string places_of(const LedgerArguments& where);

}  // namespace discreet::cli
