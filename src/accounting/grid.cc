// SPDX-License-Identifier: Apache-2.0
#include "accounting/grid.h"

#include <algorithm>
#include <cmath>

#include "accounting/constants.h"

namespace discreet::accounting {
namespace {

constexpr double kLossMax = 700;  // beyond it e^loss overflows; such mass counts as infinite loss

double value_of_cell(const Grid& grid, long index) {
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
  const double size = 1 + std::max(std::fabs(value_of_cell(grid, range.first)),
                                   std::fabs(value_of_cell(grid, range.last)));
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
    q_sum += loss.p[i] * std::exp(-value_of_cell(loss.grid, loss.first + static_cast<long>(i)));
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
    const double excess =
        m.p_high - std::exp(value_of_cell(grid, index)) * (1 - 32 * kUnit) * m.q_low;
    const double up = std::clamp(excess * share, 0.0, m.p_high);
    out.add(index, (m.p_high - up) * (1 + 4 * kUnit));
    out.add(index + 1, up);
  };

  if (!body.empty) {
    out.add(body.first, loss.cell(-kInfinity, value_of_cell(grid, body.first)).p_high);
    for (long i = body.first; i < body.last; ++i) {
      split(i, loss.cell(value_of_cell(grid, i), value_of_cell(grid, i + 1)));
    }
    infinity += loss.cell(value_of_cell(grid, body.last), kInfinity).p_high;
  }
  const double slack = slack_of(loss, range, grid);
  for (const Atom& atom : loss.atoms) {
    if (atom.mass.p_high <= 0) continue;
    const double position = (atom.loss - grid.offset) / grid.step;
    const long nearest = std::lround(position);
    if (std::fabs(atom.loss - value_of_cell(grid, nearest)) <= slack) {
      out.add(nearest, atom.mass.p_high);
    } else {
      // The same split, with e^{low} q = p e^{low - loss}, which cannot overflow.
      const long below = static_cast<long>(std::floor(position));
      const double rise = -std::expm1(value_of_cell(grid, below) - atom.loss) * (1 + 16 * kUnit);
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

/// Outputs that are merged into one, at a grid value.
struct Cell {
  double value;
  Mass mass;
};

/// Moves a share of one cell's outputs to another: of what is in a cell all parts have one loss, so
/// the loss of the first does not change.
void move(double share, Cell& from, Cell& to) {
  constexpr double kLess = 1 - 4 * kUnit;
  constexpr double kMore = 1 + 4 * kUnit;
  to.mass.p_low = (to.mass.p_low + share * from.mass.p_low) * kLess;
  to.mass.q_high = (to.mass.q_high + share * from.mass.q_high) * kMore;
  from.mass.p_low *= (1 - share) * kLess;
  from.mass.q_high *= (1 - share) * kMore;
}

/// Merges a little of each cell into others so that every cell's loss becomes its grid value.
///
/// A cell holds the outputs with loss within half a cell of its grid value; its own loss misses
/// that value by some amount of second order in the step. From the highest cell down: one whose
/// loss is too small gets a share of the next above it, which is settled already (and of those
/// further up if it takes all of that); one whose loss is too large gets a share of the next below.
/// The shares solve, for the cell's P and Q and a = e^{grid value}, P - a Q = 0. Whatever they are,
/// this is a randomized post-processing; `round_down` only relies on the masses that result.
/// Nothing is lost under P or gained under Q, but for the ends.
void balance(std::vector<Cell>& cells, bool is_cut) {
  constexpr double kShareMax = 0.9;
  constexpr double kMargin =
      1e-12;  // end barely above the grid value: below it a cell would lose a whole step
  const std::size_t n = cells.size();
  for (std::size_t i = n; i-- > 0;) {
    const double odds = std::exp(cells[i].value) * (1 + kMargin);
    const auto excess = [&](const Cell& cell) { return cell.mass.p_low - odds * cell.mass.q_high; };
    const double own = excess(cells[i]);
    if (own < 0) {
      double missing = -own;
      // All that lies left of the lowest value may be far below it: it is not worth the others.
      if (i == 0 && (n == 1 || missing > excess(cells[1]))) continue;
      for (std::size_t above = i + 1; above < n && missing > 0; ++above) {
        const double gain = excess(cells[above]);
        if (!(gain > 0)) continue;
        const double share = std::min(1.0, missing / gain);
        move(share, cells[above], cells[i]);
        missing = share < 1 ? 0 : missing - gain;
      }
    } else if (i > 0 && !(is_cut && i + 1 == n)) {
      const double gain = excess(cells[i - 1]);
      if (gain < 0) move(std::min(kShareMax, own / -gain * (1 - kMargin)), cells[i - 1], cells[i]);
    }
  }
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
  const Alignment left = align(loss, grid, value_of_cell(grid, body.first), -1);
  const Alignment right = align(loss, grid, value_of_cell(grid, body.last), 1);
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
      if (value_of_cell(grid, index) > own + slack) continue;
      out.add(index, m.p_low * (1 - 8 * kUnit));
      return;
    }
  };

  // Atoms on the grid take part in the merging where cells tile what lies between them.
  std::vector<Cell> cells;
  const auto lie_on_grid = [&](const Atom& atom) {
    const long nearest = std::lround((atom.loss - grid.offset) / grid.step);
    return std::fabs(atom.loss - value_of_cell(grid, nearest)) <= slack;
  };
  std::vector<Atom> atoms = loss.atoms;
  const bool tiled = stride == 2 && lie_on_grid(atoms.front()) && lie_on_grid(atoms.back());
  Atom* low = nullptr;
  Atom* high = nullptr;
  if (tiled) {
    const bool rising = atoms.front().loss < atoms.back().loss;
    low = rising ? &atoms.front() : &atoms.back();
    high = rising ? &atoms.back() : &atoms.front();
    cells.push_back({low->loss, low->mass});
  }
  if (!body.empty) {
    const auto n = static_cast<std::size_t>((body.last - body.first) / stride + 1);
    const double half = static_cast<double>(stride) * grid.step / 2;
    for (std::size_t i = 0; i < n; ++i) {
      const double value = value_of_cell(grid, body.first + stride * static_cast<long>(i));
      cells.push_back({value, loss.cell(i == 0 ? -kInfinity : value - half,
                                        i + 1 == n ? kInfinity : value + half)});
    }
    if (tiled) cells.push_back({high->loss, high->mass});
    balance(cells, is_cut);
    if (tiled) {
      high->mass = cells.back().mass;
      low->mass = cells.front().mass;
      cells.erase(cells.begin());
    }
    for (std::size_t i = 0; i < n; ++i)
      place(cells[i].mass, body.first + stride * static_cast<long>(i));
  }
  for (const Atom& atom : atoms) {
    if (atom.mass.p_high <= 0) continue;
    const double position = (atom.loss - grid.offset) / grid.step;
    out.add(std::min(
                lie_on_grid(atom) ? std::lround(position) : static_cast<long>(std::floor(position)),
                range.last - 2),
            atom.mass.p_low);
  }
  return std::move(out).finish(loss.infinity_low, slack);
}

}  // namespace discreet::accounting
