// SPDX-License-Identifier: Apache-2.0
// Every function here returns an upper bound on A - 1 = e^{(alpha-1) tau} - 1, as a sum of products
// of positive numbers, so that the relative error stays a few units in the last place however small
// A - 1 is.
//
// Rounding. u = 2^-53; the C library's exp, expm1, log1p are within 16 u (as in loss.cc), and long
// double is no coarser than double. Exponents are at most kExponentMax in size, so that an
// exponent's own error of 4u moves its power by less than 2^-37. All other operations on the way to
// one number are fewer than 10^4. So factor kMargin = 1 + 2^-32 covers everything.
#include "accounting/renyi_curves.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "accounting/constants.h"
#include "accounting/outward.h"

namespace discreet::accounting {
namespace {

constexpr long double kMargin = 1 + 0x1p-32L;
constexpr long double kExponentMax = 11000;
constexpr long double kTiny = std::numeric_limits<long double>::min() * 0x1p64L;
// Whole orders up to this one get the exact sum for samples; it has as many terms as the order.
constexpr int kSumOrderMax = 1024;

using Excess = std::function<long double(double order)>;

/// e^x - 1; infinite for x that is too large.
long double excess_of_exponent(long double x) {
  return x <= kExponentMax ? std::expm1(x) : kInfinity;
}

/// (e^x - 1 - x) / x^2, for |x| <= kExponentMax.
long double second_remainder(long double x) {
  if (std::fabs(x) > 0.5L) return (std::expm1(x) - x) / (x * x);
  // 1/2! + x/3! + x^2/4! + ...: 20 terms leave less than 2^-90 of it.
  long double sum = 0;
  for (int n = 21; n >= 2; --n) sum = (sum * x + 1) / n;
  return sum;
}

/// Randomized response: A - 1 = (1 - e^{-alpha eps}) (e^{(alpha-1) eps} - 1) / (1 + e^-eps).
long double pure_excess(long double epsilon, long double order) {
  const long double growth = excess_of_exponent((order - 1) * epsilon);
  if (std::isinf(growth)) return growth;
  return -std::expm1(-order * epsilon) * growth / (1 + std::exp(-epsilon));
}

/// A - 1 = alpha (alpha-1) eps^2 ((alpha-1) g((alpha-1) eps) + alpha g(-alpha eps)) / (2 alpha - 1)
/// with g = second_remainder.
long double laplace_excess(long double epsilon, long double order) {
  if (order * epsilon > kExponentMax) return kInfinity;
  const long double inner = (order - 1) * second_remainder((order - 1) * epsilon) +
                            order * second_remainder(-order * epsilon);
  return order * (order - 1) * epsilon * epsilon * inner / (2 * order - 1);
}

/// tau from A - 1, rounded up.
double tau_of(long double excess, double order) {
  if (!(excess < std::numeric_limits<long double>::infinity())) return kInfinity;
  const long double tau =
      std::log1p(excess * kMargin) * kMargin / (static_cast<long double>(order) - 1);
  return std::nextafter(static_cast<double>(tau), kInfinity);
}

/// tau of a mechanism that is epsilon-DP besides: the divergence of infinite order bounds all.
std::vector<double> curve(const Excess& excess, double epsilon, std::span<const double> orders) {
  std::vector<double> out;
  for (const double order : orders) out.push_back(std::min(epsilon, tau_of(excess(order), order)));
  return out;
}

/// tau(alpha) = rho alpha.
std::vector<double> line_at(const Rational& rho, std::span<const double> orders) {
  const double slope = rho.to_double(Round::kUp);
  std::vector<double> out;
  for (const double order : orders) out.push_back(multiply_up(slope, order));
  return out;
}

/// With both differences of the geometric series taken by expm1, so that nothing cancels;
/// intervals, because A - 1 is a difference.
std::vector<double> discrete_laplace_curve(const DiscreteLaplace& m,
                                           std::span<const double> orders) {
  const Interval e = at(m.epsilon);
  const Rational unit = m.epsilon / Rational(static_cast<std::int64_t>(m.steps));
  const Interval gap = at(0) - expm1(at(0) - at(unit));  // 1 - r, with r = e^-unit
  const Interval norm = at(1) + exp(at(0) - at(unit));
  std::vector<double> out;
  for (const double order : orders) {
    const Interval exponent =
        at(2) * at(order) - at(1);  // of t = e^{-unit (2 alpha - 1)}, the series' ratio
    Interval scaled = at(1) + exp(at(0) - exponent * e);
    const Interval all =
        expm1(at(0) - exponent * at(unit * Rational(static_cast<std::int64_t>(m.steps) - 1)));
    const Interval one = expm1(at(0) - exponent * at(unit));
    scaled = scaled + gap * exp(at(0) - exponent * at(unit)) * (all / one);
    const Interval less_one = at(order) - at(1);
    out.push_back(std::max(0.0, up(e + log(scaled / norm) / less_one)));
  }
  return out;
}

/// The sampled sums at whole orders. A weight is a product of at most 3 * 1024 rounded factors, two
/// of which come from q, to powers up to 1024; weights are kept above kTiny, so that none is lost
/// to underflow.
class SampledSums {
 public:
  SampledSums(Excess base, const Rational& q)
      : base_(std::move(base)),
        odds_((q / (Rational(1) - q)).to_double(Round::kUp)),
        log_miss_(std::log1p(-static_cast<long double>(q.to_double(Round::kDown)))) {}

