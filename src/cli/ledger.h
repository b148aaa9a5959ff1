// SPDX-License-Identifier: Apache-2.0
// What the commands on a ledger have in common: which one it is, and caps as people write them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/program.h"
#include "ledger/ledger.h"

namespace discreet::cli {

/// --policy, --ledger, --key, --witness.
struct LedgerArguments {
  Text policy, ledger, key, witness;

  void add_to(CLI::App& app);
  /// Without --policy.
  void add_places_to(CLI::App& app);
  std::string policy_path() const { return policy.value_or("policy.yaml"); }
  /// --ledger, or the one beside the policy (policy_ledger.h).
  std::string path() const;
  /// Without --ledger, and where --policy is given: refused unless it is the policy's own, if that
  /// can be read and names one.
  Result<std::unique_ptr<ledger::Ledger>> open(ledger::Access access) const;
};

/// The only namespace, or the one that is named. Fails with: kNotFound, naming what exists.
Result<std::string> namespace_of(const ledger::State& state, const Text& name);

/// How caps are written: epsilon (and delta), or rho. In zCDP an epsilon is turned into the rho
/// that it stands for at the conversion delta.
struct CapArguments {
  Text epsilon, delta, rho;
  void add_to(CLI::App& app);
};

/// "0.5 of 10": what people read. Amounts are exact.
std::string text_of(const accounting::Amount& amount);

/// "2026-11-16 08:30:00"; UTC.
std::string time_text(std::int64_t ms);

// One a file.
void add_ledger_init(Program& program, CLI::App& ledger);     // ledger_init.cc
void add_ledger_show(Program& program, CLI::App& ledger);     // ledger_show.cc
void add_ledger_history(Program& program, CLI::App& ledger);  // ledger_history.cc
void add_ledger_verify(Program& program, CLI::App& ledger);   // ledger_verify.cc
void add_ledger_owner(Program& program, CLI::App& ledger);    // ledger_owner.cc
void add_ledger_export(Program& program, CLI::App& ledger);   // ledger_export.cc
void add_ledger_upgrade(Program& program, CLI::App& ledger);  // ledger_upgrade.cc

}  // namespace discreet::cli
