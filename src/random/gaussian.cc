// SPDX-License-Identifier: Apache-2.0
#include "random/gaussian_fill.h"
#include "random/system_bits.h"

namespace discreet::random {

template void DiscreteGaussian::fill(SystemBits& bits, std::span<std::int64_t> out) const;

#define DISCREET_DRAW(Sampler, Source) template Int128 Sampler<Source>::draw(Source&) const;
DISCREET_ON_TAPES(DISCREET_DRAW, GaussianFor)
#undef DISCREET_DRAW

}  // namespace discreet::random
