// SPDX-License-Identifier: Apache-2.0
#include "accounting/calibrate.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "accounting/outward.h"
#include "accounting/root.h"

namespace discreet::accounting {
namespace {

constexpr double kNoiseMin = 0x1p-40;
constexpr double kNoiseMax = 0x1p40;
constexpr double kNear = 2e-6;

using UsesAt = std::function<std::vector<Use>(const Rational& noise)>;

/// A decimal of 8 digits that is at least x: noise is for people to write down.
Rational tidy_up(double x) {
  const double digits = std::floor(std::log10(x)) - 7;
  const Rational unit = digits >= 0 ? exactly(std::pow(10.0, digits))
                                    : Rational(1) / exactly(std::pow(10.0, -digits));
  return Rational((exactly(x) / unit).ceil()) * unit;
}

Error unreachable(const Target& target) {
  return invalid_input("no noise up to 2^40 gives epsilon " + target.epsilon.to_string() +
                       " at delta " + target.delta.to_string() +
                       " by this notion; raise epsilon or delta, or choose another notion");
}

/// The least noise whose certified epsilon meets the target, by bisection on a logarithmic scale.
Result<Calibrated> least_noise(const Target& target, Notion notion, const UsesAt& uses_at) {
  if (target.epsilon.sign() < 0)
    return invalid_input("epsilon must not be negative; got " +
                         in_quotes(target.epsilon.to_string()));
  DISCREET_TRY(check(uses_at(Rational(1))));
  const double wanted = target.epsilon.to_double(Round::kDown);
  const auto epsilon = [&](const Rational& noise) {
    return epsilon_of(uses_at(noise), target.delta, notion);
  };
  const auto meets = [&](double noise) { return epsilon(exactly(noise)).upper <= wanted; };
  double high = 1;
  double low = 1;
  if (meets(1)) {
    while (low > kNoiseMin && meets(low)) {
      high = low;
      low = std::max(kNoiseMin, low / 4);
    }
  } else {
    while (!meets(high)) {
      if (high >= kNoiseMax) return unreachable(target);
      low = high;
      high = std::min(kNoiseMax, high * 4);
    }
  }
  if (high > low) {
    const double guess =
        falling_root(std::log(low), std::log(high), kNear / 32, [&](double log_noise) {
          const double ratio = epsilon(exactly(std::exp(log_noise))).upper / wanted;
          return std::log(std::clamp(ratio, 1e-3, 1e3));
        });
    for (double part = kNear / 2; part < 1; part *= 2) {
      const double tried = std::exp(guess) * (1 + part);
      if (tried >= high) break;
      if (!meets(tried)) continue;
      high = tried;
      break;
    }
  }
  // More noise costs less, but a bound need not be monotone to the last digit: the tidy number is
  // tested again.
  for (const Rational& noise : {tidy_up(high), tidy_up(high * (1 + 1e-4)), exactly(high)}) {
    const Bounds bounds = epsilon(noise);
    if (bounds.upper <= wanted) return Calibrated{noise, bounds};
  }
  return Calibrated{exactly(high), epsilon(exactly(high))};
}

Result<void> check_width(const Rational& half_width) {
  if (half_width.sign() > 0) return {};
  return invalid_input("the error must be greater than 0; got " +
                       in_quotes(half_width.to_string()));
}

}  // namespace

Result<Calibrated> calibrate_gaussian(const Target& target, std::uint64_t count, Notion notion) {
  return least_noise(target, notion, [=](const Rational& noise) {
    return std::vector<Use>{{Gaussian{noise}, count}};
  });
}

Result<Calibrated> calibrate_laplace(const Target& target, std::uint64_t count, Notion notion) {
  return least_noise(target, notion, [=](const Rational& noise) {
    return std::vector<Use>{{Laplace{Rational(1) / noise}, count}};
  });
}

Result<Calibrated> calibrate_subsampled(const Target& target, std::uint64_t steps,
                                        const Rational& q, Notion notion) {
  return least_noise(target, notion, [&](const Rational& noise) {
    return std::vector<Use>{{SubsampledGaussian{noise, q}, steps}};
  });
}

Result<Rational> laplace_scale_for_error(const Rational& half_width, const Confidence& confidence) {
  DISCREET_TRY(check_width(half_width));
  // Pr[|Z| > w] = e^{-w/s} <= 1 - c.
  const double scale = down(at(half_width) / (at(0) - log(at(Rational(1) - confidence.value()))));
  if (!(scale > 0)) return invalid_input("the error is too small for any noise");
  return exactly(scale);
}

Result<Rational> gaussian_sigma_for_error(const Rational& half_width,
                                          const Confidence& confidence) {
  DISCREET_TRY(check_width(half_width));
  // Pr[|Z| > w] = 2 tail(w / sigma) <= 1 - c: bisect for the least z with 2 tail(z) <= 1 - c.
  const Interval wanted = at((Rational(1) - confidence.value()) / Rational(2));
  double low = 0;
  double high = up(sqrt(at(0) - at(2) * log(wanted))) + 1;
  while (high - low > 1e-13 * high) {
    const double middle = (low + high) / 2;
    if (middle <= low || middle >= high) break;
    (certainly_less(normal_tail(at(middle)), wanted) ? high : low) = middle;
  }
  const double sigma = down(at(half_width) / at(high));
  if (!(sigma > 0)) return invalid_input("the error is too small for any noise");
  return exactly(sigma);
}

}  // namespace discreet::accounting
