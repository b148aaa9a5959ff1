// SPDX-License-Identifier: Apache-2.0
#include "learn/synthetic.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "learn/distribution.h"
#include "learn/synthetic_rows.h"

namespace discreet::learn {
namespace {

constexpr std::size_t kRowsMax = 100'000;  ///< that are weighed
constexpr std::size_t kTripleCellsMax = 2'000'000;
constexpr std::size_t kSweeps = 8;  ///< in which marginals are added to the model
constexpr int kPasses = 40;         ///< of a fit on the way
constexpr int kLastPasses = 150;

/// The nearest that are shares.
std::vector<Marginal> shares_of(const std::vector<Measured>& measured) {
  std::vector<Marginal> out;
  for (const Measured& m : measured) out.push_back({m.columns, nearest_shares(m.shares)});
  return out;
}

Grid grid_of(const SyntheticTask& task) {
  std::vector<std::size_t> widths;
  for (const Column& column : task.columns) widths.push_back(bin_count(column, task.bins));
  return Grid(std::move(widths));
}

/// All sets of two or three columns.
std::vector<std::vector<std::size_t>> all_pairs(std::size_t d) {
  std::vector<std::vector<std::size_t>> out;
  for (std::size_t a = 0; a < d; ++a) {
    for (std::size_t b = a + 1; b < d; ++b) out.push_back({a, b});
  }
  return out;
}

std::vector<std::vector<std::size_t>> all_triples(std::size_t d) {
  std::vector<std::vector<std::size_t>> out;
  for (const auto& pair : all_pairs(d)) {
    for (std::size_t c = pair[1] + 1; c < d; ++c) out.push_back({pair[0], pair[1], c});
  }
  return out;
}

/// A rule of public numbers: triples are measured where there are not too many.
bool measures_triples(const SyntheticTask& task) {
  const std::size_t d = task.columns.size();
  if (d < 3 || d > 16) return false;
  const Grid grid = grid_of(task);
  std::size_t cells = 0;
  for (const auto& triple : all_triples(d)) cells += grid.cells(triple);
  return cells <= kTripleCellsMax;
}

/// Counts of the cells of some sets of columns, in one round.
struct Counted {
  std::vector<std::vector<std::size_t>> sets;
  std::vector<std::vector<double>> counts;
  double deviation = 0;  ///< of a count's noise

  /// How many rows, by all sets together; never so few that noise may have made them up.
  double rows() const {
    double sum = 0;
    double cells = 0;
    for (const auto& one : counts) {
      sum += std::accumulate(one.begin(), one.end(), 0.0);
      cells += static_cast<double>(one.size());
    }
    const auto all = static_cast<double>(counts.size());
    return std::max({sum / all, 2 * deviation * std::sqrt(cells) / all, 10.0});
  }
  /// As shares of this look's own rows: clipping leaves of a unit with many rows another part in
  /// every look.
  std::vector<Measured> shares() const {
    std::vector<Measured> out;
    const double total = rows();
    for (std::size_t i = 0; i < sets.size(); ++i) {
      Measured& one = out.emplace_back(sets[i], counts[i], std::pow(deviation / total, 2));
      for (double& x : one.shares) x /= total;
    }
    return out;
  }
};

class Counter {
 public:
  Counter(Sums& sums, const SyntheticTask& task, const Grid& grid)
      : sums_(sums), task_(task), grid_(grid), bins_(task.columns.size()) {}

  Result<Counted> count(const std::vector<std::vector<std::size_t>>& sets) {
    std::vector<std::size_t> first{0};
    for (const auto& set : sets) first.push_back(first.back() + grid_.cells(set));
    const auto ones = static_cast<double>(sets.size());
    DISCREET_ASSIGN(const std::vector<double> flat,
                    sums_.sparse(first.back(), sums_.pure() ? ones : std::sqrt(ones),
                                 [&](std::span<const std::int64_t> row, Sums::Pairs& out) {
                                   if (!read(row)) return;
                                   for (std::size_t i = 0; i < sets.size(); ++i) {
                                     out.emplace_back(first[i] + grid_.cell(sets[i], bins_), 1.0);
                                   }
                                 }));
    Counted out{sets, {}, sums_.deviation()};
    for (std::size_t i = 0; i < sets.size(); ++i) {
      out.counts.emplace_back(flat.begin() + static_cast<std::ptrdiff_t>(first[i]),
                              flat.begin() + static_cast<std::ptrdiff_t>(first[i + 1]));
    }
    return out;
  }

 private:
  /// A row without one of its values is left out of all rounds.
  bool read(std::span<const std::int64_t> row) {
    for (std::size_t c = 0; c < bins_.size(); ++c) {
      bins_[c] = bin_of(task_.columns[c], row[c], task_.bins);
      if (bins_[c] < 0) return false;
    }
    return true;
  }

