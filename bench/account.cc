// SPDX-License-Identifier: Apache-2.0
// The accountant on the anchors: how wide its certified bracket is, and how long it takes.
// bench/account.py sets the numbers beside other libraries'.
#include "accounting/account.h"

#include <string>
#include <vector>

#include "accounting/filter.h"
#include "bench.h"

namespace discreet::accounting::account_bench {
namespace {

Rational number(const char* text) { return Rational::parse(text).value(); }

void compose(benchmark::State& state, const std::vector<Use>& uses) {
  const Delta delta = Delta::parse("1e-6").value();
  Bounds bounds;
  for (auto _ : state) {
    bounds = epsilon_of(uses, delta);
    benchmark::ClobberMemory();
  }
  state.counters["upper"] = bounds.upper;
  state.counters["lower"] = bounds.lower;
}

// A budget with room for 2^40 charges, so that it never refuses.
void filter_charge(benchmark::State& state) {
  Filter filter = Filter::zcdp(number("1099511627776"), 0).value();
  const Price price = Filter::price(number("0.001")).value();
  for (auto _ : state) {
    benchmark::DoNotOptimize(filter.charge(price).has_value());
  }
  state.SetItemsProcessed(state.iterations());
}

int run(const bench::Words& words) {
  const auto anchor = [](const std::string& name, const std::vector<Use>& uses) {
    benchmark::RegisterBenchmark(name.c_str(), [uses](benchmark::State& state) {
      compose(state, uses);
    })->Unit(benchmark::kMillisecond);
  };
  anchor("1000 gaussians, sigma 100", {{Gaussian{100}, 1000}});
  anchor("1000 gaussians, sigma 1", {{Gaussian{1}, 1000}});
  anchor("10000 gaussians, sigma 100", {{Gaussian{100}, 10000}});
  anchor("10000 sampled gaussians, q 0.01, sigma 1",
         {{SubsampledGaussian{1, number("0.01")}, 10000}});
  anchor("500 laplace, epsilon 0.01 + 500 gaussians, sigma 100",
         {{Laplace{number("0.01")}, 500}, {Gaussian{100}, 500}});
  benchmark::RegisterBenchmark("filter charge", filter_charge);
  return bench::run_registered(words);
}

const bench::Benchmark kBenchmark("account", run);

}  // namespace
}  // namespace discreet::accounting::account_bench
