// SPDX-License-Identifier: Apache-2.0
#include "accounting/pld_lower.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "accounting/coarsen.h"
#include "accounting/convolve.h"
#include "accounting/loss_of.h"
#include "accounting/tilts.h"

namespace discreet::accounting {
namespace {

// K of the header: answers have at least so many steps.
constexpr double kSteps = 4096;
// No loss counts for more than so many times the largest answer of a level. Fewer times say less,
// but a sum of few heavy tails then fits a window: asked where the first leaves the sum unknown.
constexpr double kHighest[] = {8, 2};
constexpr double kLowerCellsMax = 1 << 19;
// Lists so long are asked on a grid finer by 4 as well, and once more from 16 times as many on: the
// error of a grid grows with the number of uses.
constexpr double kManyUses = 10'000;
constexpr int kFinerMax = 2;
// Mechanisms whose uses together have less than this part of the square of an answer as variance
// are weakened to a ladder of few values, so that 10^5 different ones become few.
constexpr double kMinor = 1.0 / 16384;
constexpr int kMinorFold = 3;  // by less than 4 %
// Lists with more different ones even so are weakened further and asked on one coarse grid.
constexpr std::size_t kLowerDistinctMax = 64;
constexpr int kLowerFoldMax = 6;
constexpr double kLongSteps = 8;
constexpr double kLeastSize = 1e-9;  // answers below it are 0
constexpr double kLargestSize = 1e9;
// A delta counts as so large an answer: losses spread over a few times it, at least.
constexpr double kDeltaSize = 4;
constexpr double kDeltaTail = 1e-60;
constexpr double kInflation = 0.01;
constexpr double kDeltaForTilts = 1e-6;
constexpr int kBits = 19;
// A sum known to within this part is known well enough; else other tilts are tried, two if it is
// known to within the second.
constexpr double kKnown = 1e-8;
constexpr double kNearly = 1e-4;
constexpr std::size_t kTilts = 5;

double floor_bits(double x) {
  int exponent = 0;
  const double mantissa = std::frexp(x, &exponent);
  return std::ldexp(std::floor(std::ldexp(mantissa, kBits)), exponent - kBits);
}

struct Level {
  int n;

  /// The level that speaks of answers of this size.
  static Level of(double size) {
    return {std::ilogb(std::clamp(size, kLeastSize, kLargestSize) / kSteps)};
  }
  double step() const { return std::ldexp(1.0, n); }
  /// The largest of 1, 2, 10, 20, 100, ... times a power of ten, each of which divides the next,
  /// that is not above the step.
  double decimal_step() const {
    const int tens = static_cast<int>(std::floor(std::log10(step())));
    const double power = tens >= 0 ? std::pow(10.0, tens) : 1 / std::pow(10.0, -tens);
    return 2 * power <= step() ? 2 * power : power;
  }
  Level finer() const { return {n - 1}; }
  double bottom() const { return kSteps * step(); }
  double top() const { return 2 * bottom(); }
};

/// Uses on one grid. What is computed from them depends on them alone.
struct Placed {
  std::vector<Uses> uses;
  double variance = 0;
};

/// The list as one level sees it.
class LevelList {
 public:
  LevelList(const std::vector<Use>& uses, const Level& level) : level_(level) {
    const double minor = kMinor * level.top() * level.top();
    for (const Use& use : uses) {
      const auto k = static_cast<double>(use.count);
      count_ += k;
      const bool is_minor = k * variance_of(use.mechanism) < minor;
      uses_.push_back(is_minor ? Use{weakened(use.mechanism, kMinorFold), use.count} : use);
      if (!is_minor) add_step_for(use.mechanism);
    }
    uses_ = one_gaussian(merge_equal(uses_), Round::kDown);
    const bool is_long = uses_.size() > kLowerDistinctMax;
    if (is_long) uses_ = coarsened(uses_, Round::kDown, kLowerDistinctMax, kLowerFoldMax);
    double step = level.step();
    if (is_long) {
      steps_ = {kLongSteps * step};
      return;
    }
    steps_.insert(step);
    for (int i = 0; i < kFinerMax && count_ > kManyUses; ++i, count_ /= 16)
      steps_.insert(step /= 4);
  }

  /// The steps of the grids that this level asks.
  const std::set<double>& steps() const { return steps_; }

  /// All uses on one grid, dominated by them. Uses that would not make the sum larger are left out.
  Placed grids(double step, double tail, double times) const {
    Placed out;
    for (const Use& use : uses_) {
      std::optional<Loss> loss = loss_of(use.mechanism, Side::kLower, step);
      if (!loss) continue;
      const Span whole = span(*loss, tail);
      const double highest = times * level_.top();
      if (std::min(whole.high, highest) - whole.low > kLowerCellsMax * step) continue;
      Grid grid{step, 0};
      if (std::holds_alternative<SubsampledLaplace>(use.mechanism)) {
        const double top = std::max(loss->atoms.front().loss, loss->atoms.back().loss);
        grid.offset = top - step * std::floor(top / step);
        raise_lowest_atom(*loss, grid);
      }
      GridLoss placed = round_down(*loss, grid, tail, highest);
      if (placed.p.empty() || !is_useful(placed)) continue;
      const auto k = static_cast<double>(use.count);
      out.variance += k * variance_of(use.mechanism);
      out.uses.push_back({std::move(placed), k});
    }
    return out;
  }