  Sums& sums_;
  const SyntheticTask& task_;
  const Grid& grid_;
  std::vector<std::int64_t> bins_;
};

/// Each column from its own count and from every pair it is in.
std::vector<Measured> singles_of(std::vector<Measured> own, const std::vector<Measured>& pairs,
                                 const Grid& grid) {
  for (const Measured& pair : pairs) {
    const std::size_t nb = grid.width(pair.columns[1]);
    for (const std::size_t side : {0, 1}) {
      Measured& single = own[pair.columns[side]];
      std::vector<double> shares(single.shares.size(), 0.0);
      for (std::size_t i = 0; i < pair.shares.size(); ++i) {
        shares[side == 0 ? i / nb : i % nb] += pair.shares[i];
      }
      single.add(shares, pair.variance * static_cast<double>(pair.shares.size()) /
                             static_cast<double>(shares.size()));
    }
  }
  return own;
}

/// The table as it grows: its columns, and the marginals that it was found to lack.
class Draft {
 public:
  Draft(const Grid& grid, std::vector<Measured> singles, Weighed table)
      : grid_(grid), singles_(std::move(singles)), table_(std::move(table)) {}

  const Weighed& table() const { return table_; }
  const std::vector<Measured>& chosen() const { return chosen_; }
  std::vector<Measured>& chosen() { return chosen_; }

  void fit(int passes) {
    std::vector<Measured> all = singles_;
    all.insert(all.end(), chosen_.begin(), chosen_.end());
    weigh(table_, grid_, all, passes);
  }

  /// A chosen one that it holds is no longer needed.
  void choose(const Measured& m) {
    if (has(m)) return;
    std::erase_if(chosen_, [&](const Measured& one) { return holds(m, one); });
    chosen_.push_back(m);
  }

  bool has(const Measured& m) const {
    return std::ranges::any_of(chosen_, [&](const Measured& one) { return holds(one, m); });
  }

  /// How much of the table's mass a marginal would move, beyond its own noise, and beyond the noise
  /// that it brings when it is measured again with that variance; 0: nothing that is sure.
  double gain(const Measured& m, double variance_again) const {
    const std::vector<double> have = shares_among(table_, grid_, m.columns);
    double squares = 0;
    for (std::size_t i = 0; i < have.size(); ++i) {
      squares += (m.shares[i] - have[i]) * (m.shares[i] - have[i]);
    }
    const auto cells = static_cast<double>(have.size());
    // One of a thousand that lack nothing is taken for one that does.
    if (squares < m.variance * (cells + 3 * std::sqrt(2 * cells))) return 0;
    const double surplus = squares - m.variance * cells;
    return std::max(0.0, std::sqrt(surplus * cells) - std::sqrt(variance_again) * cells);
  }

 private:
  static bool holds(const Measured& large, const Measured& small) {
    return std::ranges::includes(large.columns, small.columns);
  }

