// SPDX-License-Identifier: Apache-2.0
#include "accounting/shuffle.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "accounting/binomial.h"
#include "accounting/outward.h"
#include "accounting/root.h"

namespace discreet::accounting {
namespace {

constexpr const char* kClones = "amplification by shuffling, clones [FMT21]";
constexpr const char* kResponses =
    "shuffled randomized responses [clones of probability 2/(e^epsilon0 + 1)]";

// Numbers of clones within this part of each other are taken together; clones less probable than
// kNegligible count in full.
constexpr double kBlock = 2e-4;
constexpr double kNegligible = 1e-32;
// For so few people all that the others may hold is tried.
constexpr std::uint64_t kFew = 100;
// Covers the rounding of up to 10^6 sums of positive numbers.
constexpr double kSums = 0x1p-30;

/// What one person's report shows, before the others hide it: at the threshold,
///   delta = a Pr[X = t-1] - (e^eps - 1) Pr[X >= t],   a = (e^e0 - e^eps) / (e^e0 + 1),
/// where the best t is the least x whose ratio Pr[x-1]/Pr[x] exceeds kappa = (e^{e0+eps} - 1) /
/// (e^e0 - e^eps).
class Report {
 public:
  Report(const Rational& epsilon0, const Rational& epsilon) {
    const Interval e0 = exp(at(epsilon0));
    const Interval gap = e0 - exp(at(epsilon));
    const Interval a = gap / (e0 + at(1));
    const Interval excess = expm1(at(epsilon));
    a_ = {down(a), up(a)};
    excess_ = {down(excess), up(excess)};
    const Interval kappa = expm1(at(epsilon0 + epsilon)) / gap;
    kappa_ = up(kappa);
  }

  /// The delta when the others contribute X ~ `others` = Bin(trials, odds/(1+odds)).
  MassBracket delta(const Binomial& others, std::uint64_t trials, double odds) const {
    // Pr[x-1]/Pr[x] = x / ((trials + 1 - x) odds) > kappa. The threshold is right to within one, so
    // three are tried.
    const double scaled = kappa_ * odds;
    const double share = std::isinf(scaled) ? 1 : scaled / (1 + scaled);
    const double guess = std::min(std::floor(share * (static_cast<double>(trials) + 1)) + 1,
                                  static_cast<double>(trials) + 1);
    MassBracket best;
    for (std::int64_t t = static_cast<std::int64_t>(guess) - 1;
         t <= static_cast<std::int64_t>(guess) + 1; ++t) {
      const MassBracket mass = others.at(t - 1);
      const MassBracket tail = others.from(t);
      best.low = std::max(best.low, (a_.low * mass.low - excess_.high * tail.high) * (1 - 0x1p-50));
      best.high =
          std::max(best.high, (a_.high * mass.high - excess_.low * tail.low) * (1 + 0x1p-50));
    }
    best.high = std::min(best.high, a_.high);
    return best;
  }

