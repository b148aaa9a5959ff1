// SPDX-License-Identifier: Apache-2.0
// A policy's namespaces and caps as a ledger keeps them, and where the two differ. The ledger is
// what counts: a policy that was changed afterwards changes no budget until its owner writes the
// change into the ledger, signed.
#pragma once

#include <string>
#include <vector>

#include "ledger/state.h"
#include "policy/policy.h"

namespace discreet::session {

/// A cap in `notion`; an epsilon in zCDP becomes the rho that it stands for at `conversion_delta`,
/// which is for zCDP alone. Rounded down. Fails with: kInvalidInput.
Result<accounting::Price> cap_of(ledger::Notion notion, const Rational& epsilon_or_rho, bool is_rho,
                                 const Rational& delta, const Rational& conversion_delta);

/// The namespace that `discreet ledger init` makes of a policy's units: an analyst "owner", who may
/// spend all there is, is added unless the policy has one. Fails with: kInvalidInput.
Result<ledger::NamespaceTerms> terms_of(const policy::Units& units);

/// Whether the caps that `discreet ledger init` makes of a policy's units, the owner's included, are
/// together at most the budget (ledger::is_reserved). Fails with: as terms_of().
Result<bool> caps_are_reserved(const policy::Units& units);

/// What Ledger::close_early() takes, for a server. Fails with: as terms_of().
Result<ledger::Closing> closing_of(const policy::Policy& policy);

/// One point on which the policy and its ledger differ.
struct Difference {
  std::string what;
  std::string fix;          ///< a command, or what to write into the policy
  bool is_command = false;  ///< which of the two
};

/// What the policy says of namespaces, analysts, caps and blocks that the ledger keeps otherwise.
/// Namespaces that only the ledger has may be another policy's. `places` stands behind each
/// command: " --policy FILE". Depends on the policy and the ledger's terms, never on what was
/// spent.
Result<std::vector<Difference>> differences(const policy::Policy& policy,
                                            const ledger::State& state,
                                            const std::string& places = "");

/// In one line each: "WHAT; FIX".
std::string to_text(const Difference& difference);

/// A word of a command as a shell takes it: in quotes where it must be.
std::string shell_word(const std::string& word);

}  // namespace discreet::session
