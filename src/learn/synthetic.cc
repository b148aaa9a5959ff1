// SPDX-License-Identifier: Apache-2.0
#include "learn/synthetic.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "learn/distribution.h"
#include "learn/synthetic_rows.h"

namespace discreet::learn {
namespace {

constexpr std::size_t kDrawn = 60'000;
constexpr std::size_t kTripleCellsMax = 2'000'000;

std::vector<double> shares_of(std::vector<double> counts, double total) {
  for (double& c : counts) c /= total;
  return nearest_shares(std::move(counts));
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
  std::vector<std::vector<double>> counts;
  double deviation = 0;  ///< of a count's noise
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
    Counted out{{}, sums_.deviation()};
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

/// Two counts of the same, by how sure each is.
void average_into(std::vector<double>& counts, double deviation, const std::vector<double>& again,
                  double deviation_again) {
  const double a = 1 / (deviation * deviation);
  const double b = 1 / (deviation_again * deviation_again);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    counts[i] = (a * counts[i] + b * again[i]) / (a + b);
  }
}

/// A triple beside what the model of all pairs says of it.
struct Triple {
  std::vector<std::size_t> columns;
  std::vector<double> counts, expected;
  double deviation = 0;
  double surplus = 0;  ///< squared distance that noise does not explain; 0: none that is sure
  double trust = 0;    ///< the surplus's part of the distance

