// SPDX-License-Identifier: Apache-2.0
// The server for many analysts, behind its HTTP layer: who asks, what they may, and what they see.
// One table of routes (routes()) is what is served, what /api/v1/openapi.json describes and what
// the tests walk through.
//
// V1  A route says which roles may use it; no handler runs for anybody else.
// V2  What an analyst sees of a question is a function of its text, the policy, the history and
// what
//     was released: answers come at public deadlines (jobs.h), in padded sizes, with constant
//     headers; the world's faults have constant texts.
// V3  Tokens travel in the Authorization header only: no cookie, so no request that another site
//     makes a browser send carries one.
// V4  Logs hold ids, routes and codes; never a question's text, a parameter or a value. The
// engine's
//     own words go to the owner's log.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "server/api/pages.h"
#include "server/http/router.h"
#include "server/http/server.h"
#include "server/identity/accounts.h"
#include "server/identity/audit_log.h"
#include "server/identity/limits.h"
#include "server/jobs/jobs.h"
#include "session/session.h"

namespace discreet::server::api {

/// What questions are asked of: one reading of the policy.
class World {
 public:
  virtual ~World() = default;
  virtual const policy::Policy& policy() const = 0;
  virtual ledger::Ledger& ledger() = 0;
  virtual session::Session& session() = 0;
};
using OpenWorld = std::function<Result<std::shared_ptr<World>>()>;

struct ServiceOptions {
  std::filesystem::path state = {};  ///< the folder of accounts and the audit log
  OpenWorld open = {};               ///< reads the policy; again for every reload
  std::filesystem::path pages = {};  ///< empty: none
  identity::PasswordCost cost = {};
  std::int64_t token_ms = std::int64_t{8} * 3600 * 1000;
  identity::Rate per_account = {};
  identity::Rate per_peer = {.per_second = 200, .burst = 2000};  ///< without an account
  identity::Rate logins_per_peer = {.per_second = 5, .burst = 20};
  jobs::JobsOptions jobs = {};
  Clock clock = system_time_ms;
  std::function<void(const std::string&)> log = {};  ///< one JSON line each
};

/// Roles as bits; none: whoever comes.
using Roles = unsigned;
constexpr Roles bit(identity::Role role) { return 1U << static_cast<unsigned>(role); }
inline constexpr Roles kAnybody = 0;
inline constexpr Roles kAsking = bit(identity::Role::kOwner) | bit(identity::Role::kAnalyst);
inline constexpr Roles kOverseeing = bit(identity::Role::kOwner) | bit(identity::Role::kAuditor);
inline constexpr Roles kOwnerOnly = bit(identity::Role::kOwner);
inline constexpr Roles kAll = kAsking | kOverseeing;

/// A request that may be answered.
struct Call {
  http::Request request;
  http::Reply reply;
  identity::Account account;
};

/// A field of a body, or a parameter of a query.
struct FieldFacts {
  std::string name;
  std::string description;
  bool is_needed = false;
};

class Service;

struct ApiRoute {
  std::string method;
  std::string pattern;
  std::string summary;
  Roles roles = kAnybody;
  std::vector<FieldFacts> fields = {};  ///< of the body for POST, of the query for GET
  void (*handler)(Service&, Call) = nullptr;
};

const std::vector<ApiRoute>& routes();

/// The document for /api/v1/openapi.json, made from routes().
std::string openapi();

class Service {
 public:
  /// Fails with: as the policy, the ledger and the engine do; kStorage; kCorrupt.
  static Result<std::unique_ptr<Service>> open(ServiceOptions options);
  ~Service();

  /// Makes the first owner, when there is no account yet: the password, to be told once.
  Result<std::optional<std::string>> first_owner();
  void handle(http::Request request, http::Reply reply);
  /// Reads the policy again; jobs that were taken before go on under the old one.
  Result<void> reload();
  /// Ends the jobs. To be called before the HTTP server stops.
  void stop();
  /// One line of the log, and counts for /metrics.
  void note(const http::Seen& seen);

  // For the handlers.
  std::shared_ptr<World> world() const;
  identity::Accounts& accounts() { return *accounts_; }
  identity::AuditLog& audit() { return *audit_; }
  jobs::Jobs& jobs() { return *jobs_; }
  const ServiceOptions& options() const { return options_; }
  bool may_log_in(const std::string& peer) { return logins_.take(peer); }
  void log(const std::string& what, const std::string& text) const;
  std::string metrics() const;
  /// Counts what became of a question.
  void count_question(bool was_repeated);

 private:
  explicit Service(ServiceOptions options);
  void guard(const ApiRoute& route, http::Request request, http::Reply reply);

  const ServiceOptions options_;
  http::Router router_;
  Pages pages_;
  std::unique_ptr<identity::Accounts> accounts_;
  std::unique_ptr<identity::AuditLog> audit_;
  identity::RateLimit per_account_;
  identity::RateLimit per_peer_;
  identity::RateLimit logins_;
  mutable std::mutex mutex_;  // guards the next two
  std::shared_ptr<World> world_;
  std::map<std::pair<std::string, int>, std::uint64_t> requests_;  // by route and status
  std::atomic<std::uint64_t> questions_{0};
  std::atomic<std::uint64_t> repeats_{0};
  std::unique_ptr<jobs::Jobs> jobs_;  // last: its works use the rest
};

// The handlers, one file for each kind.
void ask(Service& service, Call call);  // questions.cc
void explain(Service& service, Call call);
void curve(Service& service, Call call);
void catalog(Service& service, Call call);  // catalog.cc
void job(Service& service, Call call);      // job_calls.cc
void job_answer(Service& service, Call call);
void cancel_job(Service& service, Call call);
void all_jobs(Service& service, Call call);
void budget(Service& service, Call call);  // spending.cc
void history(Service& service, Call call);
void verify(Service& service, Call call);
void log_in(Service& service, Call call);  // people.cc
void log_out(Service& service, Call call);
void who_am_i(Service& service, Call call);
void change_password(Service& service, Call call);
void list_accounts(Service& service, Call call);
void add_account(Service& service, Call call);
void remove_account(Service& service, Call call);
void health(Service& service, Call call);  // operate.cc
void show_metrics(Service& service, Call call);
void show_openapi(Service& service, Call call);
void reload(Service& service, Call call);
void show_audit(Service& service, Call call);

}  // namespace discreet::server::api
