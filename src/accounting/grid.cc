// SPDX-License-Identifier: Apache-2.0
#include "accounting/grid.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace discreet::accounting {
namespace {

constexpr double kUnit = 0x1p-53;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLossMax = 700;  // beyond it e^loss overflows; such mass counts as infinite loss

double value_at(const Grid& grid, long index) {
  return grid.offset + static_cast<double>(index) * grid.step;
}

/// The least loss in [low, high] with at most `tail` of P above it (or, on the left, below it), to
/// within a step.
double quantile(const Loss& loss, double tail, bool right, double step) {
  double low = -kLossMax;
  double high = kLossMax;
  while (high - low > step) {
    const double middle = (low + high) / 2;
    const Mass m = right ? loss.cell(middle, kInfinity) : loss.cell(-kInfinity, middle);
    const bool small = m.p_high <= tail;
    (small == right ? high : low) = middle;
  }
  return right ? high : low;
}

struct Range {
  long first;
  long last;
  bool empty;
};

/// The grid indices that cover the continuous part, but for its tails.
Range covering(const Loss& loss, const Grid& grid, double tail) {
  if (loss.cell(-kInfinity, kInfinity).p_high <= 0) return {0, 0, true};
  const double low = quantile(loss, tail, false, grid.step);
  const double high = quantile(loss, tail, true, grid.step);
  return {static_cast<long>(std::floor((low - grid.offset) / grid.step)),
          static_cast<long>(std::ceil((high - grid.offset) / grid.step)), false};
}

/// Collects mass at grid indices and then trims it to a dense array.
class Collector {
 public:
  Collector(const Grid& grid, long first, long last) : grid_(grid), first_(first) {
    p_.assign(static_cast<std::size_t>(last - first + 1), 0.0);
  }
  void add(long index, double mass) { p_[static_cast<std::size_t>(index - first_)] += mass; }
  GridLoss finish(double infinity, double slack) && {
    while (!p_.empty() && p_.back() <= 0) p_.pop_back();
    const auto begin = std::find_if(p_.begin(), p_.end(), [](double p) { return p > 0; });
    first_ += begin - p_.begin();
    p_.erase(p_.begin(), begin);
    return {grid_, first_, std::move(p_), infinity, slack};
  }

 private:
  Grid grid_;
  long first_;
  std::vector<double> p_;
};

/// First and last index that the atoms need, merged with the continuous range.
void include_atoms(const Loss& loss, const Grid& grid, Range& range) {
  for (const Atom& atom : loss.atoms) {
    if (atom.mass.p_high <= 0) continue;
    const double position = (atom.loss - grid.offset) / grid.step;
    const long below = static_cast<long>(std::floor(position)) - 1;
    const long above = static_cast<long>(std::ceil(position)) + 1;
    range.first = range.empty ? below : std::min(range.first, below);
    range.last = range.empty ? above : std::max(range.last, above);
    range.empty = false;
  }
}

double slack_of(const Loss& loss, const Range& range, const Grid& grid) {
  const double size =
      1 + std::max(std::fabs(value_at(grid, range.first)), std::fabs(value_at(grid, range.last)));
  double slack = (loss.loss_error + 8 * kUnit) * size;
  for (const Atom& atom : loss.atoms) slack = std::max(slack, atom.loss_error + 8 * kUnit * size);
  return slack;
}

/// Makes one more use never cost less, whatever was rounded: P has at least mass 1, and Q at most
/// e^slack (pld.md, section 4).
GridLoss settled(GridLoss loss) {
  double p_sum = loss.infinity;
  double q_sum = 0;
  for (std::size_t i = 0; i < loss.p.size(); ++i) {
    p_sum += loss.p[i];
    q_sum += loss.p[i] * std::exp(-value_at(loss.grid, loss.first + static_cast<long>(i)));
  }
  const double rounding = kUnit * (static_cast<double>(loss.p.size()) + 2048);
  const double missing = std::max(0.0, 1 - p_sum * (1 - rounding));
  for (double& p : loss.p) p *= 1 + 2 * missing;
  loss.slack += std::max(0.0, std::log(q_sum) + 2 * missing + 2 * rounding);
  return loss;
}

}  // namespace

