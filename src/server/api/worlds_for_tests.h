// SPDX-License-Identifier: Apache-2.0
// Two worlds: bob follows one script in both. In one the other analysts and the owner act too, in
// between, in an order that is drawn from a seed; in the other they do nothing. What bob is told,
// byte for byte and tick for tick, must be the same.
//
//   Ground ground;
//   Script script = draw_script(seed_of_bob);
//   Told alone = play(ground, {}, script);
//   Told among = play(ground, {}, script, draw_others(seed, script.size()));
//   EXPECT_EQ(difference(alone, among), "");
//
// Questions cost so much that the noise is 0 but with a chance below 1e-80. One thread acts for all;
// the clocks are the test's. Secrets are replaced by the order in which bob sees them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/json.h"
#include "engine/engine_around.h"
#include "engine/open.h"
#include "engine/scratch_for_tests.h"
#include "ledger/ledger.h"
#include "ledger/scratch_for_tests.h"
#include "server/api/service.h"
#include "server/collect/reports_for_tests.h"
#include "server/http/client_for_tests.h"
#include "server/pgwire/script_for_tests.h"
#include "server/pgwire/service_desk.h"
#include "session/ledger_terms.h"

namespace discreet::server::api::worlds {

using http::Got;
inline constexpr int kAnswerMs = 20;
inline constexpr std::int64_t kStartMs = 1'800'000'000'000;

/// Caps are given in these; a policy's own numbers end at 1000, and a ledger's at 2^40.
inline const Rational kScale{std::int64_t{1'000'000'000}};

/// Patients have one row in each of their tables, so that none is left out by chance. The engine
/// fails before each question about `stays` is charged, and after each about `labs` was.
inline constexpr const char* kWorldsPolicy = R"(version: 1
engine: duckdb
snapshot: 2026-11
units:
  patients: {budget: {epsilon: 1000, delta: 1e-3}, analysts: {CAPS}}
  people: {budget: {rho: 1000, delta: 1e-3}, notion: zcdp, analysts: {RHOS}}
  persons:
    budget: {epsilon: 1000, delta: 1e-3}
    analysts: {CAPS}
    within: {namespace: households, column: persons.household, members: 4}
  households: {budget: {epsilon: 1000, delta: 1e-3}, analysts: {CAPS}}
tables:
  visits:
    source: visits.csv
    unit: {namespace: patients, column: patient}
    bounds: {groups_per_unit: GROUPS, rows_per_unit_and_group: 1}
    columns:
      clinic: {type: text, values: [north, south, east]}
      age:    {type: integer, range: [0, 100]}
      name:   {type: text, may: [filter]}
  labs:
    source: visits.csv
    unit: {namespace: patients, column: patient}
    columns: {age: {type: integer, range: [0, 100]}}
  stays:
    source: visits.csv
    unit: {namespace: patients, column: patient}
    columns: {age: {type: integer, range: [0, 100]}}
  survey:
    source: survey.csv
    unit: {namespace: people, column: person}
    columns:
      income: {type: integer, range: [0, 99]}
      region: {type: text, values: [a, b]}
  persons:
    source: persons.csv
    unit: {namespace: persons, column: person}
    columns: {age: {type: integer, range: [0, 100]}}
)";

struct Rules {
  bool is_shared = false;      ///< each cap is as large as the total
  bool has_postgres = true;    ///< whether anybody asks over PostgreSQL's protocol; it takes longer
  bool is_long_first = false;  ///< what is long goes before questions: these take long today
  std::size_t per_tick = 3;
  std::size_t kept_max = 10'000;
};

/// Everybody who may ask; bob is the one who is watched.
inline const std::vector<std::string>& askers() {
  static const std::vector<std::string> kAskers = {"ann", "bob", "carl", "owner"};
  return kAskers;
}

inline void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
}

/// Fails as the tables' names say, and counts.
class FragileEngine final : public engine::EngineAround {
 public:
  using EngineAround::EngineAround;
  Result<void> ready(const plan::Checked& checked, const engine::OwnerLog& log) override {
    if (is_about(checked, "stays")) return Error{Code::kEngine, "the data could not be read"};
    return EngineAround::ready(checked, log);
  }
  Result<Sensitive<mechanism::Groups>> run(const plan::Checked& checked,
                                           const engine::OwnerLog& log) override {
    ++runs;
    if (is_about(checked, "labs")) return Error{Code::kEngine, "the data could not be read"};
    return EngineAround::run(checked, log);
  }
  std::atomic<int> runs{0};

