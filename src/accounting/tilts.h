// SPDX-License-Identifier: Apache-2.0
// What is chosen by delta alone when a sum of losses is computed: the tails that are cut off, and
// the tilts that are tried.
#pragma once

#include <array>

namespace discreet::accounting {

/// Deltas in one cell [16^-(i+1), 16^-i) share all that is chosen by delta.
inline constexpr int kDeltaCellMax = 240;
int delta_cell(double delta);
double delta_cell_low(int cell);

/// What may be cut off a loss: 2^-45 of the least delta of the cell.
double tail_of_cell(int cell);
double tail_of(double delta);

/// The tilts to try: the one that minimises Chernoff's bound, unless losses are bounded and it is
/// far beyond what would do for a Gaussian with this deviation; then some around the latter.
using Tilts = std::array<double, 7>;
Tilts tilts_around(double best, double delta, double deviation);

}  // namespace discreet::accounting
