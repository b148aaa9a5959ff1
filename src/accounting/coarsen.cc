// SPDX-License-Identifier: Apache-2.0
#include "accounting/coarsen.h"

#include <algorithm>
#include <cmath>
#include <compare>

#include "accounting/gaussian_dp.h"
#include "accounting/outward.h"

namespace discreet::accounting {
namespace {

constexpr double kFirst = 0.005;  // a little more than what the first ladder moves by

/// A mechanism's kind and parameters, to sort by. `steps` is only ever compared for equality.
struct Key {
  std::size_t kind;
  Rational first;
  Rational second;
  friend auto operator<=>(const Key&, const Key&) = default;
};

struct KeyOf {
  std::size_t kind;
  Key operator()(const Gaussian& m) const { return {kind, m.noise_multiplier, 0}; }
  Key operator()(const DiscreteGaussian& m) const { return {kind, m.noise_multiplier, 0}; }
  Key operator()(const Laplace& m) const { return {kind, m.epsilon, 0}; }
  Key operator()(const DiscreteLaplace& m) const {
    return {kind, m.epsilon, Rational(static_cast<std::int64_t>(m.steps))};
  }
  Key operator()(const Generic& m) const { return {kind, m.epsilon, m.delta}; }
  Key operator()(const Exponential& m) const { return {kind, m.epsilon, 0}; }
  Key operator()(const PermuteAndFlip& m) const { return {kind, m.epsilon, 0}; }
  Key operator()(const SubsampledGaussian& m) const { return {kind, m.noise_multiplier, m.q}; }
  Key operator()(const SubsampledLaplace& m) const { return {kind, m.epsilon, m.q}; }
};

struct SeesNobody {
  bool operator()(const SubsampledGaussian& m) const { return m.q.sign() == 0; }
  bool operator()(const SubsampledLaplace& m) const { return m.q.sign() == 0; }
  template <class Other>
  bool operator()(const Other&) const {
    return false;
  }
};

/// Moves numbers onto a ladder, to a named side. Its rungs are the powers of 1.005^(2^fold): those
/// of each ladder are among those of the finer ones.
class Ladder {
 public:
  Ladder(int fold, Round cost)
      : fold_(std::ldexp(1.0, fold)), log_base_(fold_ * std::log1p(kFirst)), cost_(cost) {}

  Rational larger(const Rational& x) const { return rung(x, 1); }
  Rational smaller(const Rational& x) const { return rung(x, -1); }
  /// A parameter that costs more when it is larger, or when it is smaller.
  Rational costly_up(const Rational& x) const {
    return cost_ == Round::kUp ? larger(x) : smaller(x);
  }
  Rational costly_down(const Rational& x) const {
    return cost_ == Round::kUp ? smaller(x) : larger(x);
  }

 private:
  Rational rung(const Rational& x, int side) const {
    if (x.sign() == 0) return x;
    const double power = std::log(x.to_double(Round::kDown)) / log_base_;
    double n = side > 0 ? std::ceil(power) : std::floor(power);
    // The rung is a double, and which side it lies on is decided exactly.
    for (int tries = 0; tries < 4; ++tries, n += side) {
      const Rational value = exactly(std::exp((n * fold_) * std::log1p(kFirst)));
      if (side > 0 ? value >= x : value <= x) return value;
    }
    return x;
  }

  double fold_;
  double log_base_;
  Round cost_;
};

struct Move {
  Ladder ladder;

  Mechanism operator()(const Gaussian& m) const { return Gaussian{noise(m.noise_multiplier)}; }
  Mechanism operator()(const DiscreteGaussian& m) const {
    return DiscreteGaussian{noise(m.noise_multiplier)};
  }
  Mechanism operator()(const Laplace& m) const { return Laplace{epsilon(m.epsilon)}; }
  Mechanism operator()(const DiscreteLaplace& m) const {
    return DiscreteLaplace{epsilon(m.epsilon), m.steps};
  }
  Mechanism operator()(const Generic& m) const {
    const Rational delta = ladder.costly_up(m.delta);
    return Generic{epsilon(m.epsilon), delta < 1 ? delta : m.delta};
  }
  Mechanism operator()(const Exponential& m) const { return Exponential{epsilon(m.epsilon)}; }
  Mechanism operator()(const PermuteAndFlip& m) const { return PermuteAndFlip{epsilon(m.epsilon)}; }
  Mechanism operator()(const SubsampledGaussian& m) const {
    return SubsampledGaussian{noise(m.noise_multiplier), share(m.q)};
  }
  Mechanism operator()(const SubsampledLaplace& m) const {
    return SubsampledLaplace{epsilon(m.epsilon), share(m.q)};
  }

  // Values outside the range that check() allows stay as they are.
  Rational noise(const Rational& x) const { return within(ladder.costly_down(x), x); }
  Rational epsilon(const Rational& x) const { return within(ladder.costly_up(x), x); }
  Rational share(const Rational& q) const { return std::min(Rational(1), ladder.costly_up(q)); }
  static Rational within(const Rational& moved, const Rational& x) {
    return moved >= power_of_two(-40) && moved <= power_of_two(40) ? moved : x;
  }
};

}  // namespace

std::vector<Use> merge_equal(const std::vector<Use>& uses) {
  std::vector<std::pair<Key, const Use*>> sorted;
  for (const Use& use : uses) {
    if (std::visit(SeesNobody{}, use.mechanism)) continue;
    sorted.emplace_back(std::visit(KeyOf{use.mechanism.index()}, use.mechanism), &use);
  }
  std::sort(sorted.begin(), sorted.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Use> out;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (i > 0 && sorted[i].first == sorted[i - 1].first) {
      out.back().count += sorted[i].second->count;
    } else {
      out.push_back(*sorted[i].second);
    }
  }
  return out;
}

std::vector<Use> one_gaussian(const std::vector<Use>& uses, Round cost) {
  std::vector<Use> out;
  std::vector<Use> gaussians;
  for (const Use& use : uses)
    (std::holds_alternative<Gaussian>(use.mechanism) ? gaussians : out).push_back(use);
  if (const auto all = GaussianDp::of(gaussians)) {
    const Bounds mu = all->mu();
    const Rational sigma = Rational(1) / exactly(cost == Round::kUp ? mu.upper : mu.lower);
    if (sigma < power_of_two(-40)) return uses;
    out.push_back({Gaussian{sigma}, 1});
  }
  return out;
}

Mechanism weakened(const Mechanism& mechanism, int fold) {
  return std::visit(Move{Ladder(fold, Round::kDown)}, mechanism);
}

std::vector<Use> coarsened(const std::vector<Use>& uses, Round cost, std::size_t distinct,
                           int fold_max) {
  std::vector<Use> out = merge_equal(uses);
  if (out.size() <= distinct) return out;
  out = one_gaussian(out, cost);
  // A longer list, which takes more rounds, is moved at least as far in every place.
  for (int fold = 0; out.size() > distinct && fold <= fold_max; ++fold) {
    const Ladder ladder(fold, cost);
    for (Use& use : out) use.mechanism = std::visit(Move{ladder}, use.mechanism);
    out = merge_equal(out);
  }
  return out;
}

}  // namespace discreet::accounting
