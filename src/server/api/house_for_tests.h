// SPDX-License-Identifier: Apache-2.0
// A whole server over a small clinic, asked over HTTP.
#pragma once

#include <atomic>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "engine/open.h"
#include "server/api/service.h"
#include "server/collect/reports_for_tests.h"
#include "server/http/client_for_tests.h"
#include "session/neighbours_for_tests.h"

namespace discreet::server::api {

using http::Got;
inline constexpr const char* kJson = "Content-Type: application/json\r\n";
inline constexpr const char* kCount = R"({"sql":"SELECT COUNT(*) FROM visits","epsilon":"0.5"})";

class ClinicWorld final : public World {
 public:
  explicit ClinicWorld(session::Clinic& clinic) : clinic_(clinic) {
    clinic_.ledger().close_early(session::closing_of(clinic_.policy()).value());
  }
  const policy::Policy& policy() const override { return clinic_.policy(); }
  ledger::Ledger& ledger() override { return clinic_.ledger(); }
  session::Session& session() override { return clinic_.session(); }
  engine::Engine& engine() override {
    const std::lock_guard lock(mutex_);
    if (!engine_) engine_ = engine::open_engine(clinic_.policy(), {}).value();
    return *engine_;
  }

 private:
  session::Clinic& clinic_;
  std::mutex mutex_;
  std::unique_ptr<engine::Engine> engine_;  // opened when it is first used
};

/// The same tables with people counted in zCDP, as publications need it, in a ledger of its own.
class ZcdpWorld final : public World {
 public:
  ZcdpWorld(session::Clinic& clinic, const ledger::Scratch& scratch) {
    std::string text = session::kClinicPolicy;
    const std::string before = "people: {budget: {epsilon: 1000}}";
    text.replace(text.find(before), before.size(),
                 "people: {budget: {epsilon: 10, delta: 1e-6}, notion: zcdp}");
    policy_ = policy::read_policy(text, clinic.folder()).policy.value();
    ledger_ = ledger::Ledger::create({.path = scratch / "zcdp.ledger",
                                      .key = scratch / "zcdp.key",
                                      .witness = scratch / "zcdp.witness"})
                  .value();
    using ledger::fixture::price;
    EXPECT_TRUE(ledger_
                    ->add_namespace({.name = "people",
                                     .notion = ledger::Notion::kZcdp,
                                     .cap = price("1", "0"),
                                     .conversion_delta = price("1", "1e-7").delta,
                                     .analysts = {{"ann", price("0.5", "0")}}})
                    .has_value());
    ledger_->close_early(session::closing_of(policy_).value());
    engine_ = engine::open_engine(policy_, {}).value();
    session_ = std::make_unique<session::Session>(policy_, *ledger_, *engine_);
  }
  const policy::Policy& policy() const override { return policy_; }
  ledger::Ledger& ledger() override { return *ledger_; }
  session::Session& session() override { return *session_; }
  engine::Engine& engine() override { return *engine_; }

