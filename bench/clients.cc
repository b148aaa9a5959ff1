// SPDX-License-Identifier: Apache-2.0
// What clients are compared with: the server's own part of answering, from the bytes of messages to
// the bytes of rows; a question as a C++ call; noise for an array in C++. bench/clients.py measures
// the clients.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <vector>

#include "bench.h"
#include "cli/asking.h"
#include "cli/own_arrays.h"
#include "random/laplace.h"
#include "server/pgwire/script_for_tests.h"

namespace discreet::server::pgwire::clients_bench {
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

/// The median time of a question to the clinic in $DISCREET_CLINIC, each one new or all the same.
void question(benchmark::State& state) {
  const char* const folder = std::getenv("DISCREET_CLINIC");
  if (folder == nullptr) return state.SkipWithError("bench/clients.py names a clinic");
  cli::WorldArguments world;
  const std::string path = std::string(folder) + "/";
  world.where.policy = path + "policy.yaml";
  world.where.ledger = path + "ledger";
  world.where.key = path + "key";
  world.where.witness = path + "witness";
  const auto asking = cli::Asking::open(world, ledger::Access::kUse, {}).value();
  const bool is_new = state.range(0) == 1;
  std::vector<double> took;
  for (auto _ : state) {
    const std::string bound = is_new ? std::to_string(100 + took.size()) : "99";
    session::Request request;
    request.sql = "SELECT COUNT(*) AS n FROM visits WHERE cost < " + bound;
    request.options.epsilon = Epsilon::parse("0.01").value();
    const auto start = std::chrono::steady_clock::now();
    benchmark::DoNotOptimize(asking->session().ask(request).value());
    took.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
            .count());
  }
  std::nth_element(took.begin(), took.begin() + static_cast<std::ptrdiff_t>(took.size() / 2),
                   took.end());
  state.counters["median_ms"] = took[took.size() / 2];
}
/// How many numbers get noise.
std::size_t values_in_an_array() { return bench::sized<std::size_t>(10'000'000, 1'000); }

/// What Python does with an array of numpy's, to one of our own: noise where it lies.
void noise(benchmark::State& state) {
  std::vector<std::int64_t> values(values_in_an_array());
  const auto add = [&] {
    return cli::add_laplace(values, values, Sensitivity::of(Rational(state.range(0))).value(),
                            Epsilon::parse("1").value());
  };
  benchmark::DoNotOptimize(add().has_value());  // the table is made
  for (auto _ : state) {
    if (!add()) state.SkipWithError("no noise");
    benchmark::ClobberMemory();
  }
}

/// The sampler alone, which adds nothing and asks for no receipt.
void sampler(benchmark::State& state) {
  const auto laplace = random::DiscreteLaplace::shared(Scale::of(Rational(state.range(0))).value());
  random::SystemBits& bits = *random::SystemBits::this_thread().value();
  std::vector<std::int64_t> out(values_in_an_array());
  for (auto _ : state) {
    laplace->fill(bits, out);
    benchmark::ClobberMemory();
  }
}

int run(const bench::Words& words) {
  using benchmark::RegisterBenchmark;
  RegisterBenchmark("conversation", conversation)->Unit(benchmark::kMillisecond);
  RegisterBenchmark("question", question)->Arg(1)->Arg(0)->Iterations(bench::sized(300, 3));
  const auto on_arrays = [](const char* name, void (*measure)(benchmark::State&)) {
    auto* const added = RegisterBenchmark(name, measure)->Unit(benchmark::kMillisecond);
    added->Arg(1)->Arg(10)->Arg(1000)->Iterations(bench::sized(20, 1));
  };
  on_arrays("noise", noise);
  on_arrays("sampler", sampler);
  return bench::run_registered(words);
}

const bench::Benchmark kBenchmark("clients", run);

}  // namespace
}  // namespace discreet::server::pgwire::clients_bench
