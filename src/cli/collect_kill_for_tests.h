// SPDX-License-Identifier: Apache-2.0
// A collector that is killed with SIGKILL while clients send to it, again and again, and the
// account of it: nothing that was acknowledged is lost, and nothing is counted twice.
#pragma once

#include <sys/wait.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/check.h"
#include "cli/server_process_for_tests.h"
#include "server/collect/collect_api.h"
#include "server/collect/reports_for_tests.h"
#include "server/http/client_for_tests.h"

namespace discreet::cli {

class CollectKillTrial {
 public:
  CollectKillTrial(std::string program, std::filesystem::path folder)
      : program_(std::move(program)), folder_(std::move(folder)) {
    std::ofstream(folder_ / "s.survey", std::ios::binary) << local::encode(survey_);
  }

  /// Starts the collector, lets clients send for so long, kills it. Complaints.
  std::vector<std::string> kill_after(std::chrono::microseconds time) {
    ServerProcess server(command());
    if (server.port() == 0) return {"the collector did not start: " + server.said()};
    torn_ += server.said().find("unfinished") != std::string::npos ? 1 : 0;
    std::atomic<bool> is_over{false};
    std::vector<std::thread> clients;
    for (int i = 0; i < kClients; ++i) clients.emplace_back([&] { send(server.port(), is_over); });
    std::this_thread::sleep_for(time);
    server.end(SIGKILL);
    is_over = true;
    for (std::thread& client : clients) client.join();
    return {};
  }

  /// Sends everything again and looks at what became of it. Complaints.
  std::vector<std::string> settle() {
    std::vector<std::string> complaints;
    ServerProcess server(command());
    if (server.port() == 0) return {"the collector did not start: " + server.said()};
    Client client(server.port());
    local::Aggregate expected(survey_);
    for (std::uint64_t number = 0; number < next_; ++number) {
      const std::string bytes = batch(number);
      std::string_view rest = bytes;
      expected.add(local::take_batch(survey_, rest).value());
      const std::string body = post(client, bytes).body;
      if (acknowledged_.contains(number) &&
          body != server::collect::to_json({.duplicate = kBatch})) {
        complaints.push_back("batch " + std::to_string(number) +
                             " was acknowledged and lost: " + body);
      }
    }
    const auto got =
        local::Aggregate::parse(survey_, client.ask("GET", "/v1/aggregate").body).value();
    if (got.tally().counted != next_ * kBatch || got.cells() != expected.cells()) {
      complaints.push_back("counted " + std::to_string(got.tally().counted) + " reports of " +
                           std::to_string(next_ * kBatch));
    }
    const int status = server.end(SIGTERM);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
      complaints.push_back("SIGTERM did not end it well");
    }
    return complaints;
  }

  std::uint64_t acknowledged() const { return acknowledged_.size() * kBatch; }
  std::uint64_t sent() const { return next_ * kBatch; }
  /// How many starts found an unfinished write.
  std::uint64_t torn() const { return torn_; }

 private:
  static constexpr int kClients = 3;
  static constexpr std::uint64_t kBatch = 40;
  using Client = server::http::Client;

  std::vector<std::string> command() const {
    return {program_,
            "local",
            "collect",
            "--survey",
            (folder_ / "s.survey").string(),
            "--store",
            (folder_ / "store").string(),
            "--peer-rate",  // all clients have one address, and a fast machine sends much
            "1000000",
            "--peer-reports",
            "1000000000",
            "--listen",
            "127.0.0.1:0"};
  }
  std::string batch(std::uint64_t number) const {
    return server::collect::reports(survey_, number * kBatch, kBatch);
  }
  static server::http::Got post(Client& client, const std::string& bytes) {
    return client.ask("POST", "/v1/reports", bytes, "Content-Type: application/octet-stream\r\n");
  }

  /// One client: batch after batch until the other side has gone.
  void send(std::uint16_t port, const std::atomic<bool>& is_over) {
    Client client(port);
    while (!is_over && client.is_open()) {
      std::uint64_t number = 0;
      {
        const std::lock_guard lock(mutex_);
        number = next_++;
      }
      const server::http::Got got = post(client, batch(number));
      if (got.status == 0) return;
      DISCREET_CHECK(got.status == 200);
      const std::lock_guard lock(mutex_);
      acknowledged_.insert(number);
    }
  }

  const std::string program_;
  const std::filesystem::path folder_;
  const local::Survey survey_ = server::collect::survey_for_tests();
  std::mutex mutex_;
  std::uint64_t next_ = 0;
  std::set<std::uint64_t> acknowledged_;
  std::uint64_t torn_ = 0;
};

}  // namespace discreet::cli