 private:
  policy::Policy policy_;
  std::unique_ptr<ledger::Ledger> ledger_;
  std::unique_ptr<engine::Engine> engine_;
  std::unique_ptr<session::Session> session_;
};

struct HouseOptions {
  std::vector<std::string> changes = {};  ///< to the rows of the clinic
  int answer_ms = 10;
  const char* cap = "1e12";
  bool is_zcdp = false;
  std::string survey = {};    ///< in place of survey.csv
  bool holds_time = false;    ///< deadlines come when the test says so: held_ms
  bool holds_clock = false;   ///< time passes when the test says so: later_ms
  unsigned scram_rounds = 0;  ///< of passwords at the door for PostgreSQL's clients
  Deprecations old_names = deprecations();
};

/// A clinic behind a server, with an owner, an auditor and two analysts.
class House {
 public:
  explicit House(const HouseOptions& with = {}) : clinic(with.changes, {}, 2, with.cap) {
    if (with.holds_time) held_ms = std::int64_t{1} << 40;
    if (!with.survey.empty()) {
      ledger::spill(std::filesystem::path(clinic.folder()) / "survey.csv", with.survey);
    }
    ledger::spill(scratch / "pages.txt", "");
    std::filesystem::create_directories(scratch / "pages/deep");
    ledger::spill(scratch / "pages/index.html", "<html>hello</html>");
    ledger::spill(scratch / "pages/deep/a.js", "1");
    ledger::spill(scratch / "pages/deep/a.js.gz", "packed");
    ledger::spill(scratch / "pages/survey.html", "<html>a person</html>");
    ledger::spill(scratch / "pages/secret.pem", "not of a known type");
    std::filesystem::create_symlink(scratch / "pages.txt", scratch / "pages/link.txt");
    ledger::spill(scratch / "colour.survey", local::encode(collect::survey_for_tests()));
    const identity::Rate many{.per_second = 1e6, .burst = 1e6};
    auto opened = Service::open(
        {.state = scratch / "state",
         .open = [this, is_zcdp = with.is_zcdp]() -> Result<std::shared_ptr<World>> {
           if (is_zcdp) return std::shared_ptr<World>(std::make_shared<ZcdpWorld>(clinic, scratch));
           return std::shared_ptr<World>(std::make_shared<ClinicWorld>(clinic));
         },
         .pages = scratch / "pages",
         .surveys = {scratch / "colour.survey"},
         .cost = {.passes = 1, .kib = 64},
         .scram_rounds = with.scram_rounds,
         .per_account = many,
         .per_peer = many,
         .logins_per_peer = many,
         .jobs = {.tick_ms = 5,
                  .answer_ms = with.answer_ms,
                  .long_threads = 1,  // so that one job can hold all others
                  .clock =
                      [this] {
                        const std::int64_t held = held_ms;
                        return held == 0 ? system_time_ms() : held;
                      }},
         .clock =
             [this, start = with.holds_clock ? system_time_ms() : 0] {
               return (start == 0 ? system_time_ms() : start) + later_ms;
             },
         .old_names = with.old_names,
         .log =
             [this](const std::string& line) {
               const std::lock_guard lock(mutex_);
               logged_ += line + "\n";
             }});
    EXPECT_TRUE(opened.has_value()) << opened.error().message;
    service = std::move(*opened);
    server = http::Server::listen({.log = [this](const http::Seen& seen) { service->note(seen); }},
                                  [this](http::Request request, http::Reply reply) {
                                    service->handle(std::move(request), std::move(reply));
                                  })
                 .value();
    passwords["owner"] = service->first_owner().value().value();
    for (const auto& [name, role] : {std::pair("ann", identity::Role::kAnalyst),
                                     {"press", identity::Role::kAnalyst},
                                     {"audit", identity::Role::kAuditor}}) {
      passwords[name] = service->accounts().add(name, role).value();
    }
    for (const auto& [name, password] : passwords) tokens[name] = log_in(name, password);
  }
  ~House() {
    service->stop();
    server->stop();
  }

  Got ask(const std::string& who, const std::string& method, const std::string& path,
          const std::string& body = {}, const std::string& more = kJson) {
    const std::string header = who.empty() ? "" : "Authorization: Bearer " + tokens[who] + "\r\n";
    return http::Client(server->port()).ask(method, path, body, header + more);
  }
  Got query(const std::string& who, const std::string& body) {
    return ask(who, "POST", "/api/v1/query", body);
  }
  Got try_login(const std::string& name, const std::string& password) {
    return ask("", "POST", "/api/v1/login", Json{{"name", name}, {"password", password}}.dump());
  }
  std::string log_in(const std::string& name, const std::string& password) {
    const Got got = try_login(name, password);
    return got.status == 200 ? Json::parse(got.body).value()["token"].text() : "";
  }
  std::string logged() {
    const std::lock_guard lock(mutex_);
    return logged_;
  }

  std::atomic<std::int64_t> later_ms{0};
  std::atomic<std::int64_t> held_ms{0};  ///< what the clock of the jobs shows; 0: the time
  ledger::Scratch scratch{ledger::Scratch::Place::kMemory};
  session::Clinic clinic;
  std::unique_ptr<Service> service;
  std::unique_ptr<http::Server> server;
  std::map<std::string, std::string> passwords;
  std::map<std::string, std::string> tokens;

 private:
  std::mutex mutex_;
  std::string logged_;
};

/// Status and headers, but for the request's id.
inline std::string seen_of(const Got& got) {
  std::string out = std::to_string(got.status) + "\n";
  for (const auto& [name, value] : got.headers) {
    if (name != "x-request-id") out += name + ": " + value + "\n";
  }
  return out;
}

}  // namespace discreet::server::api