 private:
  static bool is_about(const plan::Checked& checked, const std::string& table) {
    const auto& tables = checked.plan().source.tables;
    return std::ranges::any_of(tables, [&](const auto& use) { return use.table == table; });
  }
};

/// What does not change: files and an engine over them.
class Ground {
 public:
  Ground() {
    std::string visits = "patient,clinic,age,name\n";
    std::string survey = "person,income,region\n";
    std::string persons = "person,household,age\n";
    for (int i = 0; i < 30; ++i) {
      const std::string number = std::to_string(i);
      visits += number + "," +
                (i % 3 == 0   ? "north,"
                 : i % 3 == 1 ? "south,"
                              : "east,") +
                std::to_string(20 + i) + ",p" + number + "\n";
      survey += number + "," + std::to_string(i) + (i % 2 == 0 ? ",a\n" : ",b\n");
      persons += number + "," + std::to_string(i / 3) + "," + std::to_string(30 + i) + "\n";
    }
    ledger::spill(folder_ / "visits.csv", visits);
    ledger::spill(folder_ / "survey.csv", survey);
    ledger::spill(folder_ / "persons.csv", persons);
    ledger::spill(folder_ / "colour.survey", local::encode(collect::survey_for_tests()));
    inner_ = engine::open_engine(policy({}, false), {}).value();
    engine_ = std::make_unique<FragileEngine>(*inner_);
  }

  /// `is_changed`: another plan for some questions, under the same label.
  policy::Policy policy(const Rules& rules, bool is_changed) const {
    std::string text = kWorldsPolicy;
    std::string caps;
    for (const std::string& name : askers()) {
      caps += (caps.empty() ? "" : ", ") + name +
              ": {epsilon: " + (rules.is_shared ? "1000, delta: 1e-3}" : "250, delta: 2e-4}");
    }
    std::string rhos = caps;
    replace_all(rhos, "epsilon", "rho");
    replace_all(text, "CAPS", caps);
    replace_all(text, "RHOS", rhos);
    replace_all(text, "GROUPS", is_changed ? "2" : "1");
    policy::Reading reading = policy::read_policy(text, folder_.path().string());
    for (const auto& mistake : reading.mistakes) {
      ADD_FAILURE() << mistake.line << ": " << mistake.message;
    }
    policy::Policy out = std::move(reading.policy).value();
    for (auto& [name, units] : out.units) {
      scale(units.budget);
      for (auto& [analyst, own] : units.analysts) scale(own);
    }
    return out;
  }

  std::filesystem::path file(const std::string& name) const { return folder_ / name; }
  FragileEngine& engine() { return *engine_; }

 private:
  static void scale(policy::Caps& caps) { caps.epsilon = caps.epsilon * kScale; }

  ledger::Scratch folder_{ledger::Scratch::Place::kMemory};
  std::unique_ptr<engine::Engine> inner_;
  std::unique_ptr<FragileEngine> engine_;
};

/// One reading of the policy over a ledger that stays.
class WorldsWorld final : public World {
 public:
  WorldsWorld(policy::Policy policy, std::shared_ptr<ledger::Ledger> ledger, engine::Engine& engine)
      : policy_(std::move(policy)),
        ledger_(std::move(ledger)),
        engine_(engine),
        session_(policy_, *ledger_, engine_) {}
  const policy::Policy& policy() const override { return policy_; }
  ledger::Ledger& ledger() override { return *ledger_; }
  session::Session& session() override { return session_; }
  engine::Engine& engine() override { return engine_; }

