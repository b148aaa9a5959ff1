// SPDX-License-Identifier: Apache-2.0
// What a conversation asks of the server behind it: who somebody is, what the policy says, and the
// answer to a question. Tests and the fuzzer put another one in its place.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/result.h"
#include "server/identity/accounts.h"
#include "server/kept.h"
#include "server/pgcatalog/catalog.h"
#include "server/pgwire/rows.h"
#include "session/session.h"

namespace discreet::server::pgwire {

/// An answer as it was told.
struct Told {
  Rows rows = {};
  std::string units = {};   ///< who paid
  std::string price = {};   ///< the notice, without what is left
  std::string detail = {};  ///< of the notice
};

/// One reading of the policy, with the catalog over it.
struct Reading {
  std::shared_ptr<const void> holder;  ///< keeps `policy` alive
  const policy::Policy* policy = nullptr;
  std::shared_ptr<pgcatalog::Catalog> catalog;
  std::shared_ptr<Kept<Told>> repeats = {};  ///< by question and layout
};

struct Asked {
  session::AnswerSheet sheet;
  bool repeated = false;
  std::vector<std::string> notes = {};       ///< how epsilon was solved for, and the answer made
  std::shared_ptr<Kept<Told>> repeats = {};  ///< of the reading it was asked under, for a repeat
};

/// Lets others stop a wait: a cancel request, the server's end. Copies are one and the same, so
/// that a job may outlive the conversation that it is to wake.
class Waiting {
 public:
  void cancel() const {
    const std::lock_guard lock(state_->mutex);
    state_->is_cancelled = true;
    state_->changed.notify_all();
  }
  /// Cancels that came before this do not count.
  void begin() const {
    const std::lock_guard lock(state_->mutex);
    state_->is_cancelled = false;
  }
  /// Tells whoever waits that `is_done` may have become true.
  void wake() const {
    const std::lock_guard lock(state_->mutex);
    state_->changed.notify_all();
  }
  /// Until `is_done`, or false: cancelled, or `is_gone` says that nobody waits any more.
  bool until(const std::atomic<bool>& is_done, const std::function<bool()>& is_gone) const {
    std::unique_lock lock(state_->mutex);
    while (!is_done) {
      if (state_->is_cancelled || (is_gone && is_gone())) return false;
      state_->changed.wait_for(lock, std::chrono::milliseconds(250));
    }
    return true;
  }

 private:
  struct State {
    std::mutex mutex;
    std::condition_variable changed;
    bool is_cancelled = false;
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

class Desk {
 public:
  virtual ~Desk() = default;

  virtual bool may_log_in(const std::string& peer) = 0;
  virtual Result<identity::ScramVerifier> verifier(const std::string& name) = 0;
  /// Whose password that proves; none: nobody's, or the name is locked for that peer.
  virtual Result<std::optional<identity::Account>> prove(const identity::ScramTry& given) = 0;
  /// Who that still is, as long as the password stays.
  virtual Result<std::optional<identity::Account>> account(
      const std::string& name, const identity::ScramVerifier& verifier) = 0;
  virtual bool may_ask(const std::string& account) = 0;
  virtual bool may_look_up(const std::string& account) = 0;  ///< in the catalog

  virtual Result<Reading> reading() = 0;
  virtual Result<session::Explanation> explain(const session::Request& request) = 0;
  /// What the analyst has left there.
  virtual Result<std::string> left(const std::string& analyst, const std::string& units) = 0;
  /// A repeat was found ready, and is told without ask().
  virtual void note_repeat() = 0;
  /// None: cancelled, or `is_gone`; the question is charged all the same, and its answer kept.
  virtual Result<std::optional<Asked>> ask(const session::Request& request, const Waiting& waiting,
                                           const std::function<bool()>& is_gone) = 0;
};

}  // namespace discreet::server::pgwire
