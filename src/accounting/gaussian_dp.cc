// SPDX-License-Identifier: Apache-2.0
#include "accounting/gaussian_dp.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "accounting/outward.h"
#include "accounting/root.h"

namespace discreet::accounting {
namespace {

constexpr const char* kGaussianTheorem = "Gaussian DP, exact [BW18, DRS22]";

// From here on e^eps times the tail is taken as one number: the tail alone leaves even MPFR's range
// in the end.
// At 2^14 deviations e^eps and e^{-z^2/2} are still inside it: its exponents go to 2^30.
constexpr double kFar = 0x1p14;
// How near a guess must come, relatively.
constexpr double kRootNear = 1e-13;
// Answers have so many bits, and a guess may be so many rungs off before it is searched anew.
constexpr int kRungBits = 38;
constexpr int kRungsTried = 8;

Interval half(const Interval& x) { return x * at(Rational::ratio(1, 2)); }

struct MuSquared {
  std::optional<Rational> operator()(const Gaussian& m) const {
    return inverse_square(m.noise_multiplier);
  }
  std::optional<Rational> operator()(const SubsampledGaussian& m) const {
    if (m.q.sign() == 0) return Rational(0);
    if (m.q == 1) return inverse_square(m.noise_multiplier);
    return std::nullopt;
  }
  template <class Other>
  std::optional<Rational> operator()(const Other&) const {
    return std::nullopt;
  }
  static Rational inverse_square(const Rational& x) { return Rational(1) / (x * x); }
};

/// The doubles between `low` and `high` where a certified test turns from false to true, narrowed
/// to 13 digits: {last false, first true}.
template <class Test>
std::pair<double, double> turning_point(double low, double high, const Test& test) {
  while (high - low > 1e-13 * high) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) break;
    (test(middle) ? high : low) = middle;
  }
  return {low, high};
}

double log_delta_guess(double epsilon, double mu) {
  const long double a =
      (epsilon / static_cast<long double>(mu) - mu / 2.0L) * 0.70710678118654752440084436L;
  const long double b =
      (epsilon / static_cast<long double>(mu) + mu / 2.0L) * 0.70710678118654752440084436L;
  const long double delta =
      (std::erfc(a) - std::exp(static_cast<long double>(epsilon)) * std::erfc(b)) / 2;
  return delta > 0 ? static_cast<double>(std::log(delta)) : -1e9;
}

}  // namespace

GaussianDp::GaussianDp(Interval mu_squared)
    : mu_squared_(std::move(mu_squared)), mu_(sqrt(mu_squared_)) {}

GaussianDp GaussianDp::of_mu_squared(const Rational& mu_squared) {
  DISCREET_CHECK(mu_squared.sign() > 0);
  return GaussianDp(at(mu_squared));
}

std::optional<GaussianDp> GaussianDp::of(const std::vector<Use>& uses) {
  Interval sum = at(0);
  bool any = false;
  for (const Use& use : uses) {
    const std::optional<Rational> one = std::visit(MuSquared{}, use.mechanism);
    if (!one) return std::nullopt;
    any = any || one->sign() > 0;
    sum = sum + at(*one * Rational(static_cast<std::int64_t>(use.count)));
  }
  if (!any) return std::nullopt;
  return GaussianDp(sum);
}

Bounds GaussianDp::mu() const { return {down(mu_), up(mu_), kGaussianTheorem}; }

Bounds GaussianDp::delta_at(const Interval& epsilon) const {
  const Interval a = epsilon / mu_ - half(mu_);
  const Interval b = epsilon / mu_ + half(mu_);
  const Interval first = normal_tail(a);
  Bounds out{0, 1, kGaussianTheorem};
  if (down(b) < kFar) {
    const Interval second = exp(epsilon) * normal_tail(b);
    out.lower = down(first - second);
    out.upper = up(first - second);
  } else {
    // e^eps phi(b) = phi(a), and b/(b^2+1) <= tail(b)/phi(b) <= 1/b; likewise for the first tail's
    // phi(a).
    const Interval bell = exp(at(0) - half(a * a)) / sqrt(two_pi());
    out.lower = down(first - bell / b);
    out.upper = up(first - bell * b / (b * b + at(1)));
  }
  out.lower = std::clamp(out.lower, 0.0, 1.0);
  out.upper = std::clamp(out.upper, 0.0, 1.0);
  return out;
}