 private:
  /// Grids that fit the atoms of a mechanism, if it has any.
  void add_step_for(const Mechanism& mechanism) {
    double spacing = 0;
    if (const std::optional<Rational> unit = atom_unit(mechanism)) {
      spacing = unit->to_double(Round::kDown);
    } else if (std::holds_alternative<SubsampledLaplace>(mechanism)) {
      if (const auto loss = loss_of(mechanism, Side::kLower))
        spacing = loss->atoms.front().loss - loss->atoms.back().loss;
    }
    const double decimal = level_.decimal_step();
    const double steps = spacing / decimal;
    if (steps < 1) return;
    const bool fits = std::fabs(steps - std::round(steps)) < 1e-9 * steps;
    steps_.insert(fits ? decimal : spacing / std::ceil(spacing / level_.step()));
  }

  /// Merges as much of the greatest atom, which lies on the grid, into the lowest as lifts that one
  /// to a grid value, the next at an even distance: cells of two steps then tile what lies between
  /// them (grid.cc).
  static void raise_lowest_atom(Loss& loss, const Grid& grid) {
    Atom& top =
        loss.atoms.front().loss > loss.atoms.back().loss ? loss.atoms.front() : loss.atoms.back();
    Atom& low = &top == &loss.atoms.front() ? loss.atoms.back() : loss.atoms.front();
    const double pairs = std::floor((top.loss - low.loss) / (2 * grid.step) + 1e-6);
    const double value = top.loss - 2 * pairs * grid.step;
    const double odds = std::exp(value) * (1 + 1e-14);
    const double missing = odds * low.mass.q_high - low.mass.p_low;
    const double share = missing / (top.mass.p_low - odds * top.mass.q_high) * (1 + 1e-9);
    if (!(value < top.loss && missing > 0 && share < 1)) return;
    low = {value,
           low.loss_error,
           {low.mass.p_low + share * top.mass.p_low, low.mass.p_high + share * top.mass.p_high,
            low.mass.q_low + share * top.mass.q_low, low.mass.q_high + share * top.mass.q_high}};
    for (double* mass : {&top.mass.p_low, &top.mass.p_high, &top.mass.q_low, &top.mass.q_high})
      *mass *= 1 - share;
  }

  /// E[e^{tL}] is convex in t, so from the least tilt that matters on it stays above 1; and what Q
  /// has too much of is little beside that.
  bool is_useful(const GridLoss& loss) const {
    const double tilt = 1 / level_.top();
    double p_tilted = loss.infinity;
    double q = 0;
    for (std::size_t i = 0; i < loss.p.size(); ++i) {
      const double value = loss.grid.offset +
                           static_cast<double>(loss.first + static_cast<long>(i)) * loss.grid.step;
      p_tilted += loss.p[i] * std::exp(tilt * value);
      q += loss.p[i] * std::exp(-value);
    }
    return p_tilted >= 1 && q - 1 <= kInflation * (p_tilted - 1);
  }

  Level level_;
  std::vector<Use> uses_;
  double count_ = 0;
  std::set<double> steps_;
};

/// What one level says: the greatest over its grids of what `read` reads off the sum.
template <class Tilt, class Read>
double ask(const std::vector<Use>& uses, const Level& level, double delta, double tail,
           const Tilt& tilt, const Read& read) {
  const LevelList list(uses, level);
  double best = 0;
  for (const double step : list.steps()) {
    for (const double times : kHighest) {
      const Placed placed = list.grids(step, tail, times);
      if (placed.uses.empty()) continue;
      const Tilts tilts = tilts_around(tilt(placed.uses), delta, std::sqrt(placed.variance));
      double low = 0;
      double high = std::numeric_limits<double>::max();
      for (std::size_t i = 0; i < kTilts && low < (1 - kKnown) * high; ++i) {
        if (i >= 2 && low > (1 - kNearly) * high) break;
        const auto [above, below] = Composed::enclosing(placed.uses, Side::kLower, tilts[i]);
        low = std::max(low, read(below));
        high = std::min(high, read(above));
      }
      best = std::max(best, low);
      if (low > (1 - kNearly) * high) break;
    }
  }
  return best;
}

/// From the level of size `upper` down to that of `least`: the first that has something to say.
template <class AskLevel>
double greatest_level(double upper, double least, const AskLevel& ask_level) {
  const Level last = Level::of(least);
  for (Level level = Level::of(std::max(upper, least));; level = level.finer()) {
    const double says = std::min(ask_level(level), level.top());
    if (says >= level.bottom() || level.n <= last.n) return std::min(floor_bits(says), upper);
  }
}

}  // namespace

double pld_epsilon_lower(const std::vector<Use>& uses, double delta, double upper) {
  const std::vector<Use> merged = merge_equal(uses);
  const double tail = tail_of(delta);
  return greatest_level(upper, kDeltaSize * delta, [&](const Level& level) {
    return ask(
        merged, level, delta, tail, [&](const auto& grids) { return tilt_for_delta(grids, delta); },
        [&](const Composed& sum) { return sum.epsilon(delta); });
  });
}

double pld_delta_lower(const std::vector<Use>& uses, double epsilon, double upper) {
  const std::vector<Use> merged = merge_equal(uses);
  const double size = greatest_level(kDeltaSize * upper, epsilon, [&](const Level& level) {
    return kDeltaSize * ask(
                            merged, level, kDeltaForTilts, kDeltaTail,
                            [&](const auto& grids) { return tilt_for_epsilon(grids, epsilon); },
                            [&](const Composed& sum) { return std::exp(sum.log_delta(epsilon)); });
  });
  return size / kDeltaSize;
}

}  // namespace discreet::accounting
