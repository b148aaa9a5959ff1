// SPDX-License-Identifier: Apache-2.0
// The server for many analysts, behind its HTTP layer: who asks, what they may, and what they see.
// One table of routes (routes()) is what is served, what /api/v1/openapi.json describes and what
// the tests walk through.
//
// V1  A route says which roles may use it; no handler runs for anybody else.
// V2  What an analyst sees of a question is a function of its text, the policy, the history and
//     what was released: answers come at public deadlines (jobs.h), in padded sizes, with constant
//     headers; the world's faults have constant texts.
// V3  Tokens travel in the Authorization header only: no cookie, so no request that another site
//     makes a browser send carries one.
// V4  Logs hold ids, routes and codes; never a question's text, a parameter or a value. The
//     engine's own words go to the owner's log.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/deprecated.h"
#include "base/result.h"
#include "server/api/breaker.h"
#include "server/api/in_flight.h"
#include "server/api/pages.h"
#include "server/api/surveys.h"
#include "server/clock.h"
#include "server/http/router.h"
#include "server/http/server.h"
#include "server/identity/accounts.h"
#include "server/identity/audit_log.h"
#include "server/identity/limits.h"
#include "server/jobs/jobs.h"
#include "server/kept.h"
#include "session/ledger_terms.h"
#include "session/session.h"

namespace discreet::server::api {

/// What questions are asked of: one reading of the policy.
class World {
 public:
  virtual ~World() = default;
  /// Bodies of repeats, by repeat_key(): free, and sent again as they are.
  Kept<std::string>& repeats() { return repeats_; }
  virtual const policy::Policy& policy() const = 0;
  virtual ledger::Ledger& ledger() = 0;
  virtual session::Session& session() = 0;
  virtual engine::Engine& engine() = 0;

 private:
  Kept<std::string> repeats_{std::size_t{64} << 20};
};
using OpenWorld = std::function<Result<std::shared_ptr<World>>()>;

struct ServiceOptions {
  std::filesystem::path state = {};  ///< the folder of accounts and the audit log
  OpenWorld open = {};               ///< reads the policy; again for every reload
  std::filesystem::path pages = {};  ///< empty: those inside the program
  std::string places = {};  ///< options that lead a command of the owner's to the same ledger
  std::vector<std::string> surveys = {};  ///< files; their reports are kept in `state`
  identity::PasswordCost cost = {};
  std::int64_t token_ms = std::int64_t{8} * 3600 * 1000;
  unsigned scram_rounds = 0;  ///< for PostgreSQL's protocol; 0: no verifiers are kept
  identity::Rate per_account = {};
  identity::Rate per_peer = {.per_second = 200, .burst = 2000};  ///< without an account
  identity::Rate logins_per_peer = {.per_second = 5, .burst = 20};
  jobs::JobsOptions jobs = {};
  std::int64_t long_answer_ms = 10'000;  ///< of lessons, publications and audits
  Clock clock = unstepped();             ///< of deadlines, limits, locks and tokens
  Clock time_of_day = system_time_ms;    ///< of what is logged
  Deprecations old_names = deprecations();
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
  Deprecations old_names = deprecations();
};

/// The header that tells a caller of the old names in their request.
inline constexpr const char* kDeprecatedHeader = "X-Discreet-Deprecated";

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
  std::string type = "application/json";  ///< of the body
  std::size_t body_max = 4 << 10;
  std::string answers = "application/json";  ///< of the response
  bool is_heavy = false;  ///< one account has at most kHeavyAtOnce of these under way
};

/// Of eight workers: one analyst cannot have them all.
inline constexpr int kHeavyAtOnce = 3;

const std::vector<ApiRoute>& routes();