 private:
  const policy::Policy policy_;
  const std::shared_ptr<ledger::Ledger> ledger_;
  engine::Engine& engine_;
  session::Session session_;
};

/// A server with a ledger of its own. Its clock stands still but for pass(), and what is long begins
/// only then.
class Stage {
 public:
  Stage(Ground& ground, const Rules& rules) : ground_(ground), rules_(rules) {
    const auto clock = [this] { return now_ms(); };
    ledger::World place;
    place.clock = clock;
    ledger_ = ledger::Ledger::create({.path = scratch_ / "ledger",
                                      .key = scratch_ / "key",
                                      .witness = scratch_ / "witness",
                                      .witness_every = 1000,
                                      .world = place})
                  .value();
    for (const auto& [name, units] : ground_.policy(rules_, false).units) {
      const auto terms = session::terms_of(units);
      const auto added = ledger_->add_namespace(terms.value());
      EXPECT_TRUE(added) << name << ": " << added.error().message;
    }
    ledger::spill(scratch_ / "index.html", "<html>hello</html>");
    const identity::Rate many{.per_second = 1e6, .burst = 1e6};
    jobs::JobsOptions options{.tick_ms = 5,
                              .answer_ms = kAnswerMs,
                              .per_tick = rules_.per_tick,
                              .long_threads = 1,
                              .kept_max = rules_.kept_max,
                              .clock = clock};
    ledger_->close_early({});
    service_ =
        Service::open({.state = scratch_ / "state",
                       .open = [this]() -> Result<std::shared_ptr<World>> {
                         return std::shared_ptr<World>(std::make_shared<WorldsWorld>(
                             ground_.policy(rules_, is_changed_), ledger_, ground_.engine()));
                       },
                       .surveys = {ground_.file("colour.survey")},
                       .cost = {.passes = 1, .kib = 64},
                       .scram_rounds = 1,
                       .per_account = many,
                       .per_peer = many,
                       .logins_per_peer = many,
                       .jobs = options,
                       .clock = clock,
                       .time_of_day = clock})
            .value();
    server_ =
        http::Server::listen({.workers = 2}, [this](http::Request request, http::Reply reply) {
          const bool is_begun = !request.header("x-begun").empty();
          service_->handle(std::move(request), std::move(reply));
          if (is_begun) ++begun_;
        }).value();
    desk_ = std::make_unique<pgwire::ServiceDesk>(*service_);
    passwords["owner"] = service_->first_owner().value().value();
    for (const char* const name : {"ann", "bob", "carl"}) {
      passwords[name] = service_->accounts().add(name, identity::Role::kAnalyst).value();
    }
    close_gate(jobs::Lane::kLong);
    if (rules_.is_long_first) close_gate();
  }
  ~Stage() {
    end();
    server_->stop();
  }
  /// Whoever waits for a deadline that does not come any more is told so.
  void end() {
    open_gate();
    open_gate(jobs::Lane::kLong);
    service_->stop();
  }

  /// Until the gate opens no question of anybody's begins.
  void close_gate(jobs::Lane lane = jobs::Lane::kQuestions) {
    std::optional<std::promise<void>>& gate = gates_[lane];
    if (gate) return;
    gate.emplace();
    (void)submit(lane, [opened = gate->get_future().share()] { opened.wait(); });
  }
  void open_gate(jobs::Lane lane = jobs::Lane::kQuestions) {
    std::optional<std::promise<void>>& gate = gates_[lane];
    if (gate) gate->set_value();
    gate.reset();
  }

