// SPDX-License-Identifier: Apache-2.0
// Does the time of a Laplace draw tell whether the noise is small or large? A million draws are
// timed one by one with the cycle counter and split by |Z| into two classes; Welch's t compares
// their means, for all times and for the times below several percentiles (interrupts and refills
// make long tails). |t| >= 4.5 is a leak.
//
// The instrument is tested first: a sampler whose time grows with |Z| must be caught. Then whole
// answers of the server, on two databases that differ in one person (response_timing.h).
#include <x86intrin.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "random/laplace.h"
#include "response_timing.h"

namespace discreet {
namespace {

constexpr int kDraws = 1000000;
constexpr double kLimit = 4.5;
constexpr double kPercentiles[] = {0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1.0};

// Small, so that writing the record down disturbs the cache little.
struct Timed {
  std::uint32_t cycles;
  std::int32_t z;

  std::int32_t size() const { return std::abs(z); }
};

template <class Draw>
std::vector<Timed> time_draws(const Draw& draw) {
  std::vector<Timed> out;
  out.reserve(kDraws);
  for (int i = 0; i < kDraws / 10; ++i) draw();  // caches and branch predictors settle
  for (int i = 0; i < kDraws; ++i) {
    unsigned core = 0;
    _mm_lfence();
    const std::uint64_t start = __rdtsc();
    const Int128 z = draw();
    const std::uint64_t end = __rdtscp(&core);
    _mm_lfence();
    // |Z| is for later: nothing here may branch on it.
    out.push_back({static_cast<std::uint32_t>(end - start), static_cast<std::int32_t>(z)});
  }
  return out;
}

struct Moments {
  double count = 0;
  double mean = 0;
  double squares = 0;

  void add(double x) {
    count += 1;
    const double step = x - mean;
    mean += step / count;
    squares += step * (x - mean);
  }
  double variance() const { return squares / (count - 1); }
};

double welch(const Moments& a, const Moments& b) {
  const double error = a.variance() / a.count + b.variance() / b.count;
  return error > 0 ? (a.mean - b.mean) / std::sqrt(error) : 0;
}

// The largest |t| over the percentiles, the classes being |Z| up to its median and above.
double largest_t(const std::vector<Timed>& times) {
  std::vector<std::uint32_t> cycles;
  std::vector<std::int32_t> sizes;
  for (const Timed& timed : times) {
    cycles.push_back(timed.cycles);
    sizes.push_back(timed.size());
  }
  std::sort(cycles.begin(), cycles.end());
  std::sort(sizes.begin(), sizes.end());
  const std::int32_t median = sizes[sizes.size() / 2];
  double largest = 0;
  for (const double percentile : kPercentiles) {
    const auto last = static_cast<double>(cycles.size() - 1);
    const std::uint32_t limit = cycles[static_cast<std::size_t>(percentile * last)];
    Moments small;
    Moments large;
    for (const Timed& timed : times) {
      if (timed.cycles > limit) continue;
      (timed.size() <= median ? small : large).add(static_cast<double>(timed.cycles));
    }
    const double t = welch(small, large);
    std::printf("    below percentile %5.1f: mean %7.2f and %7.2f cycles, t = %6.2f\n",
                100 * percentile, small.mean, large.mean, t);
    largest = std::max(largest, std::abs(t));
  }
  return largest;
}

int run() {
  auto source = random::SystemBits::this_thread();
  if (!source) {
    std::fprintf(stderr, "%s\n", source.error().message.c_str());
    return describe(source.error().code).exit_status;
  }
  random::SystemBits& bits = *source.value();
  bool is_fine = true;

  std::printf("a planted leak (scale 10, one step of work for each unit of |Z|):\n");
  const auto leaky = random::DiscreteLaplace::shared(Scale::parse("10").value());
  const double planted = largest_t(time_draws([&] {
    const Int128 z = leaky->draw(bits);
    for (Int128 i = 0; i < (z < 0 ? -z : z); ++i) asm volatile("");
    return z;
  }));
  std::printf("  %s\n", planted >= kLimit ? "caught" : "NOT caught: the instrument is blind");
  is_fine = is_fine && planted >= kLimit;

  for (const char* scale : {"1", "10", "1000"}) {
    const auto noise = random::DiscreteLaplace::shared(Scale::parse(scale).value());
    std::printf("discrete Laplace, scale %s, small |Z| against large:\n", scale);
    const double t = largest_t(time_draws([&] { return noise->draw(bits); }));
    std::printf("  |t| = %.2f, limit %.1f: %s\n", t, kLimit, t < kLimit ? "fine" : "LEAK");
    is_fine = is_fine && t < kLimit;
  }
  return is_fine ? 0 : 1;
}

}  // namespace
}  // namespace discreet

int main() {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const int draws = discreet::run();
  return discreet::cli::time_responses(100) ? draws : 1;
}
