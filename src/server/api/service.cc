// SPDX-License-Identifier: Apache-2.0
#include "server/api/service.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "server/api/json_body.h"

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
      logins_(options_.logins_per_peer, options_.clock) {}

Service::~Service() { stop(); }

Result<std::unique_ptr<Service>> Service::open(ServiceOptions options) {
  std::unique_ptr<Service> service(new Service(std::move(options)));
  const ServiceOptions& given = service->options_;
  DISCREET_ASSIGN(service->accounts_, identity::Accounts::open({.file = given.state / "accounts.db",
                                                                .token_ms = given.token_ms,
                                                                .cost = given.cost,
                                                                .clock = given.clock}));
  DISCREET_ASSIGN(service->audit_,
                  identity::AuditLog::open(given.state / "audit.log", given.clock));
  if (!given.pages.empty()) {
    DISCREET_ASSIGN(service->pages_, Pages::load(given.pages));
  }
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
        reply(raw->pages_.get(request.path));
      });
  DISCREET_TRY(service->audit_->append({"-", "start"}));
  return service;
}

Result<std::optional<std::string>> Service::first_owner() {
  DISCREET_ASSIGN(const bool is_empty, accounts_->is_empty());
  if (!is_empty) return std::optional<std::string>{};
  DISCREET_ASSIGN(std::string password, accounts_->add("owner", identity::Role::kOwner));
  DISCREET_TRY(audit_->append({"-", "account-added", "owner"}));
  return std::optional<std::string>(std::move(password));
}

void Service::handle(http::Request request, http::Reply reply) {
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
    if ((route.roles & bit(account.role)) == 0) {
      return reply(http::error_response(403, "refused", "your role may not do this"));
    }
    if (!per_account_.take(account.name)) return reply(http::refuse(Refusal::kTooMany));
  }
  if (request.method == "POST" && !request.body.empty() &&
      http::media_type(request.header("content-type")) != "application/json") {
    return reply(http::refuse(Refusal::kWrongType));
  }
  route.handler(*this, {std::move(request), std::move(reply), std::move(account)});
}

Result<void> Service::reload() {
  DISCREET_ASSIGN(std::shared_ptr<World> fresh, options_.open());
  const std::lock_guard lock(mutex_);
  world_ = std::move(fresh);
  return {};
}

void Service::stop() {
  if (!jobs_) return;
  jobs_->stop();
}

std::shared_ptr<World> Service::world() const {
  const std::lock_guard lock(mutex_);
  return world_;
}

void Service::log(const std::string& what, const std::string& text) const {
  if (!options_.log) return;
  const nlohmann::ordered_json json = {
      {"time", to_utc(options_.clock())}, {"what", what}, {"text", text}};
  options_.log(json.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace));
}

void Service::note(const http::Seen& seen) {
  const std::string route = seen.request == nullptr ? "" : router_.pattern_of(*seen.request);
  {
    const std::lock_guard lock(mutex_);
    ++requests_[{route, seen.status}];
  }
  if (!options_.log) return;
  const nlohmann::ordered_json json = {
      {"time", to_utc(options_.clock())},
      {"what", "request"},
      {"id", seen.request == nullptr ? "" : seen.request->id},
      {"method", seen.request == nullptr || route.empty() ? "" : seen.request->method},
      {"route", route},
      {"status", seen.status},
      {"ms", seen.milliseconds}};
  options_.log(json.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace));
}

void Service::count_question(bool was_repeated) { ++(was_repeated ? repeats_ : questions_); }

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
