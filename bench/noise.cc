// SPDX-License-Identifier: Apache-2.0
// Exact noise, one thread, filling arrays of a million values. bench/noise.py sets the numbers
// beside other libraries'.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bench.h"
#include "random/gaussian.h"
#include "random/laplace.h"
#include "random/real_coin.h"
#include "random/rounded_gaussian.h"

namespace discreet::noise_bench {
namespace {

constexpr std::size_t kValues = 1000000;

random::SystemBits& system_bits() { return *random::SystemBits::this_thread().value(); }

// Runs `fill` on an array again and again; what it reads is counted by the source itself.
template <class T, class Fill>
void fill_arrays(benchmark::State& state, const Fill& fill) {
  random::SystemBits& bits = system_bits();
  std::vector<T> out(kValues);
  const std::uint64_t before = bits.bits_taken();
  for (auto _ : state) {
    fill(bits, std::span<T>(out));
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  const auto samples = static_cast<double>(state.iterations()) * kValues;
  state.SetItemsProcessed(static_cast<std::int64_t>(samples));
  state.counters["bits_per_sample"] = static_cast<double>(bits.bits_taken() - before) / samples;
}

void laplace(benchmark::State& state) {
  const auto noise = random::DiscreteLaplace::shared(Scale::of(Rational(state.range(0))).value());
  fill_arrays<std::int64_t>(state, [&](auto& bits, auto out) { noise->fill(bits, out); });
}

template <class Gaussian>
void gaussian(benchmark::State& state) {
  const std::int64_t sigma = state.range(0);
  const auto noise = Gaussian::shared(Variance::of(Rational(sigma * sigma)).value());
  fill_arrays<std::int64_t>(state, [&](auto& bits, auto out) { noise->fill(bits, out); });
}

// Building the tables, which happens once for each parameter.
void build_laplace(benchmark::State& state) {
  const Scale scale = Scale::of(Rational(state.range(0))).value();
  for (auto _ : state) benchmark::DoNotOptimize(random::DiscreteLaplace(scale));
}

template <class Gaussian>
void build_gaussian(benchmark::State& state) {
  const Variance variance = Variance::of(Rational(state.range(0) * state.range(0))).value();
  for (auto _ : state) benchmark::DoNotOptimize(Gaussian(variance));
}

// Flips a million answers, each with probability 1/(1 + e): the loop of
// mechanism::RandomizedResponses, which only the door may call.
void randomized_response(benchmark::State& state) {
  const random::RealCoin coin([](int precision) {
    const Interval one = Interval::around(1, precision);
    return one / (one + exp(one));
  });
  std::vector<std::uint8_t> answers(kValues);
  for (std::size_t i = 0; i < kValues; ++i) answers[i] = static_cast<std::uint8_t>(i % 3 == 0);
  fill_arrays<std::uint8_t>(state, [&](auto& bits, auto out) {
    bool is_tied = false;
    for (std::size_t done = 0; done < out.size();) {
      for (const std::uint64_t word : bits.take_words(out.size() - done)) {
        out[done] = static_cast<std::uint8_t>(answers[done] ^ std::uint8_t{word < coin.prefix()});
        is_tied |= word == coin.prefix();
        ++done;
      }
    }
    benchmark::DoNotOptimize(is_tied);
  });
}

void add(const char* name, void (*measure)(benchmark::State&), const char* parameter,
         std::initializer_list<std::int64_t> values) {
  auto* const added = benchmark::RegisterBenchmark(name, measure)->ArgName(parameter);
  for (const std::int64_t value : values) added->Arg(value);
}

int run(const bench::Words& words) {
  using random::DiscreteGaussian;
  using random::RoundedGaussian;
  add("laplace", laplace, "scale", {1, 10, 1000, 1000000});
  add("gaussian", gaussian<DiscreteGaussian>, "sigma", {1, 10, 1000});
  add("rounded_gaussian", gaussian<RoundedGaussian>, "sigma", {1, 10, 1000});
  add("randomized_response", randomized_response, "epsilon", {1});
  add("build_laplace", build_laplace, "scale", {1, 1000, std::int64_t{1} << 40});
  add("build_gaussian", build_gaussian<DiscreteGaussian>, "sigma", {1, 10, 1000});
  add("build_rounded_gaussian", build_gaussian<RoundedGaussian>, "sigma", {10, 1000});
  return bench::run_registered(words);
}

const bench::Benchmark kBenchmark("noise", run);

}  // namespace
}  // namespace discreet::noise_bench