Bounds GaussianDp::delta(const Rational& epsilon) const {
  DISCREET_CHECK(epsilon.sign() >= 0);
  return delta_at(at(epsilon));
}

Bounds GaussianDp::epsilon(const Rational& delta) const {
  DISCREET_CHECK(delta.sign() > 0 && delta < 1);
  const double wanted_low = delta.to_double(Round::kDown);
  const double wanted_high = delta.to_double(Round::kUp);
  const auto surely_met = [&](double epsilon) { return delta_at(at(epsilon)).upper <= wanted_low; };
  const auto surely_missed = [&](double epsilon) {
    return delta_at(at(epsilon)).lower >= wanted_high;
  };
  if (surely_met(0)) return {0, 0, kGaussianTheorem};
  // delta(eps) <= Phi(-(eps/mu - mu/2)) <= exp(-(eps/mu - mu/2)^2 / 2), so mu^2/2 + mu sqrt(2
  // ln(1/delta)) is enough.
  const double enough = up(half(mu_squared_) + mu_ * sqrt(at(2) * log(at(1) / at(delta))));
  // The answers are the least rung that surely meets delta and the greatest that surely misses it.
  // There is one of each, so that the guess only saves time and the answers are monotone.
  const auto nearest = [](double x) {
    return std::ldexp(std::round(std::ldexp(x, kRungBits)), -kRungBits);
  };
  const auto moved = [&](double x, double rungs) {
    int exponent = 0;
    const double mantissa = std::frexp(x, &exponent);
    return std::ldexp(nearest(mantissa) + std::ldexp(rungs, -kRungBits), exponent);
  };
  const auto turn = [&](double start, const auto& met) {  // the least rung that is met
    double x = moved(start, 0);
    for (int i = 0; i < kRungsTried; ++i) {
      if (!met(x)) {
        x = moved(x, 1);
      } else if (!met(moved(x, -1))) {
        return x;
      } else {
        x = moved(x, -1);
      }
    }
    const double high = moved(turning_point(0, 2 * enough, met).second, 1);
    return met(moved(high, -1)) ? moved(high, -1) : high;
  };
  const double guess = falling_root(0, enough, kRootNear, [&](double epsilon) {
    return log_delta_guess(epsilon, up(mu_)) - std::log(wanted_low);
  });
  const double high = turn(guess, surely_met);
  const double low = moved(turn(high, [&](double e) { return !surely_missed(e); }), -1);
  return {std::max(0.0, std::min(low, high)), high, kGaussianTheorem};
}

Bounds GaussianDp::trade_off(const Rational& alpha) const {
  DISCREET_CHECK(alpha.sign() >= 0 && alpha <= 1);
  if (alpha.sign() == 0) return {1, 1, kGaussianTheorem};
  if (alpha == 1) return {0, 0, kGaussianTheorem};
  // z = Phi^-1(1 - alpha): the tail above z has mass alpha. By symmetry z is found for the smaller
  // of alpha and 1 - alpha.
  const bool mirrored = alpha > Rational::ratio(1, 2);
  const Rational small = mirrored ? Rational(1) - alpha : alpha;
  const double far = up(sqrt(at(2) * log(at(1) / at(small)))) + 1;
  const Interval mass = at(small);
  const double above = turning_point(0, far, [&](double z) {
                         return certainly_less(normal_tail(at(z)), mass);
                       }).second;
  const double below = turning_point(0, far, [&](double z) {
                         return !certainly_less(mass, normal_tail(at(z)));
                       }).first;
  const double z_low = mirrored ? -above : below;
  const double z_high = mirrored ? -below : above;
  // f = Phi(z - mu) grows with z.
  return {std::max(0.0, down(normal_tail(mu_ - at(z_low)))),
          std::min(1.0, up(normal_tail(mu_ - at(z_high)))), kGaussianTheorem};
}

GaussianDp GaussianDp::composed(const GaussianDp& other) const {
  return GaussianDp(mu_squared_ + other.mu_squared_);
}

GaussianDp GaussianDp::group(std::uint64_t k) const {
  const Rational people(Integer(static_cast<unsigned long>(k)));
  return GaussianDp(mu_squared_ * at(people * people));
}

}  // namespace discreet::accounting
