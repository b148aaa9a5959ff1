// SPDX-License-Identifier: Apache-2.0
// SvLaplace: a count or a clamped sum on a grid, private although the coins are bent.
//
//   DISCREET_ASSIGN(auto noise, SvLaplace::make({.sensitivity = one, .epsilon = half,
//                                                .gamma = Rational::ratio(1, 20),
//                                                .low = 0, .high = 1'000'000}));
//   DISCREET_ASSIGN(auto answer, Door::release(noise, std::move(count), std::move(receipt)));
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mechanism/sv_certificate.h"
#include "privacy/receipt.h"
#include "privacy/released.h"
#include "random/bit_source.h"
#include "random/santha_vazirani.h"

namespace discreet::mechanism {

/// Mechanism    y = round(clamp(x) / sensitivity); M(x) = k q sensitivity for the cell k of
///              random/santha_vazirani_cells.h that holds the tape 0.b1b2b3...
/// Domain       x an integer, clamped to the public [low, high].
/// Neighbours   |x - x'| <= sensitivity, a whole number.          Measure  pure DP.
/// Theorem      For every gamma-Santha-Vazirani source R and every z:
///              Pr_R[M(x) = z] <= e^epsilon Pr_R[M(x') = z]: M is (R, epsilon)-DP for ONE answer,
///              given any earlier bits of R. On fair coins it is (U, fair_epsilon())-DP.
/// Proof        sv_laplace.md
/// Not claimed  that two answers cost the sum, nor that later bits of the source may be seen: an
///              adversary with a memory does better (sv_laplace.md, section 5, and `discreet audit
///              randomness memory`). A ledger for such coins gives one answer (ledger/state.h).
/// Accuracy     the half width holds under every source of the class, not on fair coins only.
/// Randomness   raw bits, not a generator's; as many as it takes to find the cell, so the number
///              of bits tells the size of the noise: CAVEATS.
/// Fails with   make: kInvalidInput.
/// Trust        proved.
/// Source       [DLMV12] for the idea; shape, tables and certificate are our own.
/// Checked by   sv_laplace_test; audit randomness; audit exact sv-laplace.
class SvLaplace {
 public:
  using Input = Int128;
  using Output = Int128;
  using Source = random::RawBits;

  struct Options {
    Sensitivity sensitivity;
    Epsilon epsilon;  ///< under every source of the class: what is charged
    Rational gamma;
    Int128 low = 0;
    Int128 high = 0;
  };

  static Result<SvLaplace> make(const Options& options);

  NoiseSpec noise() const;
  Cost cost() const { return pure_cost(options_.epsilon); }
  /// What the same mechanism would cost on fair coins; a multiple of 2^-32, rounded up.
  const Rational& fair_epsilon() const { return fair_; }
  const random::SvShape& shape() const { return cells_->shape(); }
  std::optional<Accuracy> accuracy(const Confidence& confidence) const;

  static std::vector<Int128> coordinates(const Int128& value) { return {value}; }
  static std::string describe(const Int128& answer) { return to_string(answer); }

 private:
  friend class Door;

  SvLaplace(Options options, Int128 unit, Rational fair,
            std::shared_ptr<const random::SvCells> cells)
      : options_(std::move(options)),
        unit_(unit),
        fair_(std::move(fair)),
        cells_(std::move(cells)) {}

  template <random::BitSource B>
  Output draw(const Input& value, B& bits) const;
  Int128 in_units(Int128 value) const;

  Options options_;
  Int128 unit_;
  Rational fair_;
  std::shared_ptr<const random::SvCells> cells_;
};

}  // namespace discreet::mechanism
