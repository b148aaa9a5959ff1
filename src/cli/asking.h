// SPDX-License-Identifier: Apache-2.0
// What the commands that ask have in common: the policy, the ledger, the engine, and the question.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "cli/ledger.h"
#include "engine/engine.h"
#include "policy/policy.h"
#include "session/session.h"

namespace discreet::cli {

/// --policy, --ledger, --key, --witness, --analyst.
struct WorldArguments {
  Text policy, analyst;
  LedgerArguments where;

  void add_to(CLI::App& app);
  std::string policy_path() const { return policy.value_or("policy.yaml"); }
};

/// Everything that a session stands on.
class Asking {
 public:
  /// `say` hears what the engine says: the owner's log.
  using Say = std::function<void(const std::string&)>;
  static Result<std::unique_ptr<Asking>> open(const WorldArguments& arguments,
                                              ledger::Access access, const Say& say);

  session::Session& session() { return *session_; }
  const policy::Policy& policy() const { return policy_; }
  ledger::Ledger& ledger() { return *ledger_; }

 private:
  policy::Policy policy_;
  std::unique_ptr<ledger::Ledger> ledger_;
  std::unique_ptr<engine::Engine> engine_;
  std::unique_ptr<session::Session> session_;
};

/// What the engine says goes to standard error: whoever runs the command line is the owner.
Asking::Say engine_says(const Streams& streams);

/// --epsilon, --delta, --error, --about, --confidence, --max-groups, --max-rows, --request-id.
struct QuestionOptions {
  Text epsilon, delta, error, about, confidence, groups, rows, request_id;

  void add_to(CLI::App& app);
  Result<session::Request> request(const std::string& sql, const Text& analyst) const;
};

}  // namespace discreet::cli
