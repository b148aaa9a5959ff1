// SPDX-License-Identifier: Apache-2.0
#include "accounting/composition.h"

#include <algorithm>

#include "accounting/constants.h"
#include "accounting/conversion.h"
#include "accounting/outward.h"

namespace discreet::accounting {
namespace {

/// ln(1 + q (e^epsilon - 1)) rounded up.
Rational amplified(const Rational& epsilon, const Rational& q) {
  if (q.sign() == 0) return 0;
  if (q == 1) return epsilon;
  const Interval e = at(epsilon);
  const Interval out = epsilon < 1 ? log(at(1) + at(q) * expm1(e))
                                   : e + log(at(q) + at(Rational(1) - q) * exp(at(0) - e));
  return std::min(epsilon, exactly(up(out)));
}

struct GuaranteeOf {
  using Answer = std::optional<EpsilonDelta>;
  Answer operator()(const Gaussian&) const { return std::nullopt; }
  Answer operator()(const DiscreteGaussian&) const { return std::nullopt; }
  Answer operator()(const Laplace& m) const { return EpsilonDelta{m.epsilon, 0}; }
  Answer operator()(const DiscreteLaplace& m) const { return EpsilonDelta{m.epsilon, 0}; }
  Answer operator()(const Generic& m) const { return EpsilonDelta{m.epsilon, m.delta}; }
  Answer operator()(const Exponential& m) const { return EpsilonDelta{m.epsilon, 0}; }
  Answer operator()(const PermuteAndFlip& m) const { return EpsilonDelta{m.epsilon, 0}; }
  Answer operator()(const SubsampledGaussian& m) const {
    return m.q.sign() == 0 ? Answer(EpsilonDelta{0, 0}) : std::nullopt;
  }
  Answer operator()(const SubsampledLaplace& m) const {
    return EpsilonDelta{amplified(m.epsilon, m.q), 0};
  }
};

/// The sums that advanced composition is made of.
struct Sums {
  Interval squares = at(0);    // eps_i^2
  Interval drift = at(0);      // eps_i tanh(eps_i / 2)
  Interval old_drift = at(0);  // eps_i (e^eps_i - 1)
  Interval log_kept = at(0);   // ln of the product of (1 - delta_i)
};

std::optional<Sums> sums_of(const std::vector<Use>& uses) {
  Sums out;
  for (const Use& use : uses) {
    const std::optional<EpsilonDelta> one = guarantee_of(use.mechanism);
    if (!one) return std::nullopt;
    if (one->delta >= 1) return std::nullopt;
    const Interval count = at(Rational(static_cast<std::int64_t>(use.count)));
    const Interval e = at(one->epsilon);
    const Interval shrunk = at(0) - expm1(at(0) - e);  // 1 - e^-eps
    out.squares = out.squares + count * e * e;
    out.drift = out.drift + count * e * shrunk / (at(1) + exp(at(0) - e));
    out.old_drift = out.old_drift + count * e * expm1(e);
    if (one->delta.sign() > 0)
      out.log_kept = out.log_kept + count * log(at(Rational(1) - one->delta));
  }
  return out;
}

/// (delta - d) / (1 - d), rounded down; 0 if nothing is left. d = 1 - e^log_kept.
Rational slack(const Sums& sums, const Rational& delta) {
  // 1 - (1 - delta) / (1 - d).
  const double left = down(at(1) - at(Rational(1) - delta) * exp(at(0) - sums.log_kept));
  return left > 0 ? std::min(exactly(left), delta) : Rational(0);
}

double deviation(const Sums& sums, const Interval& drift, const Interval& logarithm) {
  return up(drift + sqrt(at(2) * logarithm * sums.squares));
}

}  // namespace

std::optional<EpsilonDelta> guarantee_of(const Mechanism& mechanism) {
  return std::visit(GuaranteeOf{}, mechanism);
}

std::optional<EpsilonDelta> basic(const std::vector<Use>& uses) {
  EpsilonDelta sum{0, 0};
  for (const Use& use : uses) {
    const std::optional<EpsilonDelta> one = guarantee_of(use.mechanism);
    if (!one) return std::nullopt;
    const Rational count(static_cast<std::int64_t>(use.count));
    sum.epsilon = add(sum.epsilon, one->epsilon * count, Round::kUp);
    sum.delta = add(sum.delta, one->delta * count, Round::kUp);
  }
  return sum;
}

std::optional<double> advanced_epsilon(const std::vector<Use>& uses, const Rational& delta) {
  const std::optional<Sums> sums = sums_of(uses);
  if (!sums) return std::nullopt;
  const Rational left = slack(*sums, delta);
  if (left.sign() == 0) return kInfinity;
  const Interval plain = at(0) - log(at(left));
  const Interval other = log(exp(at(1)) + sqrt(sums->squares) / at(left));
  return std::min({deviation(*sums, sums->old_drift, plain), deviation(*sums, sums->drift, plain),
                   deviation(*sums, sums->drift, other)});
}

std::optional<double> drv_epsilon(const std::vector<Use>& uses, const Rational& delta) {
  const std::optional<Sums> sums = sums_of(uses);
  if (!sums) return std::nullopt;
  const Rational left = slack(*sums, delta);
  if (left.sign() == 0) return kInfinity;
  return deviation(*sums, sums->old_drift, at(0) - log(at(left)));
}

EpsilonDelta group(const EpsilonDelta& one, std::uint64_t k) {
  DISCREET_CHECK(k >= 1);
  const Rational people(Integer(static_cast<unsigned long>(k)));
  EpsilonDelta out{one.epsilon * people, one.delta};
  if (one.delta.sign() == 0 || k == 1) return out;
  if (out.epsilon > Rational(1) / one.delta)
    return {out.epsilon, 1};  // e^x - 1 > x already says so
  const Interval factor =
      one.epsilon.sign() == 0 ? at(people) : expm1(at(out.epsilon)) / expm1(at(one.epsilon));
  const double delta = up(at(one.delta) * factor);
  out.delta = delta < 1 ? exactly(delta) : Rational(1);
  return out;
}

std::optional<Zcdp> group(const Zcdp& one, std::uint64_t k) {
  DISCREET_CHECK(k >= 1);
  if (one.delta.sign() > 0 && k > 1) return std::nullopt;
  const Rational people(Integer(static_cast<unsigned long>(k)));
  return Zcdp{one.rho * people * people, one.delta};
}

EpsilonDelta replace_one(const EpsilonDelta& add_remove) { return group(add_remove, 2); }
std::optional<Zcdp> replace_one(const Zcdp& add_remove) { return group(add_remove, 2); }

namespace {

/// The largest, or the two largest added.
Rational parallel_sum(std::vector<Rational> parts, Neighbours neighbours) {
  DISCREET_CHECK(!parts.empty());
  std::sort(parts.begin(), parts.end(), std::greater<>());
  if (neighbours == Neighbours::kAddRemove || parts.size() == 1) return parts[0];
  return parts[0] + parts[1];
}

}  // namespace

EpsilonDelta parallel(const std::vector<EpsilonDelta>& parts, Neighbours neighbours) {
  std::vector<Rational> epsilons;
  std::vector<Rational> deltas;
  for (const EpsilonDelta& part : parts) {
    epsilons.push_back(part.epsilon);
    deltas.push_back(part.delta);
  }
  return {parallel_sum(std::move(epsilons), neighbours),
          std::min(Rational(1), parallel_sum(std::move(deltas), neighbours))};
}

Zcdp parallel(const std::vector<Zcdp>& parts, Neighbours neighbours) {
  std::vector<Rational> rhos;
  std::vector<Rational> deltas;
  for (const Zcdp& part : parts) {
    rhos.push_back(part.rho);
    deltas.push_back(part.delta);
  }
  return {parallel_sum(std::move(rhos), neighbours), parallel_sum(std::move(deltas), neighbours)};
}

}  // namespace discreet::accounting