Span span(const Loss& loss, double tail) {
  Span out{kInfinity, -kInfinity};
  if (loss.cell(-kInfinity, kInfinity).p_high > 0) {
    // To within a small part of the span itself, whatever its size.
    out = {-kLossMax, kLossMax};
    for (double step = 1; step > 1e-13; step /= 4) {
      out = {quantile(loss, tail, false, step), quantile(loss, tail, true, step)};
      if (out.high - out.low > 64 * step) break;
    }
  }
  for (const Atom& atom : loss.atoms) {
    if (atom.mass.p_high <= 0) continue;
    out.low = std::min(out.low, atom.loss);
    out.high = std::max(out.high, atom.loss);
  }
  return out;
}

GridLoss round_up(const Loss& loss, const Grid& grid, double tail) {
  Range range = covering(loss, grid, tail);
  const Range body = range;
  include_atoms(loss, grid, range);
  Collector out(grid, range.first, range.last);
  double infinity = loss.infinity_high;

  // Of mass p between two grid points, the share that goes up: (p - e^{low} q) / (1 - e^{-step}).
  const double share = 1 / -std::expm1(-grid.step) * (1 + 16 * kUnit);
  const auto split = [&](long index, const Mass& m) {
    const double excess = m.p_high - std::exp(value_at(grid, index)) * (1 - 32 * kUnit) * m.q_low;
    const double up = std::clamp(excess * share, 0.0, m.p_high);
    out.add(index, (m.p_high - up) * (1 + 4 * kUnit));
    out.add(index + 1, up);
  };

  if (!body.empty) {
    out.add(body.first, loss.cell(-kInfinity, value_at(grid, body.first)).p_high);
    for (long i = body.first; i < body.last; ++i) {
      split(i, loss.cell(value_at(grid, i), value_at(grid, i + 1)));
    }
    infinity += loss.cell(value_at(grid, body.last), kInfinity).p_high;
  }
  const double slack = slack_of(loss, range, grid);
  for (const Atom& atom : loss.atoms) {
    if (atom.mass.p_high <= 0) continue;
    const double position = (atom.loss - grid.offset) / grid.step;
    const long nearest = std::lround(position);
    if (std::fabs(atom.loss - value_at(grid, nearest)) <= slack) {
      out.add(nearest, atom.mass.p_high);
    } else {
      // The same split, with e^{low} q = p e^{low - loss}, which cannot overflow.
      const long below = static_cast<long>(std::floor(position));
      const double rise = -std::expm1(value_at(grid, below) - atom.loss) * (1 + 16 * kUnit);
      const double up = std::clamp(atom.mass.p_high * rise * share, 0.0, atom.mass.p_high);
      out.add(below, (atom.mass.p_high - up) * (1 + 4 * kUnit));
      out.add(below + 1, up);
    }
  }
  return settled(std::move(out).finish(infinity, slack));
}

