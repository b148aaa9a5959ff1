// SPDX-License-Identifier: Apache-2.0
// The server's own part of answering a client: a prepared question with an answer that is at hand,
// from the bytes of its messages to the bytes of its rows. bench/clients.py measures clients.
#include <benchmark/benchmark.h>

#include "server/pgwire/script_for_tests.h"

namespace discreet::server::pgwire {
namespace {

void conversation(benchmark::State& state) {
  const std::shared_ptr<pgcatalog::Catalog> catalog =
      pgcatalog::Catalog::open(sql::clinic()).value();
  std::string bytes = message('Q', zero_ended("SET discreet.epsilon = 1"));
  const std::string question =
      message('Q', zero_ended("SELECT clinic, COUNT(*) AS n FROM visits GROUP BY clinic"));
  for (int i = 0; i < 100; ++i) bytes += question;
  for (auto _ : state) {
    MadeUpDesk desk(catalog);
    Script client("ann", bytes);
    Conversation(client, desk, Waiting(), {}).run();
    benchmark::DoNotOptimize(client.written.size());
  }
  state.SetItemsProcessed(state.iterations() * 100);
}
BENCHMARK(conversation)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace discreet::server::pgwire