  /// Lets all work end, then time pass, then everything that is due be delivered.
  void pass(std::int64_t ms) {
    // A lane serves who waits in turn: so many turns of ours are as many of everybody's. One lane
    // after the other, since the order of their records is not the test's.
    std::vector<jobs::Lane> lanes = {jobs::Lane::kQuestions, jobs::Lane::kLong};
    if (rules_.is_long_first) std::ranges::reverse(lanes);
    for (const jobs::Lane lane : lanes) {
      open_gate(lane);
      for (int turn = 0; turn < kInFlightMax + 3; ++turn) {
        std::promise<void> reached;
        if (submit(lane, [&] { reached.set_value(); })) {
          reached.get_future().wait();
        } else {  // no place is left: what has one is short
          std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
      }
    }
    now_ms_ += ms;
    (void)submit(jobs::Lane::kQuestions, [] {});  // whose coming makes the clock be looked at
    const auto is_late = [this] {
      const auto waiting = service_->jobs().waiting();
      return std::ranges::any_of(waiting,
                                 [this](const auto& job) { return job.due_ms <= now_ms_; });
    };
    while (is_late()) std::this_thread::yield();
    close_gate(jobs::Lane::kLong);
    if (rules_.is_long_first) close_gate();
  }
  /// Reads the policy again: the next version of it, if it is to change.
  void reload(bool changes) {
    if (changes) is_changed_ = !is_changed_;
    EXPECT_TRUE(service_->reload());
  }

  /// A player has at most so many questions, or lessons, in flight.
  static constexpr int kInFlightMax = 5;
  std::int64_t now_ms() const { return now_ms_; }
  Service& service() { return *service_; }
  pgwire::ServiceDesk& desk() { return *desk_; }
  ledger::Ledger& ledger() { return *ledger_; }
  FragileEngine& engine() { return ground_.engine(); }
  /// How many requests that may be answered later were taken.
  int begun() const { return begun_; }
  std::uint16_t port() const { return server_->port(); }
  const Rules& rules() const { return rules_; }

  std::map<std::string, std::string> passwords;

 private:
  /// Work of nobody's, due at a time at which nothing else is.
  bool submit(jobs::Lane lane, const std::function<void()>& work) {
    const auto run = [work](const std::function<void(int)>&) {
      work();
      return http::Response{};
    };
    // Each time somebody else, who has no limit yet.
    const auto made = service_->jobs().submit({.analyst = "gate " + std::to_string(++submitted_),
                                               .work = run,
                                               .lane = lane,
                                               .answer_ms = 3 * kAnswerMs});
    return made.has_value();
  }

  Ground& ground_;
  const Rules rules_;
  std::atomic<std::int64_t> now_ms_{kStartMs};
  std::atomic<bool> is_changed_{false};
  std::atomic<int> begun_{0};
  ledger::Scratch scratch_{ledger::Scratch::Place::kMemory};
  std::shared_ptr<ledger::Ledger> ledger_;
  std::unique_ptr<Service> service_;
  std::unique_ptr<http::Server> server_;
  std::unique_ptr<pgwire::ServiceDesk> desk_;
  std::map<jobs::Lane, std::optional<std::promise<void>>> gates_;
  int submitted_ = 0;
};

/// Secrets in the order in which they came: two that are equal stay so. They are what stands behind
/// some names of JSON, runs of 32 hexadecimal digits and more, and large numbers of receipts.
class Masks {
 public:
  std::string masked(std::string text) {
    for (const char* const name : {"job", "token", "path"}) {
      const std::string start = "\"" + std::string(name) + "\":\"";
      for (std::size_t at = 0; (at = text.find(start, at)) != text.npos;) {
        at += start.size();
        learn(text.substr(at, text.find('"', at) - at));
      }
    }
    for (const auto& [secret, name] : names_) replace_all(text, secret, name);
    replace_runs(text, "0123456789abcdef", 32);
    // Such a number stands behind the name of a field, or behind the ledger's id.
    for (const std::string start : {"record\":", "receipt\":", "charge\":", "about\":", "#/"}) {
      for (std::size_t at = 0; (at = text.find(start, at)) != text.npos;) {
        at += start.size();
        const std::size_t end = std::min(text.find_first_not_of("0123456789", at), text.size());
        if (end - at >= 10) text.replace(at, end - at, name_of(text.substr(at, end - at)));
      }
    }
    // The ledger's own ids were "request-", a number that is drawn for the ledger, and a count.
    const std::string made = "request-";
    for (std::size_t at = 0; (at = text.find(made, at)) != text.npos;) {
      at += made.size();
      const std::size_t end = text.find_first_not_of("0123456789", at);
      if (end != text.npos && end > at + 3 && text[end] == '-') text.replace(at, end - at, "*");
    }
    return text;
  }
  void learn(const std::string& secret) {
    if (secret.size() >= 16) names_.emplace(secret, name_of(secret));
  }

