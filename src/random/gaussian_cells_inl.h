// SPDX-License-Identifier: Apache-2.0
// Bodies of random/gaussian_cells.h.
#pragma once

#include "random/gaussian_cells.h"

namespace discreet::random {

inline CellPoint GaussianCells::split(std::uint64_t word) const {
  const std::uint64_t place = (word >> 1) & ((std::uint64_t{1} << place_bits_) - 1);
  return {(word & 1) != 0, place, word >> (1 + place_bits_)};
}

template <BitSource B>
CellPoint GaussianCells::read(B& bits) const {
  if (1 + place_bits_ + accept_bits_ == 64) return split(bits.take(64));
  CellPoint point;
  point.is_negative = bits.take(1) == 1;
  if (place_bits_ > 0) point.place = bits.take(place_bits_);
  point.accept = bits.take(accept_bits_);
  return point;
}

}  // namespace discreet::random