namespace {

/// The loss of a cell, rounded down: ln(p_low / q_high), or -inf.
double cell_loss(const Mass& m) {
  if (m.p_low <= 0) return -kInfinity;
  return std::log(m.p_low / m.q_high) - 16 * kUnit;
}

/// Merges a little of each cell into its neighbours so that every cell's loss becomes its grid
/// value.
///
/// Cell i holds the outputs with loss within half a step of grid value i; its own loss misses that
/// value by some c_i of second order in the step. Where c_i < 0 it receives a share up[i+1] of cell
/// i+1's outputs, where c_i > 0 a share down[i-1] of cell i-1's; the shares solve
///   (1 - up[i] - down[i]) (P_i - a_i Q_i) + received P - a_i received Q = 0,   a_i = e^{grid value
///   i},
/// a diagonally dominant system, solved by sweeps. Whatever the shares are, this is a randomized
/// post-processing; `round_down` only relies on the masses that result.
struct Shares {
  std::vector<double> up;    // share of cell i that goes to cell i - 1, pulling it up
  std::vector<double> down;  // share of cell i that goes to cell i + 1, pulling it down
};

Shares balance(const std::vector<Mass>& cells, const std::vector<double>& values, bool is_cut) {
  constexpr double kShareMax = 0.45;
  constexpr double kMargin =
      1e-12;  // end barely above the grid value: below it a cell would lose a whole step
  const std::size_t n = cells.size();
  Shares s{std::vector<double>(n, 0.0), std::vector<double>(n, 0.0)};
  std::vector<double> gap(n);         // P_i - a_i Q_i
  std::vector<double> above(n, 0.0);  // the same for cell i+1's masses at a_i
  std::vector<double> below(n, 0.0);
  const auto excess = [&](std::size_t cell, double value) {
    return cells[cell].p_low - std::exp(value) * (1 + kMargin) * cells[cell].q_high;
  };
  for (std::size_t i = 0; i < n; ++i) {
    gap[i] = excess(i, values[i]);
    if (i + 1 < n) above[i] = excess(i + 1, values[i]);
    if (i > 0) below[i] = excess(i - 1, values[i]);
  }
  for (int sweep = 0; sweep < 40; ++sweep) {
    double moved = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double kept = (1 - s.up[i] - s.down[i]) * gap[i];
      double* share = nullptr;
      double wanted = 0;
      if (kept < 0 && above[i] > 0) {
        share = &s.up[i + 1];
        wanted = -kept / above[i];
      } else if (kept > 0 && below[i] < 0 && !(is_cut && i + 1 == n)) {
        share = &s.down[i - 1];
        wanted = kept / -below[i] * (1 - kMargin);
      }
      if (share == nullptr) continue;
      wanted = std::min(wanted, kShareMax);
      moved = std::max(moved, std::fabs(wanted - *share));
      *share = wanted;
    }
    if (moved < 1e-15) break;
  }
  return s;
}

}  // namespace

namespace {

/// Where the losses end abruptly (subsampling: none lies below ln(1-q), and much mass lies right
/// above), the outermost cell is all of
/// (-inf, t], and the grid is shifted so that t is half a step above that cell's own loss: the
/// cells that follow then fit as well. `side` is -1 for the left end, +1 for the right. Returns the
/// mass of that cell and the shift.
struct Alignment {
  double mass;
  double offset;
};

Alignment align(const Loss& loss, const Grid& grid, double edge, double side) {
  const auto end_cell = [&](double t) {
    return side < 0 ? loss.cell(-kInfinity, t) : loss.cell(t, kInfinity);
  };
  // Positive next to the edge, negative far inside.
  const auto lead = [&](double t) {
    const double own = cell_loss(end_cell(t));
    return std::isinf(own) ? grid.step : -side * (own - t) + grid.step / 2;
  };
  double near = edge;
  double far = edge;
  for (int i = 0; i < 60 && !(lead(far) < 0); ++i) far -= side * grid.step;
  for (int i = 0; i < 60; ++i) {
    const double middle = (near + far) / 2;
    (lead(middle) < 0 ? far : near) = middle;
  }
  return {end_cell(far).p_low, far + side * grid.step / 2};
}

/// Shifts the grid, and shortens the range, for the end that has more mass in its outermost cell.
void align(const Loss& loss, Grid& grid, Range& body) {
  const Alignment left = align(loss, grid, value_at(grid, body.first), -1);
  const Alignment right = align(loss, grid, value_at(grid, body.last), 1);
  const bool at_left = left.mass > right.mass;
  const double offset = at_left ? left.offset : right.offset;
  const double whole = std::floor(offset / grid.step);
  const double shift = offset - grid.step * whole - grid.offset;
  grid.offset += shift;
  // The other end keeps its place on the old grid; there is always at least the end cell.
  if (at_left) {
    body.first = static_cast<long>(whole);
    body.last = std::max(body.last, body.first);
  } else {
    body.last = static_cast<long>(whole);
    body.first = std::min(body.first, body.last);
  }
}

}  // namespace

