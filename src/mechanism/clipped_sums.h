// SPDX-License-Identifier: Apache-2.0
// ClippedSums: a fixed number of clipped sums with noise, each chosen after the last was seen, as
// one mechanism with one price. What every fit in learn/ is made of: sums of features, gradients,
// counts of cells. It is charged whole before the first sum.
//
//   DISCREET_ASSIGN(auto terms, ClippedSums::Terms::pure(epsilon, {.shares = {1, 2}}));
//   DISCREET_ASSIGN(auto sums, ClippedSums::open(terms, std::move(receipt)));
//   DISCREET_ASSIGN(auto first, sums.next(rows, width, f));
//   DISCREET_ASSIGN(auto second, sums.next(rows, width, g_that_saw(first)));
//
// A long series is taken in parts, by one process after another, each with a receipt of its own
// that the ledger gives once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/process_mark.h"
#include "mechanism/clipped_sum.h"
#include "mechanism/door.h"
#include "mechanism/saturation.h"
#include "numeric/real.h"
#include "random/bit_source.h"
#include "random/tape.h"

namespace discreet::mechanism {

/// Mechanism    round i: S_i = sum over units of clip(f_i(unit)) + Z_i, f_i chosen by whoever saw
///              S_1 .. S_{i-1}; D = limit (add or remove) or 2 limit (replace one).
///              pure:     clip in L1, Z discrete Laplace of scale D/(epsilon s_i);
///              gaussian: clip in L2, Z = round(N(0, D^2 v/s_i)), v the variance that
///                        analytic_gaussian_variance certifies for distance 1;
///              sampled:  as gaussian with Z = round(N(0, (D m)^2)) in every round, on the units
///                        that a fresh coin of q = threshold/2^64 lets in.
///              s_i > 0 are the shares, scaled to add up to 1.
/// Domain       UnitRows; f_i any function of one row and of released values. Entries are held
///              within +-2^62 (saturation.h).
/// Neighbours   one unit with all its rows added or removed, or replaced. Sampled: add or remove.
/// Measure      pure DP; (epsilon, delta)-DP and zCDP; sampled: what the accountant proves for
///              `rounds` Poisson-sampled Gaussians, handed in as `price`.
/// Theorem      all rounds together: pure epsilon-DP; (epsilon, delta)-DP and 1/(2v)-zCDP.
/// Proof        clipped_sums.md
/// Privacy map  exact rationals; v as in RoundedGaussian.
/// Accuracy     variance(i): an upper bound on the variance of each entry's noise in round i.
/// Randomness   OS entropy only.
/// Threads      one caller at a time. A child made by fork() would repeat no coins (random/
///              re-keys) but would hold a second set of rounds, so it is refused.
/// Parts        a receipt opens one part's rounds, and there is one receipt for each (ledger L7):
///              no round is drawn twice, whatever happens to processes (clipped_sums.md, 5).
/// Fails with   kBudget when the rounds are used up (a public number); kNoEntropy, for good;
///              kRefused in a forked child.
/// Side channel time depends on the number of units and rows and on f: see CAVEATS.
/// Source       [DRS19, Cor. 2] for the composition of Gaussians; [ACGMMTZ16] for clipping.
/// Trust        proved, given that f keeps to its contract; sampled: given the accountant.
/// Checked by   clipped_sums_test, audit exact clipped-sums, clipped-sums-sampled.
class ClippedSums {
 public:
  struct Options {
    std::vector<Rational> shares;                ///< one for each round, each > 0
    std::int64_t limit = std::int64_t{1} << 16;  ///< of a unit's vector, 1 .. kClippingLimitMax
    Neighbours neighbours = Neighbours::kAddRemove;
  };
  struct Sampled {
    std::uint64_t threshold = 0;  ///< q = threshold / 2^64, 0 < q < 1
    Rational noise_multiplier;    ///< m > 0
    std::uint64_t rounds = 1;
    std::uint64_t parts = 1;  ///< 1 .. rounds
    std::int64_t limit = std::int64_t{1} << 16;
    /// What accounting proves for so many rounds; whoever makes the Charge vouches for it, and a
    /// receipt for another price does not open.
    Cost price;
  };