 private:
  std::string name_of(const std::string& secret) {
    const std::size_t next = numbers_.size() + 1;
    return "#" + std::to_string(numbers_.emplace(secret, next).first->second) + "#";
  }
  void replace_runs(std::string& text, const char* letters, std::size_t least) {
    for (std::size_t at = 0; (at = text.find_first_of(letters, at)) != text.npos;) {
      const std::size_t end = std::min(text.find_first_not_of(letters, at), text.size());
      const std::string run = text.substr(at, end - at);
      const std::string name = run.size() < least ? run : name_of(run);
      text.replace(at, run.size(), name);
      at += name.size();
    }
  }
  std::map<std::string, std::string> names_;
  std::map<std::string, std::size_t> numbers_;
};

/// Somebody who acts. What bob is told is written down.
class Player {
 public:
  Player(Stage& stage, const std::string& name, std::string address)
      : stage_(stage), name_(name), address_(std::move(address)) {
    password_ = stage_.passwords.at(name);
    masks_.learn(password_);
    log_in(password_);
  }

  /// One request, and its reply at once.
  Got ask(const std::string& method, const std::string& path, const std::string& body = {},
          const std::string& type = "application/json") {
    note_route(method, path);
    if (!client_ || !client_->is_open()) {
      client_ = std::make_unique<http::Client>(stage_.port(), 0, address_.c_str());
    }
    Got got = client_->ask(method, path, body, headers(type));
    if (got.status == 0) client_ = nullptr;
    for (const auto& facts : stage_.service().jobs().of(name_, 1)) known_.insert(facts.id);
    write(method + " " + path + " " + body, got);
    return got;
  }

  /// A request that may be answered only later: it is written down as soon as that is certain.
  /// `job`: what it waits for; empty: what it makes.
  void begin(const std::string& method, const std::string& path, const std::string& body,
             std::string job = {}) {
    note_route(method, path);
    Later later;
    later.what = method + " " + path + " " + body;
    const int before = stage_.begun();
    later.got = std::async(std::launch::async,
                           [=, this, headers = headers("application/json") + "X-Begun: 1\r\n"] {
                             http::Client client(stage_.port(), 0, address_.c_str());
                             return client.ask(method, path, body, headers);
                           });
    while (stage_.begun() == before) std::this_thread::yield();
    if (job.empty()) {
      const auto own = stage_.service().jobs().of(name_, 1);
      if (own.empty() || !known_.insert(own.front().id).second) {
        return write(later.what, later.got.get());
      }
      job = own.front().id;
    }
    later.job = job;
    later_.push_back(std::move(later));
  }

  /// A conversation over PostgreSQL's protocol. `waits`: time passes until it has ended; else it
  /// ends when time passes anyway.
  void converse(const std::vector<std::string>& statements, bool waits) {
    std::string all;
    for (const std::string& sql : statements) {
      all += pgwire::message('Q', pgwire::zero_ended(sql));
    }
    auto wire = std::async(std::launch::async, [this, all, password = password_] {
      auto script = pgwire::Script::with_password(name_, password, all);
      pgwire::ConversationFacts facts;
      facts.peer = address_;
      pgwire::Conversation(script, stage_.desk(), pgwire::Waiting(), std::move(facts)).run();
      return script.written;
    });
    while (const std::optional<std::string> job = newest_or(wire)) {
      if (!waits) return conversations_.push_back(std::move(wire));
      pass(10 * kAnswerMs);
    }
    const std::string written = wire.get();
    const std::size_t ready = written.find("Z" + std::string("\0\0\0\5", 4));
    std::string what = "psql";
    for (const std::string& sql : statements) what += " " + sql + ";";
    write(what,
          pgwire::outline(written) + "\n" + (ready == written.npos ? "" : written.substr(ready)));
  }

