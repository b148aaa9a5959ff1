// SPDX-License-Identifier: Apache-2.0
// Exact noise, one thread, filling arrays of a million values. bench/noise.py sets the numbers
// beside other libraries'.
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "random/gaussian.h"
#include "random/laplace.h"
#include "random/real_coin.h"
#include "random/rounded_gaussian.h"

namespace discreet {
namespace {

constexpr std::size_t kValues = 1000000;

random::SystemBits& system_bits() { return *random::SystemBits::this_thread().value(); }

// Runs `fill` on an array again and again; what it reads is counted by the source itself.
template <class T, class Fill>
void run(benchmark::State& state, double entropy_bits, const Fill& fill) {
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
  state.counters["entropy_bits"] = entropy_bits;
}

// Shannon entropy of weights e^-loss(z) on the integers.
template <class Loss>
double entropy_of(std::int64_t reach, const Loss& loss) {
  double total = 0;
  double mean = 0;
  for (std::int64_t z = -reach; z <= reach; ++z) {
    const double nats = loss(static_cast<double>(z));
    total += std::exp(-nats);
    mean += nats * std::exp(-nats);
  }
  return (std::log(total) + mean / total) / std::log(2.0);
}

void laplace(benchmark::State& state) {
  const std::int64_t scale = state.range(0);
  const auto noise = random::DiscreteLaplace::shared(Scale::of(Rational(scale)).value());
  const double s = static_cast<double>(scale);
  run<std::int64_t>(state, entropy_of(50 * scale, [&](double z) { return std::abs(z) / s; }),
                    [&](auto& bits, auto out) { noise->fill(bits, out); });
}

template <class Gaussian>
void gaussian(benchmark::State& state) {
  const std::int64_t sigma = state.range(0);
  const auto noise = Gaussian::shared(Variance::of(Rational(sigma * sigma)).value());
  const double s = static_cast<double>(sigma);
  run<std::int64_t>(state, entropy_of(20 * sigma, [&](double z) { return z * z / (2 * s * s); }),
                    [&](auto& bits, auto out) { noise->fill(bits, out); });
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
  const double p = 1 / (1 + std::exp(1.0));
  const double entropy = -(p * std::log2(p) + (1 - p) * std::log2(1 - p));
  run<std::uint8_t>(state, entropy, [&](auto& bits, auto out) {
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

using random::DiscreteGaussian;
using random::RoundedGaussian;

// clang-format off
BENCHMARK(laplace)->Name("laplace")->ArgName("scale")->Arg(1)->Arg(10)->Arg(1000)->Arg(1000000);
BENCHMARK(gaussian<DiscreteGaussian>)->Name("gaussian")->ArgName("sigma")->Arg(1)->Arg(10)->Arg(1000);
BENCHMARK(gaussian<RoundedGaussian>)->Name("rounded_gaussian")->ArgName("sigma")->Arg(1)->Arg(10)->Arg(1000);
BENCHMARK(randomized_response)->Name("randomized_response")->ArgName("epsilon")->Arg(1);
BENCHMARK(build_laplace)->Name("build_laplace")->ArgName("scale")->Arg(1)->Arg(1000)->Arg(std::int64_t{1} << 40);
BENCHMARK(build_gaussian<DiscreteGaussian>)->Name("build_gaussian")->ArgName("sigma")->Arg(1)->Arg(10)->Arg(1000);
BENCHMARK(build_gaussian<RoundedGaussian>)->Name("build_rounded_gaussian")->ArgName("sigma")->Arg(10)->Arg(1000);
// clang-format on

}  // namespace
}  // namespace discreet
