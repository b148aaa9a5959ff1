// SPDX-License-Identifier: Apache-2.0
#include "cli/own_arrays.h"

#include <algorithm>
#include <vector>

#include "base/check.h"
#include "cli/own_values.h"
#include "mechanism/gaussian_vector.h"
#include "mechanism/laplace_vector.h"

namespace discreet::cli {
namespace {

/// A block and its noise fit the second cache; what is done once a block is not seen beside it.
constexpr std::size_t kBlock = 1 << 14;

template <class Vector>
Result<void> add_noise(std::span<const std::int64_t> values, std::span<std::int64_t> out,
                       const Vector& mechanism) {
  DISCREET_CHECK(values.size() == out.size());
  // No interval is shown, and the door works one out: ask for the one that is least work.
  const Confidence hardly_any = Confidence::trusted(power_of_two(-40));
  for (std::size_t at = 0; at < values.size(); at += kBlock) {
    const std::span<const std::int64_t> block =
        values.subspan(at, std::min(kBlock, values.size() - at));
    const auto released =
        OwnValues::release_unpaid(mechanism, std::vector(block.begin(), block.end()), hardly_any);
    if (!released) {
      std::fill(out.begin(), out.end(), 0);  // not half of it noised, and half not
      return released.error();
    }
    std::copy(released->value().begin(), released->value().end(),
              out.begin() + static_cast<std::ptrdiff_t>(at));
  }
  return {};
}

}  // namespace

Result<void> add_laplace(std::span<const std::int64_t> values, std::span<std::int64_t> out,
                         const Sensitivity& sensitivity, const Epsilon& epsilon) {
  DISCREET_ASSIGN(const auto mechanism, mechanism::LaplaceVector::make({sensitivity, epsilon}));
  return add_noise(values, out, mechanism);
}

Result<void> add_gaussian(std::span<const std::int64_t> values, std::span<std::int64_t> out,
                          const Sensitivity& sensitivity, const Rho& rho) {
  const Rational squared = sensitivity.value() * sensitivity.value();
  DISCREET_ASSIGN(const auto mechanism,
                  mechanism::GaussianVector::make(
                      {.sensitivity_squared = L2Squared::trusted(squared), .rho = rho}));
  return add_noise(values, out, mechanism);
}

}  // namespace discreet::cli
