// SPDX-License-Identifier: Apache-2.0
#include "accounting/use.h"

#include <utility>

namespace discreet::accounting {
namespace {

Error out_of_range(const std::string& mechanism, const std::string& field, const std::string& range,
                   const Rational& got) {
  return invalid_input(mechanism + ": " + field + " must be " + range + "; got " +
                       in_quotes(got.to_string()));
}

Result<void> positive(const std::string& mechanism, const std::string& field,
                      const Rational& value) {
  if (value >= power_of_two(-40) && value <= power_of_two(40)) return {};
  return out_of_range(mechanism, field, "between 2^-40 and 2^40", value);
}

Result<void> probability(const std::string& mechanism, const std::string& field,
                         const Rational& value) {
  if (value.sign() >= 0 && value <= 1) return {};
  return out_of_range(mechanism, field, "between 0 and 1", value);
}

struct Checker {
  Result<void> operator()(const Gaussian& m) const {
    return positive("gaussian", "noise multiplier", m.noise_multiplier);
  }
  Result<void> operator()(const DiscreteGaussian& m) const {
    return positive("discrete-gaussian", "noise multiplier", m.noise_multiplier);
  }
  Result<void> operator()(const Laplace& m) const {
    return positive("laplace", "epsilon", m.epsilon);
  }
  Result<void> operator()(const DiscreteLaplace& m) const {
    if (m.steps < 1 || m.steps > 4096) {
      return out_of_range("discrete-laplace", "sensitivity", "a whole number from 1 to 4096",
                          Rational(static_cast<int>(m.steps)));
    }
    return positive("discrete-laplace", "epsilon", m.epsilon);
  }
  Result<void> operator()(const Generic& m) const {
    if (m.delta.sign() < 0 || m.delta >= 1)
      return out_of_range("generic", "delta", "from 0 up to but not including 1", m.delta);
    return positive("generic", "epsilon", m.epsilon);
  }
  Result<void> operator()(const Exponential& m) const {
    return positive("exponential", "epsilon", m.epsilon);
  }
  Result<void> operator()(const PermuteAndFlip& m) const {
    return positive("permute-and-flip", "epsilon", m.epsilon);
  }
  Result<void> operator()(const SubsampledGaussian& m) const {
    DISCREET_TRY(probability("subsampled gaussian", "sampling probability", m.q));
    return positive("subsampled gaussian", "noise multiplier", m.noise_multiplier);
  }
  Result<void> operator()(const SubsampledLaplace& m) const {
    DISCREET_TRY(probability("subsampled laplace", "sampling probability", m.q));
    return positive("subsampled laplace", "epsilon", m.epsilon);
  }
};

struct Printer {
  std::string operator()(const Gaussian& m) const {
    return "gaussian(sigma=" + m.noise_multiplier.to_string() + ")";
  }
  std::string operator()(const DiscreteGaussian& m) const {
    return "discrete-gaussian(sigma=" + m.noise_multiplier.to_string() + ")";
  }
  std::string operator()(const Laplace& m) const {
    return "laplace(epsilon=" + m.epsilon.to_string() + ")";
  }
  std::string operator()(const DiscreteLaplace& m) const {
    return "discrete-laplace(epsilon=" + m.epsilon.to_string() +
           ",sensitivity=" + std::to_string(m.steps) + ")";
  }
  std::string operator()(const Generic& m) const {
    return "generic(epsilon=" + m.epsilon.to_string() + ",delta=" + m.delta.to_string() + ")";
  }
  std::string operator()(const Exponential& m) const {
    return "exponential(epsilon=" + m.epsilon.to_string() + ")";
  }
  std::string operator()(const PermuteAndFlip& m) const {
    return "permute-and-flip(epsilon=" + m.epsilon.to_string() + ")";
  }
  std::string operator()(const SubsampledGaussian& m) const {
    return "subsampled-gaussian(sigma=" + m.noise_multiplier.to_string() + ",q=" + m.q.to_string() +
           ")";
  }
  std::string operator()(const SubsampledLaplace& m) const {
    return "subsampled-laplace(epsilon=" + m.epsilon.to_string() + ",q=" + m.q.to_string() + ")";
  }
};

}  // namespace

Result<void> check(const std::vector<Use>& uses) {
  if (uses.empty())
    return invalid_input(
        "nothing to compose; name at least one mechanism, such as --gaussian 100x1000");
  std::uint64_t total = 0;
  for (const Use& use : uses) {
    DISCREET_TRY(std::visit(Checker{}, use.mechanism));
    if (use.count < 1 || use.count > kCountMax) {
      return invalid_input(to_string(use) + ": the number of uses must be from 1 to " +
                           std::to_string(kCountMax));
    }
    total += use.count;
    if (total > kCountMax)
      return invalid_input("there are more than " + std::to_string(kCountMax) + " uses in all");
  }
  return {};
}

std::string to_string(const Use& use) {
  return std::visit(Printer{}, use.mechanism) + " x " + std::to_string(use.count);
}

}  // namespace discreet::accounting
