// SPDX-License-Identifier: Apache-2.0
// Synthetic tables from released marginals: all columns and all pairs of columns are measured and,
// where there are not too many, all triples, roughly. A model starts from columns that have nothing
// to do with each other (a large one from a tree of pairs: Chow-Liu, as in MST) and takes in, one
// by one, the marginal that it lacks most (as AIM selects, but from counts that are there already).
// Those are measured again, better. Everything after the four rounds is free.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "learn/features.h"
#include "learn/sums.h"

namespace discreet::learn {

struct SyntheticTask {
  std::vector<Column> columns;
  std::size_t bins = 16;   ///< of a number's range
  std::size_t rows = 0;    ///< 0: as many as the released count says
  std::uint64_t seed = 1;  ///< of drawing, after release
};

/// A released marginal of one to three columns, beside what the synthetic table has.
struct ReleasedMarginal {
  std::vector<std::size_t> columns;
  std::vector<double> released;   ///< shares; the last column's bins are neighbours
  std::vector<double> synthetic;  ///< shares
  double distance() const;        ///< total variation
};

struct Synthetic {
  std::vector<std::vector<std::int64_t>> rows;  ///< bins
  std::vector<ReleasedMarginal> marginals;      ///< singles, pairs, then triples
  double count = 0;                             ///< released
};

Result<void> check_task(const SyntheticTask& task);
std::vector<Rational> synthetic_shares(const SyntheticTask& task);
Result<Synthetic> fit_synthetic(Sums& sums, const SyntheticTask& task);

/// A bin as text: a category, or a number drawn within the bin, on the column's grid.
std::string value_text(const Column& column, std::int64_t bin, std::size_t bins,
                       std::uint64_t draw);

/// The first value of one of so many bins of one of these columns, as text.
std::function<std::string(std::size_t column, std::size_t bin, std::size_t bins)> bin_begins(
    std::vector<Column> columns);

}  // namespace discreet::learn