  /// sum_{k=2..order} C(order,k) (1-q)^{order-k} q^k (A_k - 1).
  long double excess(int order) {
    for (int k = static_cast<int>(excess_.size()) + 2; k <= order; ++k) excess_.push_back(base_(k));
    if (order * log_miss_ < -kExponentMax) return kInfinity;
    long double weight = std::exp(order * log_miss_);  // of k = 0: (1-q)^order
    long double sum = 0;
    for (int k = 1; k <= order; ++k) {
      weight = std::max(kTiny, weight * odds_ * static_cast<long double>(order - k + 1) / k);
      if (k >= 2) sum += weight * excess_[static_cast<std::size_t>(k) - 2];
    }
    return sum;
  }

 private:
  Excess base_;
  long double odds_;
  long double log_miss_;
  std::vector<long double> excess_;  // A_k - 1 for k = 2, 3, ...
};

/// `whole` is the curve without sampling; `base` its A - 1.
std::vector<double> sampled(const Excess& base, const std::vector<double>& whole, const Rational& q,
                            std::span<const double> orders) {
  if (q.sign() == 0) return std::vector<double>(orders.size(), 0.0);
  if (q == 1) return whole;
  std::vector<double> out = whole;  // sampling never costs more
  SampledSums sums(base, q);
  const long double share = q.to_double(Round::kUp);
  for (std::size_t i = 0; i < orders.size(); ++i) {
    out[i] = std::min(out[i], tau_of(share * base(orders[i]), orders[i]));
    const int order = static_cast<int>(std::min(orders[i], 1e6));
    if (order == orders[i] && order <= kSumOrderMax)
      out[i] = std::min(out[i], tau_of(sums.excess(order), orders[i]));
  }
  // Divergences grow with the order: what holds at an order holds below it.
  for (std::size_t i = orders.size() - 1; i-- > 0;) out[i] = std::min(out[i], out[i + 1]);
  return out;
}

struct CurveOf {
  std::span<const double> orders;

  std::vector<double> operator()(const Gaussian& m) const {
    return line_at(rho(m.noise_multiplier), orders);
  }
  std::vector<double> operator()(const DiscreteGaussian& m) const {
    return line_at(rho(m.noise_multiplier), orders);
  }
  std::vector<double> operator()(const Laplace& m) const {
    const double epsilon = m.epsilon.to_double(Round::kUp);
    return curve([=](double order) { return laplace_excess(epsilon, order); }, epsilon, orders);
  }
  std::vector<double> operator()(const DiscreteLaplace& m) const {
    return m.steps == 1 ? pure(m.epsilon) : discrete_laplace_curve(m, orders);
  }
  std::vector<double> operator()(const Generic& m) const { return pure(m.epsilon); }
  std::vector<double> operator()(const PermuteAndFlip& m) const { return pure(m.epsilon); }
  std::vector<double> operator()(const Exponential& m) const {
    std::vector<double> out = pure(m.epsilon);
    const std::vector<double> bounded_range = line_at(m.epsilon * m.epsilon / Rational(8), orders);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = std::min(out[i], bounded_range[i]);
    return out;
  }
  std::vector<double> operator()(const SubsampledGaussian& m) const {
    const long double slope = rho(m.noise_multiplier).to_double(Round::kUp);
    const Excess base = [=](double order) {
      return excess_of_exponent(slope * order * (order - 1));
    };
    return sampled(base, line_at(rho(m.noise_multiplier), orders), m.q, orders);
  }
  std::vector<double> operator()(const SubsampledLaplace& m) const {
    const double epsilon = m.epsilon.to_double(Round::kUp);
    const Excess base = [=](double order) { return laplace_excess(epsilon, order); };
    return sampled(base, curve(base, epsilon, orders), m.q, orders);
  }

  static Rational rho(const Rational& multiplier) {
    return Rational(1) / (Rational(2) * multiplier * multiplier);
  }
  std::vector<double> pure(const Rational& exact) const {
    const double epsilon = exact.to_double(Round::kUp);
    return curve([=](double order) { return pure_excess(epsilon, order); }, epsilon, orders);
  }
};

}  // namespace

std::vector<double> renyi_curve(const Mechanism& mechanism, std::span<const double> orders) {
  return std::visit(CurveOf{orders}, mechanism);
}

}  // namespace discreet::accounting
