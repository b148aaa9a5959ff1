// SPDX-License-Identifier: Apache-2.0
// Timing: a sampler whose work grows with the noise tells the noise to whoever holds a clock.
#include <algorithm>
#include <chrono>
#include <cmath>

#include "audit/attack/scene.h"
#include "mechanism/laplace.h"
#include "random/reference.h"

namespace discreet::audit {
namespace {

/// One answer, and what was seen of its making.
struct Seen {
  int bit = 0;       ///< the truth, which the attacker wants
  Int128 value = 0;  ///< the answer
  double steps = 0;  ///< coins tossed, or bits read
  double time = 0;   ///< nanoseconds

  double noise() const { return std::abs(static_cast<double>(value - bit)); }
};
using Column = double Seen::*;

double nanoseconds_now() {
  return static_cast<double>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                 std::chrono::steady_clock::now().time_since_epoch())
                                 .count());
}

/// The lecture's sampler: a sign, and coins until the first success. Its work is its noise. The
/// coins are exact ones, Bernoulli(e^-epsilon) from rationals.
Seen coin_loop(int bit, const Rational& epsilon, SeededBits& bits) {
  const double q = std::exp(-epsilon.to_double(Round::kDown));
  Seen seen{.bit = bit, .steps = 1};
  const double start = nanoseconds_now();
  Int128 noise = 0;
  if (bits.unit() >= (1 - q) / (1 + q)) {  // else zero
    const bool negative = bits.take(1) == 1;
    noise = 1;
    seen.steps = 3;
    for (; random::reference_bernoulli_exp(epsilon, bits); ++noise) ++seen.steps;
    if (negative) noise = -noise;
  }
  seen.value = bit + noise;
  seen.time = nanoseconds_now() - start;
  return seen;
}

Seen by_tables(int bit, const mechanism::Laplace& ours, SeededBits& bits) {
  Seen seen{.bit = bit};
  const std::uint64_t before = bits.bits_taken();
  const double start = nanoseconds_now();
  seen.value = answer(ours, bit, bits);
  seen.time = nanoseconds_now() - start;
  seen.steps = static_cast<double>(bits.bits_taken() - before);
  return seen;
}

/// work = base + slope |noise|, by least squares, and Pearson's correlation.
struct Line {
  double base = 0;
  double slope = 0;
  double correlation = 0;
};
Line line_through(const std::vector<Seen>& seen, Column work) {
  double sx = 0, sy = 0, sxx = 0, syy = 0, sxy = 0;
  for (const Seen& one : seen) {
    const double x = one.noise();
    const double y = one.*work;
    sx += x;
    sy += y;
    sxx += x * x;
    syy += y * y;
    sxy += x * y;
  }
  const auto n = static_cast<double>(seen.size());
  const double vx = sxx - sx * sx / n;
  const double vy = syy - sy * sy / n;
  const double both = sxy - sx * sy / n;
  if (!(vx > 0) || !(vy > 0)) return {};
  return {(sy - both / vx * sx) / n, both / vx, both / std::sqrt(vx * vy)};
}

int guess_by_answer(const Seen& seen) { return seen.value > 0 ? 1 : 0; }

/// The count that fits: the work tells |noise|, the answer is the count plus or minus it.
int guess_by_work(const Seen& seen, const Line& line, Column work) {
  const double noise = (seen.*work - line.base) / line.slope;
  const auto v = static_cast<double>(seen.value);
  const double off_zero = std::abs(std::abs(v) - noise);
  const double off_one = std::abs(std::abs(v - 1) - noise);
  return off_one < off_zero ? 1 : 0;
}