  void compare() {
    double squares = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      squares += (counts[i] - expected[i]) * (counts[i] - expected[i]);
    }
    const auto cells = static_cast<double>(counts.size());
    const double noise = deviation * deviation;
    surplus =
        squares - noise * (cells + 4 * std::sqrt(2 * cells)) > 0 ? squares - noise * cells : 0;
    trust = surplus > 0 ? surplus / squares : 0;
  }
  /// How much of the table's mass it would move, about.
  double gain() const { return std::sqrt(surplus * static_cast<double>(counts.size())); }
  /// Drawn towards what was expected by what noise explains.
  std::vector<double> shrunk() const {
    std::vector<double> out = expected;
    for (std::size_t i = 0; i < out.size(); ++i) out[i] += trust * (counts[i] - expected[i]);
    return out;
  }
};

/// Each column's shares from its own count and from every pair.
std::vector<Marginal> singles_of(const Counted& own, const std::vector<Marginal>& pairs,
                                 const Grid& grid, double total) {
  std::vector<Marginal> out;
  for (std::size_t c = 0; c < grid.columns(); ++c) {
    Marginal single{{c}, shares_of(own.counts[c], total)};
    std::vector<double> mean(grid.width(c), 0.0);
    for (const Marginal& pair : pairs) {
      if (pair.columns[0] != c && pair.columns[1] != c) continue;
      const std::size_t nb = grid.width(pair.columns[1]);
      for (std::size_t i = 0; i < pair.shares.size(); ++i) {
        mean[pair.columns[0] == c ? i / nb : i % nb] += pair.shares[i];
      }
    }
    for (std::size_t i = 0; i < mean.size(); ++i) {
      single.shares[i] =
          0.5 * single.shares[i] + 0.5 * mean[i] / static_cast<double>(grid.columns() - 1);
    }
    out.push_back(std::move(single));
  }
  return out;
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
  return {};
}

std::vector<Rational> synthetic_shares(const SyntheticTask& task) {
  if (measures_triples(task)) return {8, 32, 20, 40};
  return {15, 85};
}

Result<Synthetic> fit_synthetic(Sums& sums, const SyntheticTask& task) {
  DISCREET_TRY(check_task(task));
  const std::size_t d = task.columns.size();
  const Grid grid = grid_of(task);
  Counter counter(sums, task, grid);
  std::vector<std::vector<std::size_t>> one_each;
  for (std::size_t c = 0; c < d; ++c) one_each.push_back({c});
  DISCREET_ASSIGN(const Counted own, counter.count(one_each));
  double total = 0;
  for (const auto& counts : own.counts) {
    total += std::accumulate(counts.begin(), counts.end(), 0.0) / static_cast<double>(d);
  }
  total = std::max(total, 10.0);
  const auto pair_sets = all_pairs(d);
  DISCREET_ASSIGN(Counted pair_counts, counter.count(pair_sets));
  const auto pairs_now = [&] {
    std::vector<Marginal> out;
    for (std::size_t p = 0; p < pair_sets.size(); ++p) {
      out.push_back({pair_sets[p], shares_of(pair_counts.counts[p], total)});
    }
    return out;
  };
  std::vector<Marginal> pairs = pairs_now();
  std::vector<Marginal> singles = singles_of(own, pairs, grid, total);
  Choices random(task.seed);
  Rows rows = draw_tree(kDrawn, grid, singles, pairs, random);
  std::vector<double> weights = weigh(rows, grid, pairs);
  std::vector<Marginal> triples;
  if (measures_triples(task)) {
    // What three columns have beyond their pairs: all triples are looked at, those that differ most
    // are measured again. Where none does, the pairs are.
    const auto sets = all_triples(d);
    DISCREET_ASSIGN(Counted looked, counter.count(sets));
    std::vector<Triple> found;
    for (std::size_t t = 0; t < sets.size(); ++t) {
      Triple triple{sets[t], std::move(looked.counts[t]),
                    shares_among(rows, weights, grid, sets[t]), looked.deviation};
      for (double& x : triple.expected) x *= total;
      triple.compare();
      if (triple.surplus > 0) found.push_back(std::move(triple));
    }
    std::sort(found.begin(), found.end(),
              [](const Triple& a, const Triple& b) { return a.gain() > b.gain(); });
    if (found.size() > 2 * d) found.resize(2 * d);
    const std::size_t chosen = std::min(found.size(), d);
    std::vector<std::vector<std::size_t>> again;
    for (std::size_t t = 0; t < chosen; ++t) again.push_back(found[t].columns);
    if (again.empty()) again = pair_sets;
    DISCREET_ASSIGN(const Counted second, counter.count(again));
    for (std::size_t i = 0; i < again.size(); ++i) {
      if (chosen == 0) {
        average_into(pair_counts.counts[i], pair_counts.deviation, second.counts[i],
                     second.deviation);
      } else {
        average_into(found[i].counts, found[i].deviation, second.counts[i], second.deviation);
        found[i].deviation = found[i].deviation * second.deviation /
                             std::hypot(found[i].deviation, second.deviation);
        found[i].compare();
      }
    }
    if (chosen == 0) {
      pairs = pairs_now();
      singles = singles_of(own, pairs, grid, total);
      rows = draw_tree(kDrawn, grid, singles, pairs, random);
      weights = weigh(rows, grid, pairs);
    }
    for (const Triple& triple : found) {
      triples.push_back({triple.columns, shares_of(triple.shrunk(), total)});
    }
    if (!triples.empty()) {
      std::vector<Marginal> all = pairs;
      all.insert(all.end(), triples.begin(), triples.end());
      weights = weigh(rows, grid, all, std::move(weights));
    }
  }
  Synthetic out;
  out.count = total;
  const std::size_t wanted = task.rows > 0 ? task.rows : static_cast<std::size_t>(total);
  out.rows = resample(rows, weights, std::min<std::size_t>(wanted, 10'000'000), random);
  const std::vector<double> even(out.rows.size(), 1 / static_cast<double>(out.rows.size()));
  for (const auto* list : {&singles, &pairs, &triples}) {
    for (const Marginal& m : *list) {
      out.marginals.push_back({m.columns, m.shares, shares_among(out.rows, even, grid, m.columns)});
    }
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
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.12g",
                column.value(std::min(cell, column.cells() - 1)));
  return text.data();
}

}  // namespace discreet::learn