  /// Time passes, and what was waited for comes.
  void pass(std::int64_t ms) {
    stage_.pass(ms);
    may_go_on();
  }
  /// Writes down what has come.
  void hear() {
    for (auto at = later_.begin(); at != later_.end();) {
      const auto facts = stage_.service().jobs().look(name_, at->job);
      if (facts && facts->stage == jobs::Stage::kWaiting) {
        ++at;
        continue;
      }
      write("heard: " + at->what, at->got.get());
      at = later_.erase(at);
    }
  }

  /// Whether one more of these may be in flight; it counts as asked.
  bool may_ask() { return in_flight_++ < Stage::kInFlightMax; }
  bool may_ask_long() { return long_in_flight_++ < 2; }
  /// After time has passed.
  void may_go_on() {
    in_flight_ = 0;
    long_in_flight_ = 0;
    hear();
  }

  /// The job, counted from the newest; one that is nobody's if there are not so many.
  std::string job(std::size_t back) {
    const auto own = stage_.service().jobs().of(name_, back + 1);
    if (own.size() <= back) return "nobodysjobnobodysjobxx";
    masks_.learn(own[back].id);
    return own[back].id;
  }
  bool is_waiting(const std::string& job) {
    const auto facts = stage_.service().jobs().look(name_, job);
    return facts && facts->stage == jobs::Stage::kWaiting;
  }

  void log_in(const std::string& password) {
    const Got got =
        ask("POST", "/api/v1/login", Json{{"name", name_}, {"password", password}}.dump());
    if (got.status == 200) token_ = Json::parse(got.body).value()["token"].text();
  }
  void change_password(const std::string& fresh) {
    ask("POST", "/api/v1/password", Json{{"old", password_}, {"new", fresh}}.dump());
    password_ = fresh;
    log_in(fresh);
  }
  const std::string& password() const { return password_; }
  const std::string& name() const { return name_; }
  Stage& stage() { return stage_; }

  std::string ticket;  ///< the path of the last report that was linked to

  // Of bob:
  std::vector<std::string> told;
  std::uint64_t bytes = 0;
  std::set<std::string> routes;
  bool is_watched = false;

 private:
  struct Later {
    std::string what, job;
    std::future<Got> got;
  };

  std::string headers(const std::string& type) const {
    return (token_.empty() ? "" : "Authorization: Bearer " + token_ + "\r\n") +
           "Content-Type: " + type + "\r\n";
  }
  /// The job that was made since the last one that we know; none: what would have made it is over.
  template <class T>
  std::optional<std::string> newest_or(const std::future<T>& over) {
    while (true) {
      const bool is_over =
          over.wait_for(std::chrono::microseconds(50)) == std::future_status::ready;
      const auto own = stage_.service().jobs().of(name_, 1);
      if (!own.empty() && own.front().stage == jobs::Stage::kWaiting &&
          !known_.contains(own.front().id)) {
        known_.insert(own.front().id);
        return own.front().id;
      }
      if (is_over) return std::nullopt;
    }
  }
  void note_route(const std::string& method, const std::string& path) {
    const std::string bare = path.substr(0, path.find('?'));
    http::Request request;
    request.path = bare;
    for (const ApiRoute& route : api::routes()) {
      if (route.method == method && http::Router::matches(route.pattern, request)) {
        routes.insert(method + " " + route.pattern);
      }
    }
  }
  void write(const std::string& what, const Got& got) {
    // A padded body is as long as its bucket, which a secret's length may change; what is in it is
    // compared.
    const std::size_t size = got.body.size();
    const bool is_padded = size >= 1024 && (size & (size - 1)) == 0;
    std::string text;
    for (std::size_t at = 0; at < got.head.size();) {
      const std::size_t end = got.head.find("\r\n", at);
      const std::string line = got.head.substr(at, end - at);
      if (line.starts_with("Content-Length:") && is_padded) {
        text += "padded\n";
      } else if (!line.starts_with("X-Request-Id:")) {
        text += line + "\n";
      }
      at = end + 2;
    }
    const std::size_t last = got.body.find_last_not_of(' ');
    write(what, text + (is_padded ? got.body.substr(0, last + 1) : got.body), size);
  }
  void write(const std::string& what, const std::string& text, std::size_t size = 0) {
    if (!is_watched) return;
    bytes += std::max(size, text.size());
    told.push_back("at " + std::to_string(stage_.now_ms() - kStartMs) +
                   " ms: " + masks_.masked(what + "\n" + text));
  }

