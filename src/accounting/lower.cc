// SPDX-License-Identifier: Apache-2.0
#include "accounting/lower.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "accounting/composition.h"
#include "accounting/gaussian_dp.h"
#include "accounting/loss_of.h"
#include "accounting/outward.h"

namespace discreet::accounting {
namespace {

// Sums over so many responses, and so many parts, are looked at: a lower bound may leave some out.
constexpr std::uint64_t kResponsesMax = 2000;
constexpr int kPartsMax = 64;
// Whoever reaches less far is bounded by its loss distribution.
constexpr double kLowerReachMax = 1000;
constexpr double kLowerTail = 1e-40;

std::vector<Use> gaussians(const std::vector<Use>& uses) {
  std::vector<Use> out;
  for (const Use& use : uses) {
    if (std::holds_alternative<Gaussian>(use.mechanism)) out.push_back(use);
  }
  return out;
}

/// The guarantee of a mechanism that is, at worst, exactly randomized response.
std::optional<EpsilonDelta> response(const Mechanism& mechanism) {
  if (const auto* m = std::get_if<Generic>(&mechanism)) return EpsilonDelta{m->epsilon, m->delta};
  if (const auto* m = std::get_if<DiscreteLaplace>(&mechanism); m != nullptr && m->steps == 1)
    return EpsilonDelta{m->epsilon, 0};
  return std::nullopt;
}

/// The greatest of what the parts say.
template <class OfGaussians, class OfResponses, class OfLaplace>
double greatest(const std::vector<Use>& uses, const OfGaussians& of_gaussians,
                const OfResponses& of_responses, const OfLaplace& of_laplace) {
  double out = 0;
  if (const auto all = GaussianDp::of(gaussians(uses))) out = std::max(out, of_gaussians(*all));
  int parts = 0;
  for (const Use& use : uses) {
    if (reach_of(use.mechanism, kLowerTail) <= kLowerReachMax) continue;
    if (const auto each = response(use.mechanism); each && ++parts <= kPartsMax) {
      out = std::max(out, of_responses(*each, std::min(use.count, kResponsesMax)));
    }
    if (const auto* m = std::get_if<Laplace>(&use.mechanism))
      out = std::max(out, of_laplace(m->epsilon));
  }
  return out;
}

struct AttainedEpsilon {
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();
  double operator()(const Laplace& m) const { return m.epsilon.to_double(Round::kDown); }
  double operator()(const DiscreteLaplace& m) const { return m.epsilon.to_double(Round::kDown); }
  double operator()(const Generic& m) const {
    return m.delta.sign() > 0 ? kInfinity : m.epsilon.to_double(Round::kDown);
  }
  // Two candidates whose scores swap show half of it.
  double operator()(const Exponential& m) const {
    return (m.epsilon / Rational(2)).to_double(Round::kDown);
  }
  double operator()(const PermuteAndFlip& m) const {
    return (m.epsilon / Rational(2)).to_double(Round::kDown);
  }
  double operator()(const SubsampledLaplace& m) const {
    if (m.q.sign() == 0) return 0;
    // ln(1 + q (e^eps - 1)) >= eps + ln q.
    const Interval simple =
        m.epsilon > 40 ? at(m.epsilon) + log(at(m.q)) : log(at(1) + at(m.q) * expm1(at(m.epsilon)));
    return std::max(0.0, down(simple));
  }
  double operator()(const SubsampledGaussian& m) const { return m.q.sign() == 0 ? 0 : kInfinity; }
  double operator()(const Gaussian&) const { return kInfinity; }
  double operator()(const DiscreteGaussian&) const { return kInfinity; }
};

/// ln of the probability that no giveaway happens: with probability delta_i the i-th worst
/// mechanism tells all.
Interval log_nothing_given(const std::vector<Use>& uses) {
  Interval sum = at(0);
  for (const Use& use : uses) {
    if (const auto* m = std::get_if<Generic>(&use.mechanism); m != nullptr && m->delta.sign() > 0) {
      sum = sum +
            at(Rational(static_cast<std::int64_t>(use.count))) * log(at(Rational(1) - m->delta));
    }
  }
  return sum;
}

}  // namespace

double epsilon_lower(const std::vector<Use>& uses, const Rational& delta) {
  if (certainly_less(log_nothing_given(uses), log(at(Rational(1) - delta))))
    return AttainedEpsilon::kInfinity;
  return greatest(
      uses, [&](const GaussianDp& all) { return all.epsilon(delta).lower; },
      [&](const EpsilonDelta& each, std::uint64_t k) {
        return optimal_epsilon(each, k, delta).lower;
      },
      [&](const Rational& epsilon) {
        return std::max(0.0, down(at(epsilon) + at(2) * log(at(Rational(1) - delta))));
      });
}

double delta_lower(const std::vector<Use>& uses, const Rational& epsilon) {
  const double given = down(at(0) - expm1(log_nothing_given(uses)));
  const double parts = greatest(
      uses, [&](const GaussianDp& all) { return all.delta(epsilon).lower; },
      [&](const EpsilonDelta& each, std::uint64_t k) {
        return optimal_delta(each, k, epsilon).lower;
      },
      [&](const Rational& one) {
        if (epsilon >= one) return 0.0;
        return std::max(0.0, down(at(0) - expm1(at((epsilon - one) / Rational(2)))));
      });
  return std::max(given, parts);
}

double pure_epsilon_lower(const std::vector<Use>& uses) {
  double sum = 0;
  for (const Use& use : uses) {
    const double one = std::visit(AttainedEpsilon{}, use.mechanism);
    // Each sum and product errs by at most a part in 2^53.
    sum = (sum + one * static_cast<double>(use.count)) * (1 - 0x1p-51);
  }
  return sum;
}

}  // namespace discreet::accounting
