// SPDX-License-Identifier: Apache-2.0
#include "server/api/service.h"

#include <algorithm>
#include <utility>

#include "base/json.h"
#include "engine/keyed_hash.h"
#include "ledger/seal.h"
#include "server/api/documents.h"
#include "server/api/json_body.h"
#include "server/identity/password.h"

namespace discreet::server::api {
namespace {

using http::Refusal;

/// "" when there is none.
std::string token_of(const http::Request& request) {
  constexpr std::string_view kBearer = "Bearer ";
  const std::string_view header = request.header("authorization");
  if (!header.starts_with(kBearer)) return "";
  return std::string(header.substr(kBearer.size()));
}

/// Whether a browser says that the request was made by a page from elsewhere.
bool is_foreign(const http::Request& request) {
  const std::string_view origin = request.header("origin");
  if (origin.empty()) return false;
  const std::size_t at = origin.find("://");
  return at == origin.npos || origin.substr(at + 3) != request.header("host");
}

bool changes_something(const http::Request& request) { return request.method != "GET"; }

}  // namespace

Service::Service(ServiceOptions options)
    : options_(std::move(options)),
      per_account_(options_.per_account, options_.clock),
      per_peer_(options_.per_peer, options_.clock),
      logins_(options_.logins_per_peer, options_.clock),
      refused_logins_({.per_second = 1, .burst = 60}, options_.clock),
      recoveries_({.per_second = 1, .burst = 1}, options_.clock),
      started_ms_(options_.time_of_day()),
      breaker_(options_.clock) {}

Service::~Service() { stop(); }

Result<std::unique_ptr<Service>> Service::open(ServiceOptions options) {
  std::unique_ptr<Service> service(new Service(std::move(options)));
  const ServiceOptions& given = service->options_;
  DISCREET_ASSIGN(service->accounts_,
                  identity::Accounts::open({.file = given.state / "accounts.db",
                                            .token_ms = given.token_ms,
                                            .cost = given.cost,
                                            .clock = given.clock,
                                            .scram_rounds = given.scram_rounds}));
  DISCREET_ASSIGN(service->audit_,
                  identity::AuditLog::open(given.state / "audit.log", given.time_of_day));
  DISCREET_ASSIGN(service->pages_,
                  given.pages.empty() ? Pages::built_in() : Pages::load(given.pages));
  DISCREET_ASSIGN(service->surveys_, Surveys::open(given.surveys, given.state / "surveys"));
  DISCREET_ASSIGN(service->world_, given.open());
  service->jobs_ = std::make_unique<jobs::Jobs>(given.jobs);
  for (const ApiRoute& route : routes()) {
    service->router_.add({route.method, route.pattern,
                          [raw = service.get(), &route](http::Request request, http::Reply reply) {
                            raw->guard(route, std::move(request), std::move(reply));
                          }});
  }
  service->router_.otherwise(
      [raw = service.get()](const http::Request& request, const http::Reply& reply) {
        if (request.method != "GET") return reply(http::refuse(Refusal::kNoSuchPath));
        reply(raw->pages_.get(request));
      });
  DISCREET_TRY(service->audit_->append({"-", "start"}));
  service->log_differences();
  return service;
}

Result<std::optional<std::string>> Service::first_owner() {
  DISCREET_ASSIGN(const bool is_empty, accounts_->is_empty());
  if (!is_empty) return std::optional<std::string>{};
  DISCREET_ASSIGN(std::string password, accounts_->add("owner", identity::Role::kOwner));
  DISCREET_TRY(audit_->append({"-", "account-added", "owner"}));
  return std::optional<std::string>(std::move(password));
}

/// A request under a route's old name, as one under the new name.
const Deprecated* Service::use_current_route(http::Request& request) const {
  for (const Deprecated& entry : options_.old_names) {
    const std::string method = request.method + " ";
    if (entry.kind != NameKind::kRoute || !entry.old_name.starts_with(method)) continue;
    auto path = http::Router::translated(entry.old_name.substr(method.size()),
                                         entry.new_name.substr(method.size()), request);
    if (!path) continue;
    request.path = std::move(*path);
    return &entry;
  }
  return nullptr;
}

void Service::handle(http::Request request, http::Reply reply) {
  if (const Deprecated* const entry = use_current_route(request)) {
    reply.add_header(kDeprecatedHeader, "route " + to_sentence(*entry));
  }
  router_.handle(std::move(request), std::move(reply));
}

void Service::guard(const ApiRoute& route, http::Request request, http::Reply reply) {
  if (changes_something(request) && is_foreign(request)) {
    return reply(http::error_response(403, "refused", "requests from other sites are refused"));
  }
  identity::Account account;
  if (route.roles == kAnybody) {
    if (!per_peer_.take(request.peer)) return reply(http::refuse(Refusal::kTooMany));
  } else {
    const auto found = accounts_->find(token_of(request));
    if (!found) return reply(http::refuse(found.error()));
    if (!*found) {
      return reply(http::refuse(per_peer_.take(request.peer) ? Refusal::kUnauthenticated
                                                             : Refusal::kTooMany));
    }
    account = **found;
    reply.vouch();
    if ((route.roles & bit(account.role)) == 0) {
      return reply(http::error_response(403, "refused", "your role may not do this"));
    }
    if (!per_account_.take(account.name)) return reply(http::refuse(Refusal::kTooMany));
  }
  if (request.method == "POST" && !request.body.empty() &&
      http::media_type(request.header("content-type")) != route.type) {
    return reply(http::refuse(Refusal::kWrongType));
  }
  Call call{std::move(request), std::move(reply), std::move(account), options_.old_names};
  if (route.is_heavy) return run_heavy(route, std::move(call));
  route.handler(*this, std::move(call));
}

void Service::run_heavy(const ApiRoute& route, Call call) {
  const std::string name = call.account.name;
  {
    const std::lock_guard lock(mutex_);
    int& running = heavy_[name];
    if (running >= kHeavyAtOnce) return call.reply(http::refuse(Refusal::kTooMany));
    ++running;
  }
  const auto done = [&] {
    const std::lock_guard lock(mutex_);
    if (--heavy_[name] == 0) heavy_.erase(name);
  };
  try {
    route.handler(*this, std::move(call));
  } catch (...) {  // a library's
    done();
    throw;
  }
  done();
}

std::size_t Service::body_max(const http::Request& request) const {
  constexpr std::size_t kUnknown = 4 << 10;
  if (!options_.old_names.empty()) {
    http::Request today = request;
    if (use_current_route(today) != nullptr) return body_max(today);
  }
  for (const ApiRoute& route : routes()) {
    if (route.method != request.method || !http::Router::matches(route.pattern, request)) continue;
    const bool is_anonymous = route.roles != kAnybody && token_of(request).empty();
    return is_anonymous ? kUnknown : route.body_max;
  }
  return kUnknown;
}

http::Response Service::refused(const Call& call, const Error& error) {
  const CodeFacts& facts = describe(error.code);
  if (facts.exit_status >= 5) {
    log("failed",
        "request " + call.request.id + ": " + std::string(facts.name) + ": " + error.message);
    recover();
  }
  return http::refuse(error);
}

void Service::send(const Call& call, Result<std::string> json) {
  call.reply(json ? http::Response{.body = padded(std::move(*json))} : refused(call, json.error()));
}

void Service::recover() {
  // A ledger believes nothing after a failed write (S4), until it is opened again.
  if (world()->ledger().state()) return;
  const std::unique_lock alone(recovering_, std::try_to_lock);
  if (!alone || !recoveries_.take("")) return;
  const Result<void> again = reload();
  log("recovery", again ? "the ledger was opened again" : again.error().message);
}

Result<void> Service::reload() {
  DISCREET_ASSIGN(std::shared_ptr<World> fresh, options_.open());
  const std::lock_guard lock(mutex_);
  world_ = std::move(fresh);
  breaker_.reset();
  return {};
}

Result<void> Service::reload_and_log() {
  const Result<void> reloaded = reload();
  log("reload", reloaded ? "done" : reloaded.error().message);
  if (reloaded) log_differences();
  return reloaded;
}

void Service::log_differences() const {
  const auto found = differences();
  if (!found) return log("differs", found.error().message);
  for (const session::Difference& each : *found) log("differs", session::to_text(each));
}

Result<std::vector<session::Difference>> Service::differences() const {
  const std::shared_ptr<World> now = world();
  DISCREET_ASSIGN(const ledger::State state, now->ledger().state());
  return session::differences(now->policy(), state, options_.places);
}

void Service::stop() {
  is_stopping_ = true;
  if (!jobs_) return;
  jobs_->stop();
}

std::shared_ptr<World> Service::world() const {
  const std::lock_guard lock(mutex_);
  return world_;
}

void Service::log(const std::string& what, const std::string& text) const {
  if (!options_.log) return;
  const Json json = {{"time", to_utc(options_.time_of_day())}, {"what", what}, {"text", text}};
  options_.log(json_line(json));
}

void Service::note(const http::Seen& seen) {
  const std::string route = seen.request == nullptr ? "" : router_.pattern_of(*seen.request);
  {
    const std::lock_guard lock(mutex_);
    ++requests_[{route, seen.status}];
  }
  if (!options_.log) return;
  const Json json = {
      {"time", to_utc(options_.time_of_day())},
      {"what", "request"},
      {"id", seen.request == nullptr ? "" : seen.request->id},
      {"method", seen.request == nullptr || route.empty() ? "" : seen.request->method},
      {"route", route},
      {"status", seen.status},
      {"ms", seen.milliseconds}};
  options_.log(json_line(json));
}

Result<session::Explanation> Service::explain(World& world, const session::Request& request) {
  session::Request as_asked = request;
  if (const auto shown = in_flight_.shown(request.analyst)) as_asked.shown_before = shown->records;
  DISCREET_ASSIGN(session::Explanation explained, world.session().explain(as_asked));
  return as_shown(world, request.analyst, std::move(explained));
}

Result<session::Explanation> Service::as_shown(World& world, const std::string& analyst,
                                               session::Explanation explained) {
  if (in_flight_.has_like(analyst, explained)) {
    explained.repeat = false;
    explained.retry = false;
  }
  const auto shown = in_flight_.shown(analyst);
  if (!shown) return explained;
  DISCREET_ASSIGN(const ledger::State state, world.ledger().state());
  DISCREET_ASSIGN(const ledger::NamespaceState* const units, state.find(explained.units));
  DISCREET_ASSIGN(const ledger::Account* const own, units->analyst(analyst));
  const auto spent = shown->spent.find(explained.units);
  const ledger::Price left =
      left_of(*own, spent == shown->spent.end() ? own->spent() : spent->second);
  explained.left = to_text(units->terms.notion, left, Round::kDown);
  explained.fits = explained.repeat || explained.retry ||
                   (explained.is_open && explained.cost.amount <= left.amount &&
                    explained.cost.delta <= left.delta);
  return explained;
}

Result<jobs::JobFacts> Service::submit(World& world, jobs::Jobs::Order order,
                                       const std::optional<session::Explanation>& charged,
                                       std::shared_ptr<EngineWatch> watch) {
  if (!charged) return jobs_->submit(std::move(order));
  if (!charged->repeat) DISCREET_TRY(breaker_.admit(order.analyst, watch.get()));
  DISCREET_ASSIGN(const ledger::State state, world.ledger().state());
  const std::uint64_t number = in_flight_.begin(
      order.analyst, *charged, charged->retry ? ledger::Price() : charged->cost, state);
  order.delivered = [this, number, analyst = order.analyst, watch = std::move(watch)] {
    in_flight_.end(number);
    if (watch) breaker_.note(analyst, *watch);
  };
  auto made = jobs_->submit(std::move(order));
  if (!made) in_flight_.end(number);
  return made;
}

Result<std::string> Service::link_to_report(const std::string& analyst, const std::string& job) {
  constexpr std::int64_t kOpenMs = 10 * 60 * 1000;
  constexpr int kLinksMax = 100;  // of one analyst
  DISCREET_TRY(jobs_->report(analyst, job));
  DISCREET_ASSIGN(const std::string ticket, identity::fresh_secret());
  const std::int64_t now = options_.clock();
  const std::lock_guard lock(mutex_);
  std::erase_if(links_, [&](const auto& link) { return link.second.expires_ms <= now; });
  const auto own = std::ranges::count_if(
      links_, [&](const auto& link) { return link.second.analyst == analyst; });
  if (own >= kLinksMax) return Error{Code::kStorage, "too many reports are open"};
  links_[ticket] = {analyst, job, now + kOpenMs};
  return "/reports/" + ticket;
}

Result<std::string> Service::linked_report(const std::string& ticket) {
  Link link;
  {
    const std::lock_guard lock(mutex_);
    const auto found = links_.find(ticket);
    if (found != links_.end() && found->second.expires_ms > options_.clock()) link = found->second;
  }
  if (link.job.empty()) {
    return Error{Code::kNotFound, "this link is not open any more; open the report again"};
  }
  return jobs_->report(link.analyst, link.job);
}

void Service::count_question(bool was_repeated) { ++(was_repeated ? repeats_ : questions_); }

void Service::count_refusal(const std::string& analyst, Code code) {
  const std::lock_guard lock(mutex_);
  Refusals& refusals = refusals_[{analyst, code}];
  ++refusals.count;
  refusals.last_ms = options_.time_of_day();
}

Result<void> Service::note_refused_login(const std::string& about) {
  // Each line is a sync of the disk: a flood must not buy one for every guess.
  if (!refused_logins_.take("")) {
    ++unlogged_;
    return {};
  }
  const std::uint64_t more = unlogged_.exchange(0);
  return audit_->append({"-", "login-refused",
                         about + (more == 0 ? "" : " and " + std::to_string(more) + " others")});
}

Result<std::string> Service::status() {
  DISCREET_ASSIGN(const ledger::State state, world()->ledger().state());
  // Drawing a secret asks the random source, whose health tests refuse when they must.
  const bool is_healthy = engine::Secret::fresh().has_value();
  DISCREET_ASSIGN(const std::vector<session::Difference> found, differences());
  Json refusals = Json::array();
  const std::size_t waiting = jobs_->waiting().size();
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [key, seen] : refusals_) {
      refusals.push_back({{"analyst", key.first},
                          {"code", describe(key.second).name},
                          {"count", seen.count},
                          {"last", to_utc(seen.last_ms)}});
    }
  }
  const Json json = {
      {"random_source", is_healthy ? "healthy" : "failing"},
      {"ledger",
       {{"records", state.next()}, {"head", ledger::to_hex(ledger::bytes_of(state.hash()))}}},
      {"started", to_utc(started_ms_)},
      {"waiting", waiting},
      {"questions", questions_.load()},
      {"repeats", repeats_.load()},
      {"refusals", refusals},
      {"differences", differences_json(found)}};
  return json_text(json);
}

std::string Service::metrics() const {
  std::string out =
      "# HELP discreet_requests_total Requests by route and status.\n"
      "# TYPE discreet_requests_total counter\n";
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [key, count] : requests_) {
      out += "discreet_requests_total{route=\"" + key.first + "\",status=\"" +
             std::to_string(key.second) + "\"} " + std::to_string(count) + "\n";
    }
  }
  const auto gauge = [&](const char* name, const char* type, std::uint64_t value) {
    out += std::string("# TYPE ") + name + " " + type + "\n" + name + " " + std::to_string(value) +
           "\n";
  };
  gauge("discreet_questions_total", "counter", questions_);
  gauge("discreet_repeats_total", "counter", repeats_);
  gauge("discreet_jobs_waiting", "gauge", jobs_->waiting().size());
  gauge("discreet_audit_log_lines", "gauge", audit_->size());
  return out;
}

}  // namespace discreet::server::api