  Stage& stage_;
  const std::string name_;
  const std::string address_;
  std::string password_;
  std::string token_;
  std::unique_ptr<http::Client> client_;
  std::vector<Later> later_;
  std::vector<std::future<std::string>> conversations_;
  std::set<std::string> known_;  // jobs
  int in_flight_ = 0;
  int long_in_flight_ = 0;
  Masks masks_;
};

/// The answer to a job, when there is one.
inline void ask_for_answer(Player& who, std::size_t back = 0) {
  const std::string job = who.job(back);
  const std::string path = "/api/v1/jobs/" + job + "/answer";
  if (who.is_waiting(job)) return who.begin("GET", path, "", job);
  who.ask("GET", path);
}

/// Of a seed, the same on every machine.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15 + 1) {}
  std::size_t below(std::size_t n) {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return (z ^ (z >> 31)) % n;
  }
  bool one_in(std::size_t n) { return below(n) == 0; }
  template <class T>
  const T& of(const std::vector<T>& all) {
    return all[below(all.size())];
  }

 private:
  std::uint64_t state_;
};

using Act = std::function<void(Player&)>;
struct Step {
  std::string who;
  Act act;
};
using Script = std::vector<Act>;                ///< bob's
using Others = std::vector<std::vector<Step>>;  ///< before each of bob's acts, and at the end

inline constexpr std::size_t kNever = SIZE_MAX;

/// What bob was told.
struct Told {
  std::vector<std::string> texts;
  std::uint64_t bytes = 0;
  std::set<std::string> routes;
  std::size_t closed_at = kNever;  ///< so many texts came before a namespace closed
  std::string complaint = {};      ///< what is wrong after the closing
};

/// Whether what all have spent there has passed the cap less the largest question, a quarter of it.
inline bool is_closed(Stage& stage, const std::string& units) {
  const ledger::State state = stage.ledger().state().value();
  const ledger::Account& total = state.find(units).value()->total;
  return total.spent().amount.value() > total.cap().amount.value() * Rational::ratio(3, 4);
}

/// With shared caps bob buys the first of these at the beginning, and ann the second.
inline Json old_question(bool is_bobs) {
  return {
      {"sql", std::string("SELECT COUNT(*) FROM visits WHERE age > ") + (is_bobs ? "50" : "60")},
      {"epsilon", "50000000"},
      {"wait", false}};
}

/// After the closing what bob has bought is free, and everything else is refused in the same bytes,
/// which hold no number.
inline std::string complaint_after_closing(Player& bob) {
  const auto refusal_of = [&bob](const Json& question) {
    Got got = bob.ask("POST", "/api/v1/query", question.dump());
    if (got.status == 202) {
      const std::string job = bob.job(0);
      bob.pass(10 * kAnswerMs);
      got = bob.ask("GET", "/api/v1/jobs/" + job + "/answer");
    }
    return std::to_string(got.status) + " " + got.body;
  };
  bob.log_in(bob.password());
  const Got own = bob.ask("POST", "/api/v1/query", old_question(true).dump());
  if (own.status != 200 || own.body.find("\"repeated\":true") == own.body.npos) {
    return "after the closing what bob bought is not free: " + own.body;
  }
  const std::string anns = refusal_of(old_question(false));
  Json fresh = old_question(false);
  fresh["sql"] = "SELECT SUM(age) FROM visits WHERE age > 70";
  const std::string news = refusal_of(fresh);
  if (anns != news) return "after the closing ann's question looks different: " + anns + news;
  if (anns.starts_with("200")) return "after the closing a question is answered: " + anns;
  if (anns.find_first_of("0123456789", 3) != anns.npos) {
    return "the closing's refusal has a number: " + anns;
  }
  return "";
}

inline Told play(Ground& ground, const Rules& rules, const Script& script,
                 const Others& others = {}) {
  Stage stage(ground, rules);
  std::map<std::string, std::unique_ptr<Player>> players;
  int address = 1;
  for (const std::string& name : askers()) {
    players[name] = std::make_unique<Player>(stage, name, "127.0.0." + std::to_string(address++));
  }
  Player& bob = *players.at("bob");
  bob.is_watched = true;
  Told out;
  const auto look_whether_closed = [&](std::size_t texts) {
    if (!rules.is_shared || out.closed_at != kNever) return;
    for (const char* const units : {"patients", "people", "persons", "households"}) {
      if (is_closed(stage, units)) out.closed_at = texts;
    }
  };
  const auto others_act = [&](std::size_t place) {
    if (place >= others.size()) return;
    for (const Step& step : others[place]) step.act(*players.at(step.who));
  };
  for (std::size_t i = 0; i < script.size(); ++i) {
    const std::int64_t before_ms = stage.now_ms();
    others_act(i);
    EXPECT_EQ(stage.now_ms(), before_ms) << "time passes by bob's script alone";
    const std::size_t before = bob.told.size();
    script[i](bob);
    look_whether_closed(before);
    if (stage.now_ms() == before_ms) continue;
    for (const auto& [name, player] : players) {
      if (player.get() != &bob) player->may_go_on();
    }
  }
  others_act(script.size());
  const std::size_t before = bob.told.size();
  for (int i = 0; i < 3; ++i) bob.pass(std::int64_t{4} * 3600 * 1000);
  look_whether_closed(before);
  for (const auto& [name, player] : players) player->may_go_on();
  out.texts = bob.told;
  out.bytes = bob.bytes;
  out.routes = bob.routes;
  if (rules.is_shared && is_closed(stage, "patients")) {
    out.complaint = complaint_after_closing(bob);
  }
  stage.end();
  return out;
}

/// What tells two tales apart, up to a closing in the second; "" when nothing does.
inline std::string difference(const Told& a, const Told& b) {
  const std::size_t end = std::min(b.closed_at, std::max(a.texts.size(), b.texts.size()));
  for (std::size_t i = 0; i < end; ++i) {
    const std::string one = i < a.texts.size() ? a.texts[i] : "(nothing more)";
    const std::string two = i < b.texts.size() ? b.texts[i] : "(nothing more)";
    if (one == two) continue;
    const auto at = static_cast<std::size_t>(std::ranges::mismatch(one, two).in1 - one.begin());
    const std::size_t from = at < 80 ? 0 : at - 80;
    const auto excerpt = [&](const std::string& text) {
      std::string part = text.substr(std::min(from, text.size()), 240);
      for (char& c : part) c = c == '\n' || (c >= ' ' && c <= '~') ? c : '.';
      return part;
    };
    return "text " + std::to_string(i) + ", " + one.substr(0, one.find('\n')) + "\nalone: ..." +
           excerpt(one) + "\namong others: ..." + excerpt(two) + "\n";
  }
  return "";
}

}  // namespace discreet::server::api::worlds