  const Grid& grid_;
  std::vector<Measured> singles_, chosen_;
  Weighed table_;
};

/// One after another, what the draft lacks most is added to it, as far as it is known.
/// `variance_again`: of a share when so many sets are measured again.
void complete(Draft& draft, const std::vector<Measured>& rough, std::size_t columns,
              const std::function<double(std::size_t sets)>& variance_again) {
  const std::size_t most = draft.chosen().size() + columns;
  const std::size_t at_once = (columns + kSweeps - 1) / kSweeps;
  for (std::size_t sweep = 0; sweep < kSweeps && draft.chosen().size() < most; ++sweep) {
    const double again = variance_again(std::max<std::size_t>(4, draft.chosen().size() + 1));
    std::vector<std::pair<double, std::size_t>> gains;
    for (std::size_t i = 0; i < rough.size(); ++i) {
      const double gain = draft.has(rough[i]) ? 0 : draft.gain(rough[i], again);
      if (gain > 0) gains.emplace_back(gain, i);
    }
    if (gains.empty()) return;
    std::ranges::sort(gains, std::greater());
    gains.resize(std::min(at_once, gains.size()));
    for (const auto& [gain, i] : gains) draft.choose(rough[i]);
    draft.fit(kPasses);
  }
}

/// The chosen ones are measured again and join what was known of them. Where nothing stood out it
/// is the pairs, of which those stay that do now.
Result<void> measure_again(Draft& draft, Counter& counter, std::span<const Measured> pairs) {
  const bool none = draft.chosen().empty();
  std::vector<Measured> list = draft.chosen();
  if (none) list.assign(pairs.begin(), pairs.end());
  std::vector<std::vector<std::size_t>> sets;
  for (const Measured& m : list) sets.push_back(m.columns);
  DISCREET_ASSIGN(const Counted again, counter.count(sets));
  const std::vector<Measured> second = again.shares();
  for (std::size_t i = 0; i < list.size(); ++i) list[i].add(second[i].shares, second[i].variance);
  if (none) std::erase_if(list, [&](const Measured& m) { return draft.gain(m, 0) == 0; });
  draft.chosen() = std::move(list);
  draft.fit(kLastPasses);
  return {};
}

}  // namespace

double ReleasedMarginal::distance() const {
  double sum = 0;
  for (std::size_t i = 0; i < released.size(); ++i) sum += std::abs(released[i] - synthetic[i]);
  return sum / 2;
}

Result<void> check_task(const SyntheticTask& task) {
  if (task.columns.size() < 2 || task.columns.size() > 64) {
    return invalid_input("a synthetic table needs 2 to 64 columns; choose with --features");
  }
  for (const Column& column : task.columns) DISCREET_TRY(check_column(column));
  if (task.bins < 2 || task.bins > 256) return invalid_input("--bins must lie between 2 and 256");
  const Grid grid = grid_of(task);
  double cells = 0;
  for (const auto& pair : all_pairs(task.columns.size())) {
    cells += static_cast<double>(grid.cells(pair));
  }
  return check_entries(cells, "take fewer --bins, or fewer columns with --features");
}

std::vector<Rational> synthetic_shares(const SyntheticTask& task) {
  if (measures_triples(task)) return {4, 26, 20, 50};
  return {5, 45, 50};
}

Result<Synthetic> fit_synthetic(Sums& sums, const SyntheticTask& task) {
  DISCREET_TRY(check_task(task));
  const std::size_t d = task.columns.size();
  const Grid grid = grid_of(task);
  Counter counter(sums, task, grid);
  std::vector<std::vector<std::size_t>> one_each;
  for (std::size_t c = 0; c < d; ++c) one_each.push_back({c});
  DISCREET_ASSIGN(const Counted own, counter.count(one_each));
  const auto pair_sets = all_pairs(d);
  DISCREET_ASSIGN(const Counted in_pairs, counter.count(pair_sets));
  std::vector<Measured> rough = in_pairs.shares();
  const std::vector<Measured> singles = singles_of(own.shares(), rough, grid);
  const std::vector<Marginal> pairs = shares_of(rough);
  if (measures_triples(task)) {
    const auto sets = all_triples(d);
    DISCREET_ASSIGN(const Counted looked, counter.count(sets));
    for (Measured& m : looked.shares()) rough.push_back(std::move(m));
  }
  // From columns that have nothing to do with each other, or from a tree of pairs.
  Choices random(task.seed);
  Start start = first_rows(kRowsMax, grid, shares_of(singles), pairs, random);
  Draft draft(grid, singles, std::move(start.table));
  for (const std::size_t p : start.tree) draft.choose(rough[p]);
  if (!start.tree.empty()) draft.fit(kPasses);
  const double total = own.rows();
  complete(draft, rough, d, [&](std::size_t sets) {
    const auto n = static_cast<double>(sets);
    const double clip = sums.pure() ? n : std::sqrt(n);
    return std::pow(sums.deviation(sums.rounds_done(), clip) / total, 2);
  });
  DISCREET_TRY(measure_again(draft, counter, std::span(rough).first(pairs.size())));
  Synthetic out;
  out.count = total;
  const std::size_t wanted = task.rows > 0 ? task.rows : static_cast<std::size_t>(total);
  out.rows = resample(draft.table(), std::min<std::size_t>(wanted, 10'000'000), random);
  const Weighed made{
      out.rows, std::vector<double>(out.rows.size(), 1 / static_cast<double>(out.rows.size()))};
  std::vector<Marginal> released = shares_of(singles);
  for (const Marginal& pair : pairs) released.push_back(pair);
  for (const Marginal& m : shares_of(draft.chosen())) {
    if (m.columns.size() == 3) {
      released.push_back(m);
    } else {
      const auto at = std::ranges::find(pair_sets, m.columns) - pair_sets.begin();
      released[d + static_cast<std::size_t>(at)] = m;
    }
  }
  for (const Marginal& m : released) {
    out.marginals.push_back({m.columns, m.shares, shares_among(made, grid, m.columns)});
  }
  return out;
}

std::string value_text(const Column& column, std::int64_t bin, std::size_t bins,
                       std::uint64_t draw) {
  if (column.categorical()) return column.categories[static_cast<std::size_t>(bin)];
  const auto cells = static_cast<double>(column.cells());
  const auto count = static_cast<double>(bin_count(column, bins));
  const auto begin = static_cast<std::int64_t>(std::ceil(static_cast<double>(bin) * cells / count));
  const auto end =
      std::max(begin + 1,
               static_cast<std::int64_t>(std::ceil(static_cast<double>(bin + 1) * cells / count)));
  const std::int64_t cell =
      begin + static_cast<std::int64_t>(draw % static_cast<std::uint64_t>(end - begin));
  return column.text(column.value(std::min(cell, column.cells() - 1)));
}

std::function<std::string(std::size_t, std::size_t, std::size_t)> bin_begins(
    std::vector<Column> columns) {
  return [columns = std::move(columns)](std::size_t column, std::size_t bin, std::size_t bins) {
    return value_text(columns.at(column), static_cast<std::int64_t>(bin), bins, 0);
  };
}

}  // namespace discreet::learn
