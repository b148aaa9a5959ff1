// SPDX-License-Identifier: Apache-2.0
// The commands of `discreet policy`, one a file, and what they share.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/asking.h"
#include "cli/program.h"
#include "policy/draft.h"
#include "policy/policy.h"
#include "report/format.h"
#include "session/ledger_terms.h"

namespace discreet::cli {

/// Lists the columns of a file or a table by the engine's own DESCRIBE: the schema, never a row.
/// Fails with: kNotFound, kEngine, kUnsupported.
using Describe = std::function<Result<std::vector<policy::SchemaColumn>>(const std::string& source,
                                                                         const Streams& streams)>;

void add_policy_check(Program& program, CLI::App& policy);                    // policy_check.cc
void add_policy_init(Program& program, CLI::App& policy, Describe describe);  // policy_init.cc
void add_policy_import(Program& program, CLI::App& policy);                   // policy_import.cc
void add_policy_buy(Program& program, CLI::App& policy);                      // policy_buy.cc

/// What `policy init` may buy: the domains of a file's columns, all for one epsilon.
struct DraftPurchase {
  Text epsilon, delta, unit, snapshot, units;
  WorldArguments world;

  /// Whether anything but a plain draft was asked for.
  bool asked() const { return epsilon || delta || unit || snapshot || units; }
};

/// Buys the domain of every column that has one, in equal parts, from the ledger's namespace; what
/// does not stand out of the noise stays open, and standard error says so.
Result<policy::DraftFacts> buy_draft(const DraftPurchase& purchase,
                                     const policy::SchemaTable& table,
                                     const Streams& streams);  // policy_buy.cc

/// What is wrong with a policy, in the order of its lines; policy_report.cc
std::string render_mistakes(const std::string& file, const std::vector<policy::Mistake>& mistakes,
                            report::Format format);

/// What a policy protects, who may ask, what is public, what its bounds imply, and where its ledger
/// differs; policy_report.cc
std::string render_policy(const std::string& file, const policy::Policy& policy,
                          const std::vector<session::Difference>& differences,
                          report::Format format);

}  // namespace discreet::cli