/// Workers for health and pages, and for logins; places for those who have shown no token.
void add_doors(http::Options& options);

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
  /// The same, and says in the log what came of it and where policy and ledger differ.
  Result<void> reload_and_log();
  /// Where the policy and its ledger differ, with what mends it: for the owner and the auditor.
  Result<std::vector<session::Difference>> differences() const;
  /// Ends the jobs. To be called before the HTTP server stops.
  void stop();
  /// How large a body may be: little before somebody has shown a token.
  std::size_t body_max(const http::Request& request) const;
  /// One line of the log, and counts for /metrics.
  void note(const http::Seen& seen);

  // For the handlers.
  std::shared_ptr<World> world() const;
  identity::Accounts& accounts() { return *accounts_; }
  identity::AuditLog& audit() { return *audit_; }
  jobs::Jobs& jobs() { return *jobs_; }
  const Surveys& surveys() const { return surveys_; }
  bool has_pages() const { return !pages_.empty(); }
  const ServiceOptions& options() const { return options_; }
  bool may_log_in(const std::string& peer) { return logins_.take(peer); }
  bool may_ask(const std::string& account) { return per_account_.take(account); }
  void log(const std::string& what, const std::string& text) const;
  /// One line for each of differences().
  void log_differences() const;
  /// What the caller is told; the operator's log has the request's id and the world's own words.
  http::Response refused(const Call& call, const Error& error);
  /// Replies with the JSON, padded, or with what is told of the error.
  void send(const Call& call, Result<std::string> json);
  /// Opens the ledger again when it has stopped: the disk has room again, say.
  void recover();
  std::string metrics() const;
  /// A question as its analyst may see it now (F1, F2).
  Result<session::Explanation> explain(World& world, const session::Request& request);
  /// The same of what was explained: with what is in flight counted as spent.
  Result<session::Explanation> as_shown(World& world, const std::string& analyst,
                                        session::Explanation explained);
  /// A job; if something is charged, nothing of that shows until it is delivered. What `watch` saw
  /// of the engine counts then. Fails with: kEngine while the breaker is open, if it would be
  /// charged.
  Result<jobs::JobFacts> submit(World& world, jobs::Jobs::Order order,
                                const std::optional<session::Explanation>& charged,
                                std::shared_ptr<EngineWatch> watch = nullptr);
  /// A path under which a job's page can be opened by a browser for a while: a secret, and good for
  /// this page alone. Fails with: as Jobs::report() does; kNoEntropy.
  Result<std::string> link_to_report(const std::string& analyst, const std::string& job);
  /// Fails with: kNotFound.
  Result<std::string> linked_report(const std::string& ticket);
  /// Long work ends early then, and says so.
  bool is_stopping() const { return is_stopping_; }
  const InFlight& in_flight() const { return in_flight_; }
  /// Counts what became of a question.
  void count_question(bool was_repeated);
  void count_refusal(const std::string& analyst, Code code);
  /// For the owner and the auditor, as JSON.
  Result<std::string> status();
  /// Notes a refused login, but not every one of a flood.
  Result<void> note_refused_login(const std::string& about);

 private:
  const Deprecated* use_current_route(http::Request& request) const;
  explicit Service(ServiceOptions options);
  void guard(const ApiRoute& route, http::Request request, http::Reply reply);
  /// Runs the handler unless that account has too many heavy requests under way.
  void run_heavy(const ApiRoute& route, Call call);

  const ServiceOptions options_;
  http::Router router_;
  Pages pages_;
  std::unique_ptr<identity::Accounts> accounts_;
  std::unique_ptr<identity::AuditLog> audit_;
  identity::RateLimit per_account_;
  identity::RateLimit per_peer_;
  identity::RateLimit logins_;
  identity::RateLimit refused_logins_;
  identity::RateLimit recoveries_;
  std::atomic<std::uint64_t> unlogged_{0};  // refused logins without a line
  Surveys surveys_;
  std::int64_t started_ms_ = 0;
  std::atomic<bool> is_stopping_{false};
  std::mutex recovering_;             // held while the ledger is opened again
  mutable std::mutex mutex_;          // guards what follows, up to the counters
  std::map<std::string, int> heavy_;  // under way, by account
  struct Refusals {
    std::uint64_t count = 0;
    std::int64_t last_ms = 0;
  };
  std::map<std::pair<std::string, Code>, Refusals> refusals_;  // by analyst
  struct Link {
    std::string analyst, job;
    std::int64_t expires_ms = 0;
  };
  std::map<std::string, Link> links_;  // by ticket
  std::shared_ptr<World> world_;
  std::map<std::pair<std::string, int>, std::uint64_t> requests_;  // by route and status
  std::atomic<std::uint64_t> questions_{0};
  std::atomic<std::uint64_t> repeats_{0};
  InFlight in_flight_;
  Breaker breaker_;
  std::unique_ptr<jobs::Jobs> jobs_;  // last: its works use the rest
};

/// A question with what it may cost, from fields of /api/v1/query by name.
/// Fails with: kInvalidInput, naming the field.
Result<session::Request> request_of(const std::map<std::string, std::string>& fields,
                                    const std::string& analyst);

/// The ledger's name of an analyst's request id: ids of different analysts never meet.
/// Fails with: kInvalidInput.
Result<std::string> request_id(const std::string& analyst, const std::string& id);

/// Everything that the answer to a question depends on, with lengths in between; none: it must be
/// asked for every time, as with a request id, which the ledger compares.
std::optional<std::string> repeat_key(const std::map<std::string, std::string>& fields,
                                      const std::string& analyst);

/// What an analyst is told: the ledger names the analysts it knows when it does not know one, which
/// is not for another's eyes.
Error discreet_error(Service& service, const std::string& analyst, const Error& error);

/// Service::send(), with discreet_error() of an error.
void send_discreetly(Service& service, const Call& call, Result<std::string> json);
/// A question that was not taken: it is counted, and the reply is discreet_error().
void refuse_question(Service& service, const Call& call, const Error& error);

// The handlers, one file for each kind.
void ask(Service& service, Call call);  // questions.cc
void explain(Service& service, Call call);
void curve(Service& service, Call call);
void catalog(Service& service, Call call);  // catalog.cc
void job(Service& service, Call call);      // job_calls.cc
void job_answer(Service& service, Call call);
void cancel_job(Service& service, Call call);
void list_jobs(Service& service, Call call);
void job_report(Service& service, Call call);
void link_report(Service& service, Call call);
void open_report(Service& service, Call call);
void learn_something(Service& service, Call call);  // lessons.cc
void explain_lesson(Service& service, Call call);
void publish_tables(Service& service, Call call);
void explain_publication(Service& service, Call call);
void audit_code(Service& service, Call call);  // audits.cc
void audit_data(Service& service, Call call);
void attack(Service& service, Call call);
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
void unlock_account(Service& service, Call call);
void health(Service& service, Call call);  // operate.cc
void show_metrics(Service& service, Call call);
void show_openapi(Service& service, Call call);
void reload(Service& service, Call call);
void show_audit(Service& service, Call call);
void show_status(Service& service, Call call);
void list_surveys(Service& service, Call call);  // surveys.cc
void show_survey(Service& service, Call call);
void take_reports(Service& service, Call call);
void show_estimate(Service& service, Call call);

}  // namespace discreet::server::api
