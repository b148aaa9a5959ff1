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

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/check.h"
#include "mechanism/groups.h"
#include "random/bit_source.h"
#include "random/scaled_exp_coin.h"
#include "random/select.h"

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
  std::int64_t flip(const Runs& runs, B& bits) const {
    return options_.low + static_cast<std::int64_t>(
                              random::permute_and_flip(utilities(runs), options_.weight, bits));
  }

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

template <random::BitSource B>
std::int64_t QuantileLevels::draw(const Runs& runs, B& bits) const {
  const Split levels = split(runs);
  while (true) {
    const Proposal proposal = propose(levels, bits);
    const Int128 away = score(runs, levels.rows, proposal.point) - levels.least;
    if (keep_.flip(away, proposal.level, proposal.spare, bits)) return proposal.point;
  }
}

template <random::BitSource B>
QuantileLevels::Proposal QuantileLevels::propose(const Split& split, B& bits) {
  // A uniform ticket of `width` bits, read from the top and only as far as it takes. Tickets from
  // the total weight on are void. A point of level t owns the tickets that start with certain
  // width - depth + t bits; what was read beyond those is spare.
  const auto at = [](int t) { return static_cast<std::size_t>(t); };
  const Uint128 total = split.weight[at(split.depth)];
  int width = 0;
  while (width < 127 && (Uint128{1} << width) < total) ++width;
  Uint128 ticket = 0;
  int known = 0;
  for (int t = 0; t <= split.depth;) {
    const int needed = width - split.depth + t;
    while (known < needed) {
      const int step = std::min<int>(B::kWordBits, width - known);
      ticket = ticket << step | bits.take(step);
      known += step;
    }
    const Uint128 start = ticket >> (known - needed);
    if (start < split.weight[at(t)]) {
      const Uint128 before = t == 0 ? 0 : 2 * split.weight[at(t - 1)];
      const Uint128 rest = ticket - (start << (known - needed));
      return {find(split, t, static_cast<std::int64_t>(start - before)),
              t,
              {static_cast<std::uint64_t>(rest), known - needed}};
    }
    const bool is_void = start << (split.depth - t) >= total;
    t = is_void ? 0 : t + 1;
    if (is_void) ticket = 0, known = 0;
  }
  DISCREET_CHECK(false);  // at the last level a ticket is somebody's or void
  return {};
}

}  // namespace discreet::mechanism
