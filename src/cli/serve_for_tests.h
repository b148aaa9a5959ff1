// SPDX-License-Identifier: Apache-2.0
// A small survey with its policy and ledger in a folder, served by the real program; and what
// clients do with it until it is killed.
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/json.h"
#include "cli/server_process_for_tests.h"
#include "server/http/client_for_tests.h"
#include "server/identity/accounts.h"

namespace discreet::cli {

class ServedSurvey {
 public:
  using Client = server::http::Client;
  using Got = server::http::Got;

  /// Analysts are named a0, a1, ...
  ServedSurvey(std::string program, std::filesystem::path folder, int analysts)
      : program_(std::move(program)), folder_(std::move(folder)), analysts_(analysts) {
    std::ofstream data(folder_ / "survey.csv");
    data << "person,income,region\n";
    for (int i = 0; i < 500; ++i) {
      data << i << "," << 1000 + 10 * i << (i % 2 == 0 ? ",a\n" : ",b\n");
    }
    std::ofstream policy(folder_ / "policy.yaml");
    policy << "version: 1\nengine: duckdb\nsnapshot: one\nunits:\n"
           << "  people: {budget: {epsilon: 1000}, analysts: {";
    for (int i = 0; i < analysts_; ++i) {
      policy << (i == 0 ? "" : ", ") << "a" << i << ": {epsilon: 500}";
    }
    policy << "}}\ntables:\n  survey:\n    source: survey.csv\n"
           << "    unit: {namespace: people, column: person}\n    columns:\n"
           << "      income:  {type: integer, range: [0, 200000]}\n"
           << "      region:  {type: text, values: [a, b]}\n";
    data.close();
    policy.close();
    DISCREET_CHECK(run({"ledger", "init", "--policy", path("policy.yaml"), "--ledger",
                        path("ledger"), "--key", path("key"), "--witness", path("witness")}) == 0);
  }

  std::vector<std::string> command() const {
    return {program_,      "serve",
            "--policy",    path("policy.yaml"),
            "--ledger",    path("ledger"),
            "--key",       path("key"),
            "--witness",   path("witness"),
            "--listen",    "127.0.0.1:0",
            "--answer-ms", "20",
            "--tick-ms",   "10"};
  }

  /// Makes all accounts and their tokens beside the server, before it first starts, with cheap
  /// passwords: for many of them.
  void make_accounts() {
    namespace identity = server::identity;
    const std::filesystem::path state = path("ledger.server");
    std::filesystem::create_directories(state);
    std::filesystem::permissions(state, std::filesystem::perms::owner_all);
    const auto accounts =
        identity::Accounts::open({.file = state / "accounts.db", .cost = {.passes = 1, .kib = 64}});
    DISCREET_CHECK(accounts.has_value());
    const auto make = [&](const std::string& name, identity::Role role) {
      const auto password = (*accounts)->add(name, role);
      DISCREET_CHECK(password.has_value());
      const auto login = (*accounts)->log_in(name, *password);
      DISCREET_CHECK(login.has_value() && login->has_value());
      return (*login)->token;
    };
    owner_token = make("owner", identity::Role::kOwner);
    for (int i = 0; i < analysts_; ++i) {
      tokens.push_back(make("a" + std::to_string(i), identity::Role::kAnalyst));
    }
  }

  /// Starts the server; the first time also logs the owner in and makes the analysts' accounts.
  std::unique_ptr<ServerProcess> start() { return start(command()); }
  std::unique_ptr<ServerProcess> start(const std::vector<std::string>& words) {
    auto server = std::make_unique<ServerProcess>(words);
    if (server->port() == 0) return nullptr;
    const std::size_t at = server->said().find("password  ");
    if (at == std::string::npos) return server;
    Client client(server->port());
    owner_token = log_in(client, "owner", server->said().substr(at + 10, 43));
    for (int i = 0; i < analysts_; ++i) {
      const std::string name = "a" + std::to_string(i);
      const Got got = ask(client, owner_token, "POST", "/api/v1/accounts",
                          Json{{"name", name}, {"role", "analyst"}}.dump());
      tokens.push_back(log_in(client, name, Json::parse(got.body).value()["password"].text()));
    }
    return server;
  }

  static Got ask(Client& client, const std::string& token, const std::string& method,
                 const std::string& target, const std::string& body = {}) {
    return client.ask(method, target, body,
                      "Content-Type: application/json\r\n" +
                          (token.empty() ? "" : "Authorization: Bearer " + token + "\r\n"));
  }

