// SPDX-License-Identifier: Apache-2.0
// Sums of real vectors over units, through the kernel: each row's vector is put on the kernel's
// grid, where it is clipped and gets its noise; the answer is turned back. What a row function
// returns here is not trusted: not its size, not even that it is a number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "mechanism/clipped_sums.h"

namespace discreet::learn {

class Sums {
 public:
  using Dense = std::function<void(std::span<const std::int64_t> row, std::span<double> out)>;
  using Pairs = std::vector<std::pair<std::size_t, double>>;
  using Sparse = std::function<void(std::span<const std::int64_t> row, Pairs& out)>;

  /// `rows` must outlive it.
  Sums(mechanism::ClippedSums sums, const Sensitive<mechanism::UnitRows>& rows)
      : sums_(std::move(sums)), rows_(rows) {}

  /// The noisy sum of each unit's vector, clipped to norm `clip` (L1 if pure() else L2). `out`
  /// starts as zeros; what is not finite counts as 0.
  /// Fails with: what mechanism::ClippedSums::next says.
  Result<std::vector<double>> dense(std::size_t width, double clip, const Dense& f);
  Result<std::vector<double>> sparse(std::size_t width, double clip, const Sparse& f);

  /// A sum that may be divided by its own count only. A unit's rows are clipped together, so that a
  /// unit with many rows is left with another part of them in every round: means that divide by the
  /// rows of another round are means of nothing. `f` returns what the row counts for (0: left out).
  struct Counted {
    std::vector<double> sum;
    double count = 0;  ///< of rows by the weights of this round; no fewer than noise can make up
  };
  using Counting = std::function<double(std::span<const std::int64_t> row, std::span<double> out)>;
  Result<Counted> counted(std::size_t width, double clip, const Counting& f);
  /// The clip of a counted sum, for deviation(): the row's mark is a part of the vector.
  double with_mark(double clip) const;

  /// The standard deviation of each entry's noise in the last sum.
  double deviation() const { return deviation_; }
  /// What it would be in round `round` with that `clip`.
  double deviation(std::uint64_t round, double clip) const;
  bool pure() const { return sums_.terms().norm() == mechanism::ClippingNorm::kL1; }
  /// The norm that clips: L1 if pure() else L2.
  double norm(std::span<const double> v) const;
  /// How many rounds were taken (those of earlier parts count), and how many are left in this part.
  std::uint64_t rounds_done() const { return sums_.round(); }
  std::uint64_t rounds_left() const { return sums_.rounds_left(); }
  const mechanism::ClippedSums::Terms& terms() const { return sums_.terms(); }
  /// The ledger's id of the charge, after the first sum.
  const std::string& receipt_id() const { return receipt_id_; }

 private:
  Result<std::vector<double>> taken(Result<Released<std::vector<std::int64_t>>> sum, double grid);

  mechanism::ClippedSums sums_;
  const Sensitive<mechanism::UnitRows>& rows_;
  double deviation_ = 0;
  std::string receipt_id_;
};

/// A length that about `fraction` of the units' vectors stay below, found by counting lengths in
/// buckets: one round. `most` bounds all lengths.
Result<double> length_quantile(Sums& sums, double fraction, double most,
                               const std::function<double(std::span<const std::int64_t>)>& length);

}  // namespace discreet::learn
