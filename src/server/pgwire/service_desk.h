// SPDX-License-Identifier: Apache-2.0
// The Desk of the server for many analysts: the same accounts, worlds, limits, jobs and logs as
// over HTTP.
#pragma once

#include <memory>
#include <mutex>

#include "server/api/service.h"
#include "server/pgwire/desk.h"

namespace discreet::server::pgwire {

class ServiceDesk final : public Desk {
 public:
  /// The service must outlive it.
  explicit ServiceDesk(api::Service& service)
      : service_(service), look_ups_(kLookUps, service.options().clock) {}

  bool may_log_in(const std::string& peer) override { return service_.may_log_in(peer); }
  Result<identity::ScramVerifier> verifier(const std::string& name) override {
    return service_.accounts().scram_verifier(name);
  }
  Result<std::optional<identity::Account>> prove(const identity::ScramTry& given) override;
  Result<std::optional<identity::Account>> account(
      const std::string& name, const identity::ScramVerifier& verifier) override {
    return service_.accounts().find_scram(name, verifier);
  }
  bool may_ask(const std::string& account) override { return service_.may_ask(account); }
  bool may_look_up(const std::string& account) override { return look_ups_.take(account); }

  Result<Reading> reading() override;
  Result<session::Explanation> explain(const session::Request& request) override;
  Result<std::string> left(const std::string& analyst, const std::string& units) override;
  void note_repeat() override { service_.count_question(true); }
  Result<std::optional<Asked>> ask(const session::Request& request, const Waiting& waiting,
                                   const std::function<bool()>& is_gone) override;

 private:
  /// The newest reading, with the world that it is of.
  struct Current {
    std::shared_ptr<api::World> world;
    Reading reading;
  };
  Result<Current> current();
  Result<std::optional<Asked>> wait(const session::Request& request, const Waiting& waiting,
                                    const std::function<bool()>& is_gone);

  /// Clients of this protocol ask hundreds of things when they connect.
  static constexpr identity::Rate kLookUps{.per_second = 100, .burst = 1000};

  api::Service& service_;
  identity::RateLimit look_ups_;
  std::mutex mutex_;  // guards the next
  Current current_;
};

}  // namespace discreet::server::pgwire
