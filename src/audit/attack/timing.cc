// SPDX-License-Identifier: Apache-2.0
// Timing: a sampler whose work grows with the noise tells the noise to whoever holds a clock.
#include <chrono>
#include <cmath>

#include "audit/attack/scene.h"
#include "mechanism/laplace.h"

namespace discreet::audit {
namespace {

/// The lecture's sampler: a sign, and coins until the first success. Its work is its noise.
struct Loop {
  Int128 value;
  std::uint64_t coins;
};
Loop geometric_loop(Int128 x, double keep_on, SeededBits& bits) {
  std::uint64_t tossed = 1;
  // Zero with probability (1-q)/(1+q).
  if (bits.unit() < (1 - keep_on) / (1 + keep_on)) return {x, tossed};
  const bool negative = bits.take(1) == 1;
  Int128 size = 1;
  ++tossed;
  while (bits.unit() < keep_on) {
    ++size;
    ++tossed;
  }
  ++tossed;
  return {negative ? x - size : x + size, tossed};
}

/// Pearson's correlation.
double correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const auto n = static_cast<double>(a.size());
  double sa = 0, sb = 0, saa = 0, sbb = 0, sab = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sa += a[i];
    sb += b[i];
    saa += a[i] * a[i];
    sbb += b[i] * b[i];
    sab += a[i] * b[i];
  }
  const double va = saa - sa * sa / n;
  const double vb = sbb - sb * sb / n;
  return va <= 0 || vb <= 0 ? 0 : (sab - sa * sb / n) / std::sqrt(va * vb);
}

double nanoseconds_now() {
  return static_cast<double>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                 std::chrono::steady_clock::now().time_since_epoch())
                                 .count());
}

}  // namespace

Result<AttackRun> attack_timing(const AttackOptions& options) {
  const int trials = options.trials > 0 ? options.trials : 20000;
  SeededBits coins(options.seed);
  // Wide noise, so that the loop is long: a tenth of the epsilon asked for.
  const Rational small = options.epsilon / Rational(10);
  DISCREET_ASSIGN(const Epsilon epsilon, Epsilon::of(small));
  DISCREET_ASSIGN(const auto ours, mechanism::Laplace::make({.sensitivity = Sensitivity::trusted(1),
                                                             .epsilon = epsilon}));
  const double keep_on = std::exp(-small.to_double(Round::kDown));
  AttackRun run;
  run.exhibit.title = "Timing: the noise on the clock";
  std::uint64_t loop_right = 0;
  std::uint64_t ours_right = 0;
  std::vector<double> loop_noise, loop_work, our_noise, our_bits, our_time;
  int done = 0;
  for (; done < trials && !run.exhibit.partial; ++done) {
    const auto bit = static_cast<int>(coins.below(2));
    const Loop loop = geometric_loop(bit, keep_on, coins);
    // The work says |noise|; the answer then says the value, up to the sign that fits.
    const Int128 size = loop.coins == 1 ? 0 : static_cast<Int128>(loop.coins) - 2;
    const bool zero_fits = loop.value == size || loop.value == -size;
    const bool one_fits = loop.value - 1 == size || loop.value - 1 == -size;
    const int guess = zero_fits == one_fits ? static_cast<int>(coins.below(2)) : (one_fits ? 1 : 0);
    loop_right += guess == bit ? 1 : 0;
    loop_noise.push_back(std::abs(static_cast<double>(loop.value - bit)));
    loop_work.push_back(static_cast<double>(loop.coins));

    const std::uint64_t before = coins.bits_taken();
    const double start = nanoseconds_now();
    const Int128 released = answer(ours, bit, coins);
    our_time.push_back(nanoseconds_now() - start);
    our_bits.push_back(static_cast<double>(coins.bits_taken() - before));
    our_noise.push_back(std::abs(static_cast<double>(released - bit)));
    ours_right += (released > 0 ? 1 : 0) == bit ? 1 : 0;
    if (done % 1024 == 0) {
      if (options.progress) options.progress(static_cast<int>(1000LL * done / trials));
      run.exhibit.partial = options.stopped && options.stopped();
    }
  }
  const auto all = static_cast<std::uint64_t>(done);
  run.exhibit.sections.push_back(
      {.heading = "The set-up",
       .words = {"The count is 0 or 1. A sampler that tosses coins until the first success works "
                 "as long as its noise is large: who can count its steps knows |noise|, and the "
                 "answer gives the count. The kernel looks the noise up in tables: the same number "
                 "of words whatever comes out. Noise of epsilon " +
                 small.to_string() + ", so that the loop is long."},
       .columns = {"sampler", "correlation of |noise| with", "value"},
       .rows = {{report::Cell::words("coin loop"), report::Cell::words("coins tossed"),
                 report::Cell::number(shown(correlation(loop_noise, loop_work)))},
                {report::Cell::words("discreet"), report::Cell::words("bits read"),
                 report::Cell::number(shown(correlation(our_noise, our_bits)))},
                {report::Cell::words("discreet"), report::Cell::words("nanoseconds, this machine"),
                 report::Cell::number(shown(correlation(our_noise, our_time)))}}});
  run.measured = {measured("coin loop, steps counted", loop_right, all),
                  measured("discreet, bits counted", ours_right, all)};
  run.measured[0].chance = guess_limit(small);
  run.measured[1].chance = 0.5;
  run.measured[1].ours = true;
  run.measured[1].limit = guess_limit(small);
  conclude(run,
           "What is released and what is seen of the work together must be epsilon-DP. Bits "
           "and look-ups do not depend on the noise (random/laplace.md), so the limit is the "
           "mechanism's own; the loop is broken beyond it (`by chance` is that limit). The "
           "clock's line is what this machine measured just now, cache misses included.");
  return run;
}

}  // namespace discreet::audit
