// SPDX-License-Identifier: Apache-2.0
// Numbers plus noise.
#include "audit/cases.h"
#include "mechanism/gaussian.h"
#include "mechanism/gaussian_vector.h"
#include "mechanism/geometric.h"
#include "mechanism/grid_laplace.h"
#include "mechanism/laplace.h"
#include "mechanism/laplace_vector.h"
#include "mechanism/mean_of_bits.h"
#include "mechanism/rounded_gaussian.h"
#include "mechanism/saturation.h"

namespace discreet::audit {
namespace {

const Epsilon kNoiseEpsilon = Epsilon::trusted(1);
const Sensitivity kNoiseOne = Sensitivity::trusted(1);
const Inputs<Int128> kCounts{0, 1, "0 | 1"};

int int_of(const Integer& z) { return static_cast<int>(z.get_si()); }
int int_of(Int128 z) { return static_cast<int>(z); }

/// Two digits of 6-bit words.
Pair laplace_case(const Progress& progress) {
  const auto mechanism = mechanism::Laplace::make(
      {.sensitivity = kNoiseOne, .epsilon = Epsilon::trusted(Rational::ratio(1, 2))});
  const auto theorem = [](Int128 x, Int128 y) -> std::optional<Range> {
    return laplace_probability(int_of(y - x), 2);
  };
  return audit<6>(mechanism.value(), kCounts, 30, theorem, progress);
}

/// The ends of the domain: what lies beyond an end is one answer.
Pair laplace_at_end(const Inputs<Int128>& inputs, const Progress& progress) {
  const auto mechanism =
      mechanism::Laplace::make({.sensitivity = kNoiseOne, .epsilon = kNoiseEpsilon});
  const auto theorem = [](Int128 x, Int128 y) -> std::optional<Range> {
    if (y == mechanism::kAnswerMax) return laplace_at_least(int_of(y - x), 1);
    if (y == -mechanism::kAnswerMax) return laplace_at_least(int_of(x - y), 1);
    return laplace_probability(int_of(y - x), 1);
  };
  return audit<5>(mechanism.value(), inputs, 24, theorem, progress);
}

Pair laplace_low(const Progress& progress) {
  const Int128 low = -mechanism::kAnswerMax;
  return laplace_at_end({low, low + 1, "least | one more"}, progress);
}

Pair laplace_high(const Progress& progress) {
  const Int128 high = mechanism::kAnswerMax;
  return laplace_at_end({high, high - 1, "most | one less"}, progress);
}

/// A scale that is not whole, on the narrowest words that have digits.
Pair laplace_rational(const Progress& progress) {
  const auto mechanism = mechanism::Laplace::make(
      {.sensitivity = kNoiseOne, .epsilon = Epsilon::trusted(Rational::ratio(3, 2))});
  const auto theorem = [](Int128 x, Int128 y) -> std::optional<Range> {
    return laplace_probability(int_of(y - x), Rational::ratio(2, 3));
  };
  return audit<3>(mechanism.value(), kCounts, 24, theorem, progress);
}

Pair laplace_vector_case(const Progress& progress) {
  using Entries = std::vector<std::int64_t>;
  const auto mechanism =
      mechanism::LaplaceVector::make({.sensitivity = kNoiseOne, .epsilon = Epsilon::trusted(2)});
  const Rational scale = Rational::ratio(1, 2);
  const auto theorem = [&](const Entries& x, const Entries& y) -> std::optional<Range> {
    return laplace_probability(static_cast<int>(y[0] - x[0]), scale) *
           laplace_probability(static_cast<int>(y[1] - x[1]), scale);
  };
  const Inputs<Entries> inputs{{0, 0}, {1, 0}, "0 0 | 1 0"};
  return audit<6>(mechanism.value(), inputs, 25, theorem, progress);
}

/// A step of 1/2 and a sensitivity of 3/5: two steps.
Pair grid_laplace(const Progress& progress) {
  const Rational step = Rational::ratio(1, 2);
  const auto mechanism =
      mechanism::GridLaplace::make({.step = Step::trusted(step),
                                    .sensitivity = Sensitivity::trusted(Rational::ratio(3, 5)),
                                    .epsilon = kNoiseEpsilon});
  const auto theorem = [&](Int128 x, const Rational& y) -> std::optional<Range> {
    return laplace_probability(int_of((y / step).numerator()) - int_of(x), 2);
  };
  return audit<4>(mechanism.value(), Inputs<Int128>{0, 2, "0 | 1"}, 24, theorem, progress);
}

/// The pair of answers is judged: the truncated one is a function of the raw one.
Pair geometric_on(const Inputs<Int128>& inputs, const Progress& progress) {
  const auto mechanism = mechanism::Geometric::make(
      {.sensitivity = kNoiseOne, .epsilon = kNoiseEpsilon, .low = 0, .high = 3});
  const auto theorem = [](Int128 x, const mechanism::Geometric::Output& y) -> std::optional<Range> {
    if (y.truncated != std::clamp<Int128>(y.raw, 0, 3)) return Range{0, 0};
    return laplace_probability(int_of(y.raw - x), 1);
  };
  return audit<5>(mechanism.value(), inputs, 24, theorem, progress);
}

Pair geometric(const Progress& progress) { return geometric_on({2, 3, "2 | 3"}, progress); }
Pair geometric_low(const Progress& progress) { return geometric_on(kCounts, progress); }

Pair mean_of_bits(const Progress& progress) {
  const auto mechanism = mechanism::MeanOfBits::make({.n = 4, .epsilon = kNoiseEpsilon});
  const auto theorem = [](Int128 x, const Rational& y) -> std::optional<Range> {
    return laplace_probability(int_of((4 * y).numerator()) - int_of(x), 1);
  };
  return audit<6>(mechanism.value(), Inputs<Int128>{2, 3, "2 of 4 ones | 3 of 4"}, 26, theorem,
                  progress);
}

template <int kWidth>
Pair gaussian_on(const Rational& rho, int distance, const Inputs<Int128>& inputs, int depth,
                 const Progress& progress) {
  const auto mechanism = mechanism::Gaussian::make(
      {.sensitivity_squared = L2Squared::trusted(distance * distance), .rho = Rho::trusted(rho)});
  const Rational variance = mechanism.value().sigma_squared().value();
  const auto theorem = [&](Int128 x, Int128 y) -> std::optional<Range> {
    if (y == mechanism::kAnswerMax) return gaussian_at_least(int_of(y - x), variance);
    return gaussian_probability(int_of(y - x), variance);
  };
  return audit<kWidth>(mechanism.value(), inputs, depth, theorem, progress);
}

/// One look-up.
Pair gaussian_case(const Progress& progress) {
  return gaussian_on<6>(Rational::ratio(1, 2), 1, kCounts, 30, progress);
}

/// Wide noise: cells of two values, with rejection.
Pair gaussian_cells(const Progress& progress) {
  return gaussian_on<6>(Rational::ratio(1, 2), 3, {0, 3, "0 | 3"}, 30, progress);
}

Pair gaussian_high(const Progress& progress) {
  const Int128 top = mechanism::kAnswerMax;
  return gaussian_on<6>(Rational::ratio(1, 2), 1, {top, top - 1, "the limit | one less"}, 30,
                        progress);
}

Pair gaussian_vector(const Progress& progress) {
  using Entries = std::vector<std::int64_t>;
  const auto mechanism = mechanism::GaussianVector::make(
      {.sensitivity_squared = L2Squared::trusted(2), .rho = Rho::trusted(1)});
  const Rational variance = 1;
  const auto theorem = [&](const Entries& x, const Entries& y) -> std::optional<Range> {
    return gaussian_probability(static_cast<int>(y[0] - x[0]), variance) *
           gaussian_probability(static_cast<int>(y[1] - x[1]), variance);
  };
  const Inputs<Entries> inputs{{0, 0}, {1, 1}, "0 0 | 1 1"};
  return audit<6>(mechanism.value(), inputs, 24, theorem, progress);
}

/// (2.5, 0.0152) takes a variance near 0.8: the event that needs the most delta begins at variance *
/// epsilon + 1/2 = 2.5, between two integers, so that rounding hides nothing.
Pair rounded_gaussian(const Progress& progress) {
  const auto mechanism =
      mechanism::RoundedGaussian::make({.sensitivity = kNoiseOne,
                                        .epsilon = Epsilon::trusted(Rational::ratio(5, 2)),
                                        .delta = Delta::trusted(Rational::ratio(152, 10'000))});
  const Rational variance = mechanism.value().sigma_squared().value();
  const auto theorem = [&](Int128 x, Int128 y) -> std::optional<Range> {
    return rounded_gaussian_probability(int_of(y - x), variance);
  };
  return audit<6>(mechanism.value(), kCounts, 30, theorem, progress);
}

}  // namespace

std::vector<Case> noise_cases() {
  return {{"laplace", laplace_case},
          {"laplace-low", laplace_low},
          {"laplace-high", laplace_high},
          {"laplace-rational", laplace_rational},
          {"laplace-vector", laplace_vector_case},
          {"grid-laplace", grid_laplace},
          {"geometric", geometric},
          {"geometric-low", geometric_low},
          {"mean-of-bits", mean_of_bits},
          {"gaussian", gaussian_case},
          {"gaussian-cells", gaussian_cells},
          {"gaussian-high", gaussian_high},
          {"gaussian-vector", gaussian_vector},
          {"rounded-gaussian", rounded_gaussian}};
}

}  // namespace discreet::audit
