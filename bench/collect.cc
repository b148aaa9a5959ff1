// SPDX-License-Identifier: Apache-2.0
// Reports a second through the collector over HTTP on loopback: clients that send batches and wait
// for the acknowledgement, which comes when the reports are on disk. bench/collect.py makes the
// table.
#include <benchmark/benchmark.h>
#include <stdlib.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "server/collect/collect_api.h"
#include "server/collect/reports_for_tests.h"
#include "server/http/client_for_tests.h"
#include "server/http/server.h"

namespace discreet::server::collect {
namespace {

/// On the disk that holds the build, not in /tmp, which may be memory.
class Folder {
 public:
  Folder() {
    std::filesystem::create_directories("build/bench");
    std::string name = "build/bench/collect-XXXXXX";
    DISCREET_CHECK(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path_); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

constexpr int kClients = 4;

/// Every client sends so many batches; all ids differ.
void over_http(benchmark::State& state) {
  const auto size = static_cast<std::uint64_t>(state.range(0));
  const auto batches = static_cast<std::uint64_t>(state.range(1));
  const local::Survey survey = survey_for_tests();
  std::uint64_t sent = 0;
  double seconds = 0;
  for (auto _ : state) {
    const Folder folder;
    const auto collector =
        Collector::open({.survey = survey, .folder = folder.path() / "store"}).value();
    http::Router router;
    add_routes(router, *collector);
    const auto server =
        http::Server::listen({.workers = 16}, [&](http::Request request, http::Reply reply) {
          router.handle(std::move(request), std::move(reply));
        }).value();
    const auto start = std::chrono::steady_clock::now();
    std::vector<std::thread> clients;
    for (std::uint64_t c = 0; c < kClients; ++c) {
      clients.emplace_back([&, c] {
        http::Client client(server->port());
        for (std::uint64_t b = 0; b < batches; ++b) {
          const http::Got got =
              client.ask("POST", "/v1/reports", reports(survey, (c * batches + b) * size, size),
                         "Content-Type: application/octet-stream\r\n");
          DISCREET_CHECK(got.status == 200 && got.body == to_json({.accepted = size}));
        }
      });
    }
    for (std::thread& client : clients) client.join();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    seconds += took.count();
    sent += kClients * batches * size;
    DISCREET_CHECK(collector->totals().accepted == kClients * batches * size);
  }
  state.counters["reports"] = static_cast<double>(sent) / seconds;
}

/// Reading the log of a million reports again, as after a crash.
void restart(benchmark::State& state) {
  const local::Survey survey = survey_for_tests();
  const Folder folder;
  const CollectorOptions options{.survey = survey, .folder = folder.path() / "store"};
  {
    const auto collector = Collector::open(options).value();
    for (std::uint64_t i = 0; i < 100; ++i) {
      DISCREET_CHECK(collector->accept(reports(survey, i * 10'000, 10'000)).has_value());
    }
  }
  std::chrono::duration<double> took{0};
  for (auto _ : state) {
    const auto start = std::chrono::steady_clock::now();
    DISCREET_CHECK(Collector::open(options).value()->totals().accepted == 1'000'000);
    took = std::chrono::steady_clock::now() - start;
  }
  state.counters["seconds"] = took.count();
}

BENCHMARK(over_http)->Name("batches of 1000")->Args({1000, 500})->Iterations(1);
BENCHMARK(over_http)->Name("batches of 10000")->Args({10'000, 50})->Iterations(1);
BENCHMARK(over_http)->Name("one by one")->Args({1, 1000})->Iterations(1);
BENCHMARK(restart)->Name("restart")->Iterations(1);

}  // namespace
}  // namespace discreet::server::collect