 private:
  MassBracket a_;
  MassBracket excess_;
  double kappa_ = 0;
};

/// E over C ~ Bin(people - 1, odds) of the delta with C fair clones. That delta falls as C grows
/// (another fair clone is a post-processing), so neighbouring values of C are taken together: the
/// first bounds above, the last below.
Bounds clones_delta(const Shuffle& shuffle, double odds, const Rational& epsilon,
                    const char* theorem) {
  if (epsilon >= shuffle.epsilon0) return {0, 0, theorem};
  const Report report(shuffle.epsilon0, epsilon);
  const Binomial clones(shuffle.people - 1, odds);
  const auto of = [&](std::int64_t c) {
    const auto trials = static_cast<std::uint64_t>(c);
    return report.delta(Binomial(trials, 1), trials, 1);
  };
  Bounds out{0, clones.outside(), theorem};
  double pending = 0;  // the last block's mass, waiting for a delta below its own
  for (std::int64_t c = clones.first(); c <= clones.last();) {
    const auto width = static_cast<std::int64_t>(1 + kBlock * static_cast<double>(c));
    const std::int64_t end = std::min(c + width, clones.last() + 1);
    MassBracket mass;
    for (std::int64_t i = c; i < end; ++i) {
      const MassBracket one = clones.at(i);
      mass.low += one.low;
      mass.high += one.high;
    }
    if (mass.high < kNegligible) {
      out.upper += mass.high;
      pending = 0;
    } else {
      const MassBracket here = of(c);
      out.upper += mass.high * here.high;
      out.lower += pending * here.low;
      pending = mass.low;
      if (width == 1) {
        out.lower += pending * here.low;
        pending = 0;
      }
    }
    c = end;
  }
  out.upper = std::min(1.0, out.upper * (1 + kSums));
  out.lower = std::min(out.lower * (1 - kSums), out.upper);
  return out;
}

/// What all others holding the same bit leave: their number of ones is Bin(people - 1, odds), odds
/// = e^-e0 (all zero) or e^e0 (all one).
double same_bits_delta(const Shuffle& shuffle, const Rational& epsilon) {
  if (epsilon >= shuffle.epsilon0) return 0;
  const Report report(shuffle.epsilon0, epsilon);
  double best = 0;
  for (const Rational& exponent : {-shuffle.epsilon0, shuffle.epsilon0}) {
    const double odds = up(exp(at(exponent)));
    const std::uint64_t others = shuffle.people - 1;
    best = std::max(best, report.delta(Binomial(others, odds), others, odds).low);
  }
  return best;
}

double clone_odds(const Shuffle& shuffle, int factor) {
  return down(at(factor) / expm1(at(shuffle.epsilon0)));
}

/// The epsilon at which `delta_at` passes delta, on both sides: guessed, moved outward and tested.
Bounds epsilon_by(const Shuffle& shuffle, const Rational& delta,
                  const std::function<Bounds(const Rational&)>& delta_at) {
  DISCREET_CHECK(delta.sign() > 0 && delta < 1);
  const double wanted_low = delta.to_double(Round::kDown);
  const double wanted_high = delta.to_double(Round::kUp);
  const double all = shuffle.epsilon0.to_double(Round::kUp);
  Bounds out = delta_at(0);
  if (out.upper <= wanted_low) return {0, 0, out.theorem};
  const auto guess = [&](double high, double Bounds::* side) {
    return falling_root(0, high, 1e-7, [&](double epsilon) {
      return std::log(std::max(delta_at(exactly(epsilon)).*side, 1e-300) / wanted_low);
    });
  };
  out.upper = guess(all, &Bounds::upper);
  for (double part = 1e-7; delta_at(exactly(out.upper)).upper > wanted_low; part *= 4) {
    out.upper = std::min(out.upper * (1 + part), all);  // at epsilon0 delta is 0
  }
  out.lower = std::min(guess(out.upper, &Bounds::lower), out.upper);
  for (double part = 1e-7; out.lower > 0 && delta_at(exactly(out.lower)).lower < wanted_high;
       part *= 4) {
    out.lower = part < 1 ? out.lower * (1 - part) : 0;
  }
  return out;
}

}  // namespace

Result<void> check(const Shuffle& shuffle) {
  if (shuffle.people < 2 || shuffle.people > 1'000'000'000) {
    return invalid_input("the number of people must be from 2 to 1000000000; got " +
                         std::to_string(shuffle.people));
  }
  if (shuffle.epsilon0 < power_of_two(-40) || shuffle.epsilon0 > power_of_two(10)) {
    return invalid_input("the local epsilon must be between 2^-40 and 2^10; got " +
                         in_quotes(shuffle.epsilon0.to_string()));
  }
  return {};
}

double shuffled_epsilon_closed(const Shuffle& shuffle, const Rational& delta) {
  DISCREET_CHECK(delta.sign() > 0 && delta < 1);
  const double local = shuffle.epsilon0.to_double(Round::kUp);
  const Interval n = at(Rational(static_cast<std::int64_t>(shuffle.people)));
  const Interval e0 = exp(at(shuffle.epsilon0));
  const Interval logarithm = log(at(4) / at(delta));
  if (!certainly_less(at(shuffle.epsilon0), log(n / (at(16) * logarithm)))) return local;
  const Interval inner = at(8) * sqrt(e0 * logarithm / n) + at(8) * e0 / n;
  return std::min(local, up(log(at(1) + (e0 - at(1)) / (e0 + at(1)) * inner)));
}

Bounds shuffled_delta(const Shuffle& shuffle, const Rational& epsilon) {
  return clones_delta(shuffle, clone_odds(shuffle, 1), epsilon, kClones);
}

Bounds shuffled_epsilon(const Shuffle& shuffle, const Rational& delta) {
  return epsilon_by(shuffle, delta,
                    [&](const Rational& epsilon) { return shuffled_delta(shuffle, epsilon); });
}

Bounds shuffled_response_delta(const Shuffle& shuffle, const Rational& epsilon) {
  if (shuffle.people <= kFew) {
    Bounds out{0, 0, "shuffled randomized responses, exact"};
    for (std::uint64_t ones = 0; 2 * ones <= shuffle.people; ++ones) {  // the rest by symmetry
      const Bounds one =
          shuffled_response_delta_at(shuffle, std::min(ones, shuffle.people - 1), epsilon);
      out.lower = std::max(out.lower, one.lower);
      out.upper = std::max(out.upper, one.upper);
    }
    return out;
  }
  Bounds out = clones_delta(shuffle, clone_odds(shuffle, 2), epsilon, kResponses);
  out.lower = std::min(out.upper, same_bits_delta(shuffle, epsilon));
  return out;
}

Bounds shuffled_response_epsilon(const Shuffle& shuffle, const Rational& delta) {
  return epsilon_by(shuffle, delta, [&](const Rational& epsilon) {
    return shuffled_response_delta(shuffle, epsilon);
  });
}

Bounds shuffled_response_delta_at(const Shuffle& shuffle, std::uint64_t ones,
                                  const Rational& epsilon) {
  DISCREET_CHECK(shuffle.people <= 100'000 && ones < shuffle.people);
  const std::uint64_t zeros = shuffle.people - 1 - ones;
  const Binomial from_ones(ones, up(exp(at(shuffle.epsilon0))));
  const Binomial from_zeros(zeros, up(exp(at(-shuffle.epsilon0))));
  // The others' number of ones.
  const std::int64_t first = from_ones.first() + from_zeros.first();
  std::vector<MassBracket> others(
      static_cast<std::size_t>(from_ones.last() + from_zeros.last() - first + 1));
  for (std::int64_t i = from_ones.first(); i <= from_ones.last(); ++i) {
    const MassBracket a = from_ones.at(i);
    for (std::int64_t j = from_zeros.first(); j <= from_zeros.last(); ++j) {
      const MassBracket b = from_zeros.at(j);
      MassBracket& sum = others[static_cast<std::size_t>(i + j - first)];
      sum.low += a.low * b.low;
      sum.high += a.high * b.high;
    }
  }
  const Interval e0 = exp(at(shuffle.epsilon0));
  const Interval keep = e0 / (e0 + at(1));
  const Interval flip = at(1) / (e0 + at(1));
  const Interval factor = exp(at(epsilon));
  const MassBracket weights[2] = {{down(keep), up(keep)}, {down(flip), up(flip)}};
  const double more = 1 + 0x1p-30;  // up to 10^5 sums of rounded products, many times over
  Bounds out{0, 0, "shuffled randomized responses, exact"};
  for (const int own : {0, 1}) {  // the person's bit under P is `own`; x = others + report
    const double outside = from_ones.outside() + from_zeros.outside();
    double low = 0;
    double high = outside;
    for (std::size_t x = 0; x <= others.size(); ++x) {
      const MassBracket with = x > 0 ? others[x - 1] : MassBracket{};             // the report is 1
      const MassBracket without = x < others.size() ? others[x] : MassBracket{};  // the report is 0
      const MassBracket& one = weights[own == 1 ? 0 : 1];
      const MassBracket& zero = weights[own == 1 ? 1 : 0];
      const MassBracket p{(one.low * with.low + zero.low * without.low) / more,
                          (one.high * with.high + zero.high * without.high) * more};
      const MassBracket q{(zero.low * with.low + one.low * without.low) / more,
                          (zero.high * with.high + one.high * without.high) * more};
      high += std::max(0.0, p.high - down(factor) * q.low);
      low += std::max(0.0, p.low - up(factor) * q.high);
    }
    // What lies outside may carry mass of Q too.
    out.lower = std::max(out.lower, low / more - up(factor) * outside);
    out.upper = std::max(out.upper, std::min(1.0, high * more));
  }
  out.lower = std::max(0.0, out.lower);
  return out;
}

}  // namespace discreet::accounting
