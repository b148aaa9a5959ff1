// SPDX-License-Identifier: Apache-2.0
// Reports a second through the collector over HTTP on loopback: clients that send batches and wait
// for the acknowledgement, which comes when the reports are on disk. bench/collect.py makes the
// table.
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "bench.h"
#include "server/collect/collect_api.h"
#include "server/collect/reports_for_tests.h"
#include "server/http/client_for_tests.h"
#include "server/http/server.h"

namespace discreet::server::collect::collect_bench {
namespace {

constexpr int kClients = 4;

/// Every client sends so many batches; all ids differ.
void over_http(benchmark::State& state) {
  const auto size = static_cast<std::uint64_t>(state.range(0));
  const auto batches = static_cast<std::uint64_t>(state.range(1));
  const local::Survey survey = survey_for_tests();
  std::uint64_t sent = 0;
  double seconds = 0;
  for (auto _ : state) {
    const bench::ScratchFolder folder("collect");
    const auto collector = Collector::open({.survey = survey, .folder = folder / "store"}).value();
    http::Router router;
    PeerLimits peers({.per_second = 1e12, .burst = 1e12, .total = ~std::uint64_t{0}});
    add_routes(router, *collector, peers);
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
  constexpr std::uint64_t kBatch = 10'000;
  const auto batches = bench::sized<std::uint64_t>(100, 1);
  const local::Survey survey = survey_for_tests();
  const bench::ScratchFolder folder("collect");
  const CollectorOptions options{.survey = survey, .folder = folder / "store"};
  {
    const auto collector = Collector::open(options).value();
    for (std::uint64_t i = 0; i < batches; ++i) {
      DISCREET_CHECK(collector->accept(reports(survey, i * kBatch, kBatch)).has_value());
    }
  }
  std::chrono::duration<double> took{0};
  for (auto _ : state) {
    const auto start = std::chrono::steady_clock::now();
    DISCREET_CHECK(Collector::open(options).value()->totals().accepted == batches * kBatch);
    took = std::chrono::steady_clock::now() - start;
  }
  state.counters["seconds"] = took.count();
}

int run(const bench::Words& words) {
  const auto add = [](const char* name, std::int64_t size, std::int64_t batches) {
    benchmark::RegisterBenchmark(name, over_http)
        ->Args({size, bench::sized<std::int64_t>(batches, 2)})
        ->Iterations(1);
  };
  add("batches of 1000", 1000, 500);
  add("batches of 10000", 10'000, 50);
  add("one by one", 1, 1000);
  benchmark::RegisterBenchmark("restart", restart)->Iterations(1);
  return bench::run_registered(words);
}

const bench::Benchmark kBenchmark("collect", run);

}  // namespace
}  // namespace discreet::server::collect::collect_bench
