// SPDX-License-Identifier: Apache-2.0
// What is to be accounted for: mechanisms by the parameters that their privacy depends on, and how
// often each is used.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "numeric/rational.h"

namespace discreet::accounting {

/// Gaussian noise, continuous or rounded to integers (a post-processing): sigma over the L2
/// sensitivity.
struct Gaussian {
  Rational noise_multiplier;
};

/// Discrete Gaussian noise on vectors: zCDP is what is proved.
struct DiscreteGaussian {
  Rational noise_multiplier;
};

/// Laplace noise: epsilon is the L1 sensitivity over the scale.
struct Laplace {
  Rational epsilon;
};

/// Discrete Laplace noise on one integer of whole sensitivity `steps`; epsilon is the sensitivity
/// over the scale.
struct DiscreteLaplace {
  Rational epsilon;
  std::uint32_t steps = 1;
};

/// Any (epsilon, delta)-DP mechanism; randomized response is the worst of them. Thresholded noise
/// is one: its delta counts the mass at the threshold.
struct Generic {
  Rational epsilon;
  Rational delta;
};

/// The exponential mechanism: epsilon-DP, and (epsilon^2/8)-zCDP because its range of losses is
/// bounded.
struct Exponential {
  Rational epsilon;
};

/// Permute-and-flip: epsilon-DP, and (epsilon^2/2)-zCDP; the exponential mechanism's better bound
/// does not apply to it.
struct PermuteAndFlip {
  Rational epsilon;
};

/// Gaussian noise on a Poisson sample: each unit takes part with probability q.
struct SubsampledGaussian {
  Rational noise_multiplier;
  Rational q;
};

/// Laplace noise on a Poisson sample.
struct SubsampledLaplace {
  Rational epsilon;
  Rational q;
};

using Mechanism = std::variant<Gaussian, DiscreteGaussian, Laplace, DiscreteLaplace, Generic,
                               Exponential, PermuteAndFlip, SubsampledGaussian, SubsampledLaplace>;

struct Use {
  Mechanism mechanism;
  std::uint64_t count = 1;
};

inline constexpr std::uint64_t kCountMax = 1'000'000'000;

/// Checks every parameter's range.
/// Fails with: kInvalidInput, naming the mechanism and the field.
Result<void> check(const std::vector<Use>& uses);

std::string to_string(const Use& use);

}  // namespace discreet::accounting
