// SPDX-License-Identifier: Apache-2.0
// Who pays for noise on a value that the caller holds: nobody, or with --ledger an analyst's
// account. Then the life of a charge is the ledger's: durable, receipt, noise, answer stored, sent.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cli/ledger.h"
#include "privacy/cost.h"

namespace discreet::cli {

inline constexpr const char* kNoBudget = "charged to no budget";

/// --ledger, --key, --witness, --namespace, --analyst, --neighbours, --policy.
struct PayerArguments {
  LedgerArguments where;
  Text units, analyst, neighbours, policy;

  void add_to(CLI::App& app);
};

class Payer {
 public:
  /// Without --ledger: pays nothing. The relation of neighbours that the caller's sensitivity is
  /// for is the policy's, or said; the ledger refuses another than its own. Fails as opening the
  /// ledger does; kInvalidInput for --analyst without --ledger; kRefused for another relation.
  static Result<std::shared_ptr<Payer>> open(const PayerArguments& arguments);

  bool pays() const { return ledger_ != nullptr; }
  const ChargedUnits& units() const { return units_; }

  /// Requires: pays().
  std::string fresh_request_id() { return ledger_->fresh_request_id(); }
  /// Makes the charge durable. Requires: pays(); called once.
  Result<Receipt> pay(const Charge& charge);
  /// The bytes that may be sent: stored before, if there was a charge.
  Result<std::string> finish(std::string bytes);

  /// "charged to ann of patients" or kNoBudget.
  std::string text() const;

 private:
  std::unique_ptr<ledger::Ledger> ledger_;
  ChargedUnits units_;
  std::string analyst_;
  std::optional<ledger::Paid> paid_;
};

}  // namespace discreet::cli