GridLoss round_down(const Loss& loss, const Grid& wanted_grid, double tail, double highest) {
  Grid grid = wanted_grid;
  Range range = covering(loss, grid, tail);
  if (!range.empty && loss.atoms.empty()) align(loss, grid, range);
  const auto last =
      static_cast<long>(std::min(std::floor((highest - grid.offset) / grid.step), 0x1p50));
  const bool is_cut = !range.empty && range.last > last;
  if (is_cut) range.last = std::max(last, range.first);
  // Between two atoms cells are two steps wide, so that they tile what lies between them: half
  // cells at the ends would have to move down.
  long stride = 1;
  if (!range.empty && loss.atoms.size() == 2) {
    const auto index = [&](const Atom& atom) {
      return std::lround((atom.loss - grid.offset) / grid.step);
    };
    const auto [low, high] = std::minmax({index(loss.atoms.front()), index(loss.atoms.back())});
    if (high - low >= 4 && (high - low) % 2 == 0 && !is_cut) {
      range = {low + 1, high - 1, false};
      stride = 2;
    }
  }
  const Range body = range;
  include_atoms(loss, grid, range);
  range.first -= 2;
  range.last = std::max(std::min(range.last, last), range.first) + 2;
  Collector out(grid, range.first, range.last);

  // A cell counts at the highest grid value not above its own loss, or above it by rounding only
  // (slack). p <= P(cell) and p e^{-grid value} >= Q(cell) then hold.
  const double slack = slack_of(loss, range, grid) + (stride == 2 ? 4e-12 : 32 * kUnit);
  const auto place = [&](const Mass& m, long wanted) {
    const double own = cell_loss(m);
    if (std::isinf(own)) return;
    for (long index = wanted; index > wanted - 2; --index) {
      if (value_at(grid, index) > own + slack) continue;
      out.add(index, m.p_low * (1 - 8 * kUnit));
      return;
    }
  };

  if (!body.empty) {
    const auto n = static_cast<std::size_t>((body.last - body.first) / stride + 1);
    const double half = static_cast<double>(stride) * grid.step / 2;
    std::vector<Mass> cells(n);
    std::vector<double> values(n);
    for (std::size_t i = 0; i < n; ++i) {
      values[i] = value_at(grid, body.first + stride * static_cast<long>(i));
      cells[i] = loss.cell(i == 0 ? -kInfinity : values[i] - half,
                           i + 1 == n ? kInfinity : values[i] + half);
    }
    const Shares shares = balance(cells, values, is_cut);
    for (std::size_t i = 0; i < n; ++i) {
      Mass m;
      const auto take = [&](std::size_t from, double share) {
        m.p_low += share * cells[from].p_low;
        m.q_high += share * cells[from].q_high * (1 + 4 * kUnit);
      };
      take(i, 1 - shares.up[i] - shares.down[i]);
      if (i + 1 < n) take(i + 1, shares.up[i + 1]);
      if (i > 0) take(i - 1, shares.down[i - 1]);
      m.p_low *= 1 - 8 * kUnit;
      place(m, body.first + stride * static_cast<long>(i));
    }
  }
  for (const Atom& atom : loss.atoms) {
    if (atom.mass.p_high <= 0) continue;
    const double position = (atom.loss - grid.offset) / grid.step;
    const long nearest = std::lround(position);
    const bool on_grid = std::fabs(atom.loss - value_at(grid, nearest)) <= slack;
    out.add(std::min(on_grid ? nearest : static_cast<long>(std::floor(position)), range.last - 2),
            atom.mass.p_low);
  }
  return std::move(out).finish(loss.infinity_low, slack);
}

}  // namespace discreet::accounting