  int run(const std::vector<std::string>& words) const {
    std::string command = program_;
    for (const std::string& word : words) command += " '" + word + "'";
    return std::system((command + " > '" + path("out") + "' 2> '" + path("err") + "'").c_str());
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  std::string owner_token;
  std::vector<std::string> tokens;

 private:
  static std::string log_in(Client& client, const std::string& name, const std::string& password) {
    const Got got = ask(client, "", "POST", "/api/v1/login",
                        Json{{"name", name}, {"password", password}}.dump());
    DISCREET_CHECK(got.status == 200);
    return Json::parse(got.body).value()["token"].text();
  }

  const std::string program_;
  const std::filesystem::path folder_;
  const int analysts_;
};

/// Kills the server under load; then every answer that a client saw must be charged and the same
/// when it is asked for again by its request id.
class ServeKillTrial {
 public:
  ServeKillTrial(const std::string& program, const std::filesystem::path& folder)
      : survey_(program, folder, kClients) {}

  std::vector<std::string> kill_after(std::chrono::microseconds time) {
    const auto server = survey_.start();
    if (!server) return {"the server did not start"};
    std::vector<std::thread> clients;
    for (std::size_t i = 0; i < kClients; ++i) {
      clients.emplace_back([&, i] { send(server->port(), i); });
    }
    std::this_thread::sleep_for(time);
    server->end(SIGKILL);
    for (std::thread& client : clients) client.join();
    return std::exchange(complaints_, {});
  }

  std::vector<std::string> settle() {
    std::vector<std::string> complaints;
    const auto server = survey_.start();
    if (!server) return {"the server did not start"};
    ServedSurvey::Client client(server->port());
    for (const auto& [number, seen] : seen_) {
      const auto got = post(client, number);
      if (got.status != 200 || Json::parse(got.body).value()["answer"].dump() != seen) {
        complaints.push_back("question " + std::to_string(number) +
                             " was answered and is answered otherwise now: " + got.body);
      }
    }
    const auto budget =
        Json::parse(ServedSurvey::ask(client, survey_.owner_token, "GET", "/api/v1/budget").body)
            .value();
    const double spent = 100 * std::stod(budget["budgets"][0]["accounts"][0]["spent"].text());
    if (spent + 0.5 < static_cast<double>(seen_.size()) ||
        spent > static_cast<double>(next_) + 0.5) {
      complaints.push_back("spent for " + std::to_string(spent) + " questions, " +
                           std::to_string(seen_.size()) + " answers to " + std::to_string(next_) +
                           " questions");
    }
    const auto verified = ServedSurvey::ask(client, survey_.owner_token, "POST", "/api/v1/verify");
    if (verified.body.find("\"sound\":true") == std::string::npos) {
      complaints.push_back("the ledger is not sound");
    }
    const int status = server->end(SIGTERM);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
      complaints.push_back("SIGTERM did not end it well");
    }
    return complaints;
  }

  std::uint64_t answered() const { return seen_.size(); }
  std::uint64_t asked() const { return next_; }

 private:
  static constexpr std::size_t kClients = 4;

  /// Question number n costs 0.01 and is asked by analyst n % kClients, with a request id of its
  /// own.
  server::http::Got post(ServedSurvey::Client& client, std::uint64_t number) {
    const std::string n = std::to_string(number);
    const Json body = {{"sql", "SELECT COUNT(*) FROM survey WHERE income > " + n},
                       {"epsilon", "0.01"},
                       {"request_id", "r" + n}};
    return ServedSurvey::ask(client, survey_.tokens[number % kClients], "POST", "/api/v1/query",
                             body.dump());
  }

  void send(std::uint16_t port, std::size_t who) {
    ServedSurvey::Client client(port);
    while (client.is_open()) {
      std::uint64_t number = 0;
      {
        const std::lock_guard lock(mutex_);
        number = next_ + (who + kClients - next_ % kClients) % kClients;
        next_ = number + 1;
      }
      const auto got = post(client, number);
      if (got.status == 0) return;  // gone: the client may ask again by the request id
      const std::lock_guard lock(mutex_);
      if (got.status != 200) {
        complaints_.push_back("status " + std::to_string(got.status) + ": " + got.body);
        return;
      }
      seen_[number] = Json::parse(got.body).value()["answer"].dump();
    }
  }

  ServedSurvey survey_;
  std::mutex mutex_;
  std::uint64_t next_ = 0;
  std::map<std::uint64_t, std::string> seen_;
  std::vector<std::string> complaints_;
};

}  // namespace discreet::cli
