// SPDX-License-Identifier: Apache-2.0
#include "mechanism/quantile_levels.h"

#include <algorithm>

#include "base/check.h"
#include "mechanism/draws.h"
#include "numeric/real.h"
#include "random/select.h"
#include "random/tries.h"

namespace discreet::mechanism {
namespace {

constexpr Int128 kFar = Int128{1} << 120;  // beyond every distance: quantiles.md §5
constexpr std::int64_t kCountMax = std::int64_t{1} << 62;

/// The least integer d with weight d >= t ln 2, at most kFar. t ln 2 / weight is irrational, so
/// that its floor can be found.
Int128 least_distance(int t, const Rational& weight) {
  if (t == 0) return 0;
  const Integer floor = floor_scaled(
      [&](int precision) {
        return Interval::around(t, precision) * log(Interval::around(2, precision)) /
               Interval::around(weight, precision);
      },
      0);
  const Integer least = floor + 1;
  return least < to_integer(kFar) ? to_int128(least) : kFar;
}

/// floor(x / y), y > 0.

Int128 count_of(const Runs::value_type& run) {
  return std::clamp<std::int64_t>(run.second, 0, kCountMax);
}

/// Asked for ranks that never fall, gives the values at them in one walk over the runs.
class Sweep {
 public:
  explicit Sweep(const Runs& runs) : runs_(runs) {}

  /// The rank-th smallest value. Requires: 1 <= rank <= rows.
  std::int64_t at(Int128 rank) {
    while (passed_ + count_of(runs_[next_]) < rank) passed_ += count_of(runs_[next_++]);
    return runs_[next_].first;
  }

 private:
  const Runs& runs_;
  std::size_t next_ = 0;
  Int128 passed_ = 0;  // rows in the runs before next_
};

}  // namespace

QuantileLevels::QuantileLevels(const Options& options) : options_(options), keep_(options.weight) {
  for (int t = 0; t <= kLast; ++t) {
    from_[static_cast<std::size_t>(t)] = least_distance(t, options.weight);
  }
}

QuantileLevels::Split QuantileLevels::split(const Runs& runs) const {
  Split out;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    DISCREET_CHECK(i == 0 || runs[i - 1].first < runs[i].first);
    out.rows += count_of(runs[i]);
  }
  const Int128 centre = options_.a * out.rows;
  const auto in_range = [&](std::int64_t value) {
    return std::clamp(value, options_.low, options_.high);
  };

  // The one point that may hold more rows than the rank needs: its score is below 0.
  const Int128 middle = floor_div(centre, options_.b) + 1;
  std::int64_t best = options_.low;
  if (middle <= out.rows) {
    best = in_range(Sweep(runs).at(middle));
    out.least = std::min<Int128>(0, score(runs, out.rows, best));
  }

  // Level t and those above it: score < reach, the least distance of level t + 1 above the least
  // score. On the left that is b #(x <= v) > centre - reach, on the right b #(x < v) < centre +
  // reach. No other point's score is below 0, so that a reach of 0 or less is of the best one
  // alone.
  constexpr auto kLevels = static_cast<std::size_t>(kLast);
  const auto reach = [&](std::size_t t) { return from_[t + 1] + out.least; };
  Sweep sweep(runs);
  for (std::size_t t = kLevels; t-- > 0;) {  // ranks rise as the level falls
    const Int128 rank = floor_div(centre - reach(t), options_.b) + 1;
    out.upto[t].first = reach(t) <= 0 ? best : rank <= 0 ? options_.low : in_range(sweep.at(rank));
  }
  for (std::size_t t = 0; t < kLevels; ++t) {
    const Int128 most = -floor_div(-(centre + reach(t)), options_.b) - 1;
    out.upto[t].last = reach(t) <= 0      ? best
                       : most >= out.rows ? options_.high
                                          : in_range(sweep.at(most + 1));
  }
  out.upto[kLevels] = {options_.low, options_.high};

  const std::uint64_t all = out.upto[kLevels].size();
  while (out.upto[static_cast<std::size_t>(out.depth)].size() < all) ++out.depth;
  Uint128 weight = 0;
  std::uint64_t before = 0;
  for (std::size_t t = 0; t <= static_cast<std::size_t>(out.depth); ++t) {
    const std::uint64_t upto = out.upto[t].size();
    DISCREET_CHECK(upto >= before);
    weight = 2 * weight + (upto - before);
    out.weight[t] = weight;
    before = upto;
  }
  return out;
}

std::int64_t QuantileLevels::find(const Split& split, int level, std::int64_t nth) {
  const auto t = static_cast<std::size_t>(level);
  const Stretch& outer = split.upto[t];
  if (t == 0) return outer.first + nth;
  const Stretch& inner = split.upto[t - 1];
  const std::int64_t on_the_left = inner.first - outer.first;
  return nth < on_the_left ? outer.first + nth : inner.last + 1 + (nth - on_the_left);
}

std::vector<std::int64_t> QuantileLevels::utilities(const Runs& runs) const {
  const auto points = static_cast<std::size_t>(options_.high - options_.low) + 1;
  std::vector<Int128> at(points, 0);  // rows of each point
  Int128 rows = 0;
  for (const auto& run : runs) {
    const std::int64_t value = std::clamp(run.first, options_.low, options_.high);
    at[static_cast<std::size_t>(value - options_.low)] += count_of(run);
    rows += count_of(run);
  }
  const Int128 centre = options_.a * rows;
  std::vector<std::int64_t> out;
  out.reserve(points);
  Int128 below = 0;
  for (const Int128 here : at) {
    const Int128 score =
        std::max(options_.b * below - centre, centre - options_.b * (below + here));
    out.push_back(static_cast<std::int64_t>(std::clamp<Int128>(-score, -kCountMax, kCountMax)));
    below += here;
  }
  return out;
}

Int128 QuantileLevels::score(const Runs& runs, Int128 rows, std::int64_t point) const {
  Int128 below = 0;
  Int128 upto = 0;
  for (const auto& run : runs) {
    const std::int64_t value = std::clamp(run.first, options_.low, options_.high);
    if (value > point) break;
    upto += count_of(run);
    if (value < point) below = upto;
  }
  const Int128 centre = options_.a * rows;
  return std::max(options_.b * below - centre, centre - options_.b * upto);
}

template <random::BitSource B>
std::int64_t QuantileLevels::draw(const Runs& runs, B& bits) const {
  const Split levels = split(runs);
  for (random::Tries tries(bits);; tries.again()) {
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
  random::Tries tries(bits);
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
    if (!is_void) continue;
    ticket = 0;
    known = 0;
    tries.again();
  }
  DISCREET_CHECK(false);  // at the last level a ticket is somebody's or void
  return {};
}

template <random::BitSource B>
std::int64_t QuantileLevels::flip(const Runs& runs, B& bits) const {
  return options_.low + static_cast<std::int64_t>(
                            random::permute_and_flip(utilities(runs), options_.weight, bits));
}

#define DISCREET_CHOICE(M, Source)                                     \
  template std::int64_t M::draw(const Runs& runs, Source& bits) const; \
  template std::int64_t M::flip(const Runs& runs, Source& bits) const;
DISCREET_ON_SOURCES(DISCREET_CHOICE, QuantileLevels)
#undef DISCREET_CHOICE

}  // namespace discreet::mechanism
