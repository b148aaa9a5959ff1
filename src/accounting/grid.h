// SPDX-License-Identifier: Apache-2.0
// A privacy loss moved onto a grid of equally spaced values, to the safe side, so that it can be
// composed by Fourier transform.
//
// Upwards (Doroshenko, Ghazi, Kamath, Kumar, Manurangsi 2022, "connect the dots"): the outputs with
// loss between two grid points are split between the two so that their mass is kept under P and
// under Q. The original is a post-processing of the result (merge the two parts), so delta never
// falls; the loss's mean of e^{-L} is kept, so the error is of second order in the step.
//
// Downwards: outputs are merged into cells whose boundaries are chosen so that the cell's own loss
// ln(P(cell)/Q(cell)) is a grid value. Merging is a post-processing, so delta never rises, and the
// error is of second order again.
#pragma once

#include <limits>
#include <vector>

#include "accounting/loss.h"

namespace discreet::accounting {

struct Grid {
  double step;
  double offset;  ///< grid values are offset + i * step
};

struct GridLoss {
  Grid grid;
  long first = 0;  ///< p[i] is the mass of P at loss offset + (first + i) * step
  std::vector<double> p;
  double infinity =
      0;  ///< mass at +inf: an upper bound after round_up, a lower bound after round_down
  double slack = 0;  ///< true losses are within `slack` of the grid value that stands for them
};

/// What the losses span, but for about `tail` of P on either side; atoms count wherever they are.
struct Span {
  double low;
  double high;
};
Span span(const Loss& loss, double tail);

/// Dominates `loss`: delta of the result, shifted by `slack`, is never below. P-mass up to about
/// `tail` on the right goes to infinity. One more use of the result never costs less: its masses
/// under P add up to 1 at least, under Q to e^slack at most.
GridLoss round_up(const Loss& loss, const Grid& grid, double tail);

/// Is dominated by `loss`. P-mass up to about `tail` on either side is dropped; losses above
/// `highest` count as no more than it.
GridLoss round_down(const Loss& loss, const Grid& grid, double tail,
                    double highest = std::numeric_limits<double>::infinity());

}  // namespace discreet::accounting
