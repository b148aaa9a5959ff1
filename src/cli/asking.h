// SPDX-License-Identifier: Apache-2.0
// What the commands that ask have in common: the policy, the ledger, the engine, and the question.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "cli/ledger.h"
#include "cli/stop_on_signal.h"
#include "engine/engine.h"
#include "policy/policy.h"
#include "session/session.h"

namespace discreet::cli {

/// --policy, --ledger, --key, --witness, --analyst.
struct WorldArguments {
  Text analyst;
  LedgerArguments where;

  void add_to(CLI::App& app);
  std::string policy_path() const { return where.policy_path(); }
};

/// Whose charges a message is about: those under `request_id` and under ids that are made of it
/// ("ID (pilot)"), and those under ids that were drawn for this process.
struct Asker {
  std::string analyst;
  std::string request_id;
};

/// Everything that a session stands on.
class Asking {
 public:
  /// `say` hears what the engine says: the owner's log.
  using Say = std::function<void(const std::string&)>;
  static Result<std::unique_ptr<Asking>> open(const WorldArguments& arguments,
                                              ledger::Access access, const Say& say);
  /// The same over a policy and a ledger that are at hand.
  /// Fails with: kRefused when the policy is for another ledger, or for units that the ledger keeps
  /// under another notion or relation of neighbours.
  static Result<std::unique_ptr<Asking>> over(policy::Policy policy,
                                              std::unique_ptr<ledger::Ledger> ledger,
                                              const Say& say);

  /// Writes the ledger's id into the policy's file, if the policy names none: no other ledger pays
  /// from then on. open() does it before anything can be charged. Fails as bind_ledger() and
  /// check_is_alone() do.
  Result<void> bind(const LedgerArguments& where);

  /// session().ask(), which Ctrl-C stops (stop_on_signal.h). Fails with: kInterrupted, too; the
  /// message says what was charged.
  Result<session::Answered> ask(const session::Request& request, const engine::OwnerLog& log);
  /// Runs `work` for `asker`, which Ctrl-C stops; then the message says what it charged. Fails
  /// with: kInterrupted, too.
  template <class T>
  Result<T> stoppable(const Asker& asker, const std::function<Result<T>()>& work);
  /// Runs `write`, which hands over what stoppable() bought, and can wait for a reader: Ctrl-C ends
  /// the program and says what was charged. Fails as bought() does (output_file.h).
  Result<void> hand_over(const Streams& streams, const std::function<Result<void>()>& write);

  session::Session& session() { return *session_; }
  const policy::Policy& policy() const { return policy_; }
  ledger::Ledger& ledger() { return *ledger_; }
  engine::Engine& engine() { return *engine_; }

 private:
  /// All that was charged for the asker since stoppable() began; empty: nothing.
  Result<std::string> charged();
  /// The error of what a signal stopped.
  Error stopped();
  /// What is said when a signal ends the program while it hands over.
  std::string last_words();

  policy::Policy policy_;
  std::unique_ptr<ledger::Ledger> ledger_;
  std::unique_ptr<engine::Engine> engine_;
  std::unique_ptr<session::Session> session_;
  Asker asker_;           // of the last stoppable()
  ledger::State before_;  // when it began
};

template <class T>
Result<T> Asking::stoppable(const Asker& asker, const std::function<Result<T>()>& work) {
  asker_ = asker;
  DISCREET_ASSIGN(before_, ledger_->state());
  const StopOnSignal stop(*engine_);
  Result<T> done = work();
  if (!done && done.error().code == Code::kInterrupted) return stopped();
  return done;
}

/// What the engine says goes to standard error: whoever runs the command line is the owner.
Asking::Say engine_says(const Streams& streams);

/// Opens the ledger of a policy (policy_ledger.h); a missing one is named with what makes it.
/// Whether it is the policy's is checked by Asking.
Result<std::unique_ptr<ledger::Ledger>> open_ledger(const LedgerArguments& where,
                                                    const policy::Policy& policy,
                                                    ledger::Access access);

/// --epsilon, --delta, --error, --about, --rows, --pilot, --weights, --confidence, --max-groups,
/// --max-rows, --request-id.
struct QuestionOptions {
  Text epsilon, delta, error, about, expected_rows, pilot, weights, confidence, groups, rows,
      request_id;

  void add_to(CLI::App& app);
  Result<session::Request> request(const std::string& sql, const Text& analyst) const;
  /// --rows, for a curve.
  Result<std::optional<Rational>> rows_number() const;
};

}  // namespace discreet::cli
