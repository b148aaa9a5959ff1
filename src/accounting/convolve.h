// SPDX-License-Identifier: Apache-2.0
// The sum of many independent privacy losses on one grid, by Fourier transform, with every error
// counted.
//
// Exponential tilting: each loss is reweighted by e^{t l} and normalised, composed, and weighted
// back. The tilted sum is centred where the answer lies, so that delta = 1e-18, or 1e-300, is
// computed to the same relative accuracy as delta = 0.1, and a window of some standard deviations
// suffices.
//
// What is counted: (1) rounding in the transforms and powers, as a bound on every entry; (2) mass
// outside the window, by Chernoff's bound, and its images inside; (3) mass at infinity; (4) the
// grid's slack; (5) rounding of sums. docs: accounting/pld.md
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "accounting/grid.h"

namespace discreet::accounting {

struct Uses {
  GridLoss loss;
  double count;  ///< a whole number, at least 1
};

enum class Side { kUpper, kLower };

/// The tilts that centre the sum where delta(eps) = delta, or at eps: the minima of Chernoff's
/// bounds.
double tilt_for_delta(const std::vector<Uses>& uses, double delta);
double tilt_for_epsilon(const std::vector<Uses>& uses, double epsilon);

/// delta(eps) of the composition, bounded on one side.
class Composed {
 public:
  /// The bound is valid for any tilt > 0, and sharp where the tilted sum is centred.
  /// Requires: all on grids with one step; each has some mass.
  static Composed of(const std::vector<Uses>& uses, Side side, double tilt);

  /// The bound that the grids' own sum is, slack included, from above (first) and from below
  /// (second): how far apart they are says how much is numerical error.
  static std::pair<Composed, Composed> enclosing(const std::vector<Uses>& uses, Side side,
                                                 double tilt);

  /// How many entries the window has: a measure of the work.
  std::size_t entries() const { return entries_; }

  /// A bound on ln delta(eps).
  double log_delta(double epsilon) const;

  /// The least epsilon >= `least` with log_delta(epsilon) <= ln delta; infinite when there is none.
  double epsilon(double delta, double least = 0) const;

 private:
  struct Window;
  /// Sums over all entries from some entry i on.
  struct Suffix {
    double weight = 0;      // of m_j e^{-t (l_j - l_i)}
    double discounted = 0;  // of the same times e^{-(l_j - l_i)}
  };
  static Window window(const std::vector<Uses>& uses, double tilt);
  static Composed read(const std::shared_ptr<const Window>& window, Side side);
  Suffix suffix(std::size_t first) const;
  double finite_log_delta(double epsilon) const;

  Side side_ = Side::kUpper;
  std::size_t entries_ = 0;
  double step_ = 0;
  double first_value_ = 0;  // loss of entry 0
  double log_scale_ = 0;    // ln of what the suffix sums are to be multiplied with
  double tilt_ = 0;
  double centre_ = 0;  // the tilted mean
  double slack_ = 0;
  double log_infinity_ = 0;  // ln of the mass at infinity
  double log_outside_ = 0;   // upper side: ln of the mass right of the window
  double log_left_ = 0;      // upper side: ln of the tilted mass left of the window, times e^K
  double log_images_ = 0;    // lower side: ln of what images may have added
  double error_ = 0;         // what is added to every entry
  double decay_ = 0;         // e^{-t step}
  double discount_ = 0;      // e^{-(t + 1) step}
  std::shared_ptr<const Window> window_;
  std::vector<Suffix> blocks_;  // from the first entry of each block on, and from the end
};

}  // namespace discreet::accounting
