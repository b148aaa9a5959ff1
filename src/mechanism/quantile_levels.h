// SPDX-License-Identifier: Apache-2.0
// QuantileLevels: draws a grid point v with probability proportional to e^{-w dist(v)}, exactly,
// without looking at the grid; dist(v) is how far its score lies above the least one. dist falls
// towards the quantile and rises beyond it, so the points with 2^-t >= e^{-w dist} > 2^-(t+1), a
// *level*, are at most two stretches of the grid:
//
//        level  2 |   1   |      0      |  1 |     2
//     low |-------|-------|-------------|----|----------| high
//                       the quantile
//
// and the ends of stretches are order statistics of the data. A point is proposed with weight 2^-t
// in integers, and kept with a coin of 2^t e^{-w dist}, which is above 1/2. Proof: quantiles.md §5.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "mechanism/groups.h"
#include "random/bit_source.h"
#include "random/scaled_exp_coin.h"

namespace discreet::mechanism {

class QuantileLevels {
 public:
  /// Points beyond this level are proposed with weight 2^-64, whatever their own.
  static constexpr int kLast = random::ScaledExpCoin::kShiftMax;

  struct Options {
    Int128 a;  ///< the fraction is a/b, in lowest terms; b <= 2^20
    Int128 b;
    Rational weight;  ///< w > 0, for each b-th part of a row
    std::int64_t low;
    std::int64_t high;  ///< high - low <= 2^62
  };

  explicit QuantileLevels(const Options& options);

  /// v in [low, high] with probability proportional to e^{-w dist(v)}.
  /// Requires: runs are sorted. Counts below 1 are none.
  template <random::BitSource B>
  std::int64_t draw(const Runs& runs, B& bits) const;

  /// Another law: permute-and-flip on all points. Time O(runs + points).
  template <random::BitSource B>
  std::int64_t flip(const Runs& runs, B& bits) const;

 private:
  /// All points of one level and those above it.
  struct Stretch {
    std::int64_t first;
    std::int64_t last;
    std::uint64_t size() const {
      return static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first) + 1;
    }
  };
  struct Split {
    Int128 rows = 0;
    Int128 least = 0;                       ///< the least score, at most 0
    int depth = 0;                          ///< the last level that has points
    std::array<Stretch, kLast + 1> upto{};  ///< [t]: the points of levels 0 ... t; t <= depth
    /// [t]: the weight of levels 0 ... t, in units of 2^-t; below 2^127.
    std::array<Uint128, kLast + 1> weight{};
  };
  struct Proposal {
    std::int64_t point;
    int level;
    random::ScaledExpCoin::Spare spare;
  };

  Split split(const Runs& runs) const;
  /// A point with probability 2^-level / (sum of all points'), and uniform bits to spare.
  template <random::BitSource B>
  static Proposal propose(const Split& split, B& bits);
  /// The nth point of a level, the left stretch first.
  static std::int64_t find(const Split& split, int level, std::int64_t nth);
  /// b times quantiles.h's: max(b #(x<v) - a n, a n - b #(x<=v)).
  Int128 score(const Runs& runs, Int128 rows, std::int64_t point) const;

  /// Minus the score of every point from low to high, cut to +-2^62.
  std::vector<std::int64_t> utilities(const Runs& runs) const;

  Options options_;
  random::ScaledExpCoin keep_;
  std::array<Int128, kLast + 1> from_;  // from_[t]: the least distance of level t
};

}  // namespace discreet::mechanism