/// The attacker rehearses on the first half, with noise of their own: how work and noise hang
/// together, and whether going by the work beats going by the answer. The second half counts.
struct Attacked {
  std::uint64_t right = 0;
  std::uint64_t all = 0;
  double correlation = 0;
  double slope = 0;
};
Attacked attack(const std::vector<Seen>& seen, Column work) {
  const auto middle = seen.begin() + static_cast<std::ptrdiff_t>(seen.size() / 2);
  std::vector<Seen> rehearsal(seen.begin(), middle);
  const std::vector<Seen> real(middle, seen.end());
  if (rehearsal.empty()) return {};
  // A clock is interrupted now and then: readings far above the usual ones teach nothing.
  std::vector<double> sorted;
  for (const Seen& one : rehearsal) sorted.push_back(one.*work);
  std::nth_element(sorted.begin(), sorted.begin() + sorted.size() / 2, sorted.end());
  const double most = 10 * sorted[sorted.size() / 2];
  std::erase_if(rehearsal, [&](const Seen& one) { return one.*work > most; });
  const Line line = line_through(rehearsal, work);
  const auto right = [&](const std::vector<Seen>& among, bool by_work) {
    return static_cast<std::uint64_t>(std::ranges::count_if(among, [&](const Seen& one) {
      return (by_work ? guess_by_work(one, line, work) : guess_by_answer(one)) == one.bit;
    }));
  };
  const bool by_work = line.slope > 0 && right(rehearsal, true) > right(rehearsal, false);
  return {right(real, by_work), real.size(), line.correlation, line.slope};
}

}  // namespace

Result<AttackRun> attack_timing(const AttackOptions& options) {
  const int trials = options.trials > 0 ? options.trials : 20000;
  if (trials < 100) {
    return invalid_input("the timing attack needs at least 100 trials; got " +
                         std::to_string(trials));
  }
  SeededBits coins(options.seed);
  // Wide noise, so that the loop is long: a tenth of the epsilon asked for.
  const Rational small = options.epsilon / Rational(10);
  if (small > 1) {
    return invalid_input("the timing attack needs an epsilon of at most 10; got " +
                         options.epsilon.to_string());
  }
  DISCREET_ASSIGN(const auto ours, noise_of(small));
  AttackRun run;
  run.exhibit.title = "Timing: the noise on the clock";
  std::vector<Seen> loop, tables;
  for (int i = 0; i < trials && !run.exhibit.partial; ++i) {
    const auto bit = static_cast<int>(coins.below(2));
    loop.push_back(coin_loop(bit, small, coins));
    tables.push_back(by_tables(bit, ours, coins));
    if (i % 1024 == 0) {
      if (options.progress) options.progress(static_cast<int>(1000LL * i / trials));
      run.exhibit.partial = options.stopped && options.stopped();
    }
  }
  struct View {
    const char* name;
    const std::vector<Seen>& seen;
    const char* what;
    Column work;
    bool is_ours;
  };
  report::Section set_up{
      .heading = "The set-up",
      .words = {"The count is 0 or 1. A sampler that tosses coins until the first success works "
                "as long as its noise is large: who can count its steps, or holds a clock, knows "
                "|noise|, and the answer gives the count. The kernel looks the noise up in tables: "
                "the same number of words whatever comes out. Noise of epsilon " +
                small.to_string() +
                ", so that the loop is long. The attacker rehearses on half of the trials and "
                "takes the better of two rules there: the work, or the answer alone."},
      .columns = {"sampler", "work", "its correlation with |noise|", "for each unit of noise"}};
  for (const View& line : {View{"coin loop", loop, "coins tossed", &Seen::steps, false},
                           View{"coin loop", loop, "nanoseconds", &Seen::time, false},
                           View{"discreet", tables, "bits read", &Seen::steps, true},
                           View{"discreet", tables, "nanoseconds", &Seen::time, true}}) {
    const Attacked attacked = attack(line.seen, line.work);
    const bool by_clock = line.work == &Seen::time;
    set_up.rows.push_back({report::Cell::words(line.name), report::Cell::words(line.what),
                           report::Cell::number(shown(attacked.correlation)),
                           report::Cell::number(shown(attacked.slope))});
    Measured one = measured(
        std::string(line.name) + (by_clock ? ", by the clock" : ", ") + (by_clock ? "" : line.what),
        attacked.right, attacked.all);
    one.ours = line.is_ours;
    one.chance = 0.5;
    if (line.is_ours) {
      one.limit = guess_limit(small);
    } else {
      one.beyond = guess_limit(small);
    }
    // What a clock sees of the loop is this machine's and its other work's affair.
    one.must_succeed = !by_clock;
    run.measured.push_back(std::move(one));
  }
  run.exhibit.sections.push_back(std::move(set_up));
  conclude(run,
           "What is released and what is seen of the work together must be epsilon-DP. Bits "
           "and look-ups do not depend on the noise (random/laplace.md), so the limit is the "
           "mechanism's own; the loop counts as broken beyond it only. The "
           "clock's lines are what this machine measured just now, cache misses included.");
  return run;
}

}  // namespace discreet::audit
