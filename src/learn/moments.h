// SPDX-License-Identifier: Apache-2.0
// First and second moments of vectors over units: the release that most fits start from.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "learn/matrix.h"
#include "learn/sums.h"

namespace discreet::learn {

/// Writes a row's vector; false leaves the row out.
using Encode = std::function<bool(std::span<const std::int64_t> row, std::span<double> out)>;

/// Sums over units of v v^T, v = (1, vector): count, first and second moments. Two rounds: how
/// long, then the sums.
struct Moments {
  Symmetric sums;        ///< (width + 1) squared
  double deviation = 0;  ///< of the noise of each entry of `sums`
};
Result<Moments> moments(Sums& sums, std::size_t width, const Encode& encode);

/// The same without products of different entries: less noise where there are many.
struct DiagonalMoments {
  double count = 0;
  std::vector<double> means;
  std::vector<double> variances;  ///< at least what the noise can tell from 0
  double deviation = 0;
};
/// `is_mark(i)`: entry i is 0 or 1 in every row, so that its square need not be measured.
Result<DiagonalMoments> diagonal_moments(Sums& sums, std::size_t width, const Encode& encode,
                                         const std::function<bool(std::size_t)>& is_mark);

}  // namespace discreet::learn