  /// The public parameters, checked.
  class Terms {
   public:
    /// Fails with: kInvalidInput for no or negative shares, a limit out of range, or noise that
    /// would be out of range.
    static Result<Terms> pure(const Epsilon& epsilon, const Options& options);
    static Result<Terms> gaussian(const Epsilon& epsilon, const Delta& delta,
                                  const Options& options);
    static Result<Terms> sampled(const Sampled& sampled);

    NoiseSpec noise() const;
    const Cost& cost() const { return cost_; }
    std::uint64_t rounds() const { return rounds_; }
    std::uint64_t parts() const { return parts_; }
    /// The first round of part 1 .. parts(); of parts() + 1: rounds().
    std::uint64_t first_round(std::uint64_t part) const;
    std::int64_t limit() const { return limit_; }
    ClippingNorm norm() const { return norm_; }
    /// The chance that a unit takes part in a round; 1 unless sampled.
    Rational sampling() const;
    /// The scale (pure) or the variance parameter of the noise of round i.
    const Rational& parameter(std::uint64_t round) const;
    /// An upper bound on the variance of each entry's noise.
    Real variance(std::uint64_t round) const;

   private:
    friend class ClippedSums;
    Terms() = default;
    ClippingNorm norm_ = ClippingNorm::kL1;
    std::int64_t limit_ = 1;
    std::int64_t distance_ = 1;  // D
    std::uint64_t rounds_ = 1;
    std::uint64_t parts_ = 1;
    std::vector<Rational> parameters_;  // one for each round, or one for all
    std::optional<std::uint64_t> threshold_;
    Cost cost_;
  };

  /// Fails with: kRefused when the receipt is for something else, or the series is in parts.
  static Result<ClippedSums> open(const Terms& terms, Receipt&& receipt);
  /// The rounds of one part (1 .. parts) of a series in parts, for that part's receipt.
  static Result<ClippedSums> open_part(const Terms& terms, std::uint64_t part, Receipt&& receipt);

  /// The next round: vectors of `width` entries by `f`.
  /// Every answer carries the receipt and the price of the whole series.
  Result<Released<std::vector<std::int64_t>>> next(const Sensitive<UnitRows>& rows,
                                                   std::size_t width, const RowFunction& f,
                                                   Recorder* recorder = nullptr);
  Result<Released<std::vector<std::int64_t>>> next(const Sensitive<UnitRows>& rows,
                                                   std::size_t width, const SparseRowFunction& f,
                                                   Recorder* recorder = nullptr);

  const Terms& terms() const { return terms_; }
  /// The number of the next round, from 0 on.
  std::uint64_t round() const { return round_; }
  /// Of this part, if the series is in parts.
  std::uint64_t rounds_left() const { return end_ - round_; }

  /// One round on a chosen tape, for the audit.
  template <int kWidth>
  static Audited<std::vector<std::int64_t>> replay(const Terms& terms, std::uint64_t round,
                                                   const Sensitive<UnitRows>& rows,
                                                   std::size_t width, const RowFunction& f,
                                                   random::Tape<kWidth>& tape);

 private:
  ClippedSums(const Terms& terms, Receipt receipt, std::uint64_t round, std::uint64_t end);

  template <class F>
  Result<Released<std::vector<std::int64_t>>> take(const Sensitive<UnitRows>& rows,
                                                   std::size_t width, const F& f,
                                                   Recorder* recorder);

  template <class F, random::BitSource B>
  static std::vector<std::int64_t> sum_of(const Terms& terms, const UnitRows& rows,
                                          std::size_t width, const F& f, B& bits);

  template <random::BitSource B>
  static std::vector<std::int64_t> with_noise(const Terms& terms, std::uint64_t round,
                                              const std::vector<std::int64_t>& sum, B& bits);

  Terms terms_;
  Receipt receipt_;  // used up; kept for its id
  std::uint64_t round_;
  std::uint64_t end_;
  bool healthy_ = true;
  ProcessMark process_;
};

}  // namespace discreet::mechanism
