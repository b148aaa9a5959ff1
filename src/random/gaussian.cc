// SPDX-License-Identifier: Apache-2.0
#include "random/gaussian_fill.h"
#include "random/system_bits.h"

namespace discreet::random {

template void DiscreteGaussian::fill(SystemBits& bits, std::span<std::int64_t> out) const;

}  // namespace discreet::random
