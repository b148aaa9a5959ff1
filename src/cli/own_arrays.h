// SPDX-License-Identifier: Apache-2.0
// Noise on whole arrays that the caller holds, such as numpy's: read and written where they are.
//
// An array goes through the door in blocks that stay in the cache. Each entry has its own noise, of
// one scale throughout, and a block is drawn by the mechanism of the whole array; so the blocks
// together are that mechanism, at its price: of neighbours x and x' the blocks' losses are at most
// |x_b - x'_b| / s each (for the Gaussian, squares over 2 sigma^2), and these add up to that of
// |x - x'|.
#pragma once

#include <cstdint>
#include <span>

#include "base/result.h"
#include "privacy/quantity.h"

namespace discreet::cli {

/// out[i] = values[i] + discrete Laplace. The sensitivity is the whole array's, in L1. The two may
/// be one array, or apart, and have one length. Charged to no budget.
/// Fails with: kInvalidInput, before anything is written; kNoEntropy, and then `out` holds zeros.
Result<void> add_laplace(std::span<const std::int64_t> values, std::span<std::int64_t> out,
                         const Sensitivity& sensitivity, const Epsilon& epsilon);

/// The same with discrete Gaussian noise, and the whole array's sensitivity in L2: zCDP.
Result<void> add_gaussian(std::span<const std::int64_t> values, std::span<std::int64_t> out,
                          const Sensitivity& sensitivity, const Rho& rho);

}  // namespace discreet::cli
