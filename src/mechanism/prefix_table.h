// SPDX-License-Identifier: Apache-2.0
// PrefixTable: rows of counts along an ordered axis, mixed so that running sums and ranges of them
// come out well, with integer noise. All at once; PrefixStream does it day by day.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "mechanism/gaussian_noise.h"
#include "mechanism/saturation.h"
#include "mechanism/toeplitz.h"
#include "privacy/sensitive.h"
#include "random/bit_source.h"

namespace discreet::mechanism {

class Door;

/// Mechanism    y = C x + Z for each row x of the table, C a Toeplitz matrix (toeplitz.h), Z
///              discrete Gaussian of sigma^2 = m^2 N(1) / (2 rho). C x is exact in 128 bits; it and
///              y are clamped, entry by entry (saturation.h).
/// Domain       a dense table of `rows` rows of T 64-bit integers, row after row.
/// Neighbours   sum over entries of |x - x'| <= m, a whole number.
/// Measure      zCDP.
/// Theorem      rho-zCDP. No epsilon is claimed.                 Proof    prefix_table.md
/// Privacy map  d -> d^2 N(1) / (2 sigma^2) for tables at L1 distance d, exactly.
/// Accuracy     upper bounds for each y: half_width() of GaussianNoise. publish/ has what running
///              sums made of them vary by.
/// Randomness   OS entropy only.
/// Fails with   make: kInvalidInput when sigma^2 is outside [2^-40, 2^60] or the table is too
///              large.
/// Source       [Fichtenberger-Henzinger-Upadhyay 2023] for C; its integer form is our own.
/// Trust        proved.
/// Checked by   tables_test (mixing, exact lengths), audit exact prefix-table.
class PrefixTable : public GaussianNoise {
 public:
  using Input = std::vector<std::int64_t>;
  using Output = std::vector<std::int64_t>;

  struct Options {
    std::int64_t rows = 1;
    Toeplitz mixing;
    std::int64_t reach = 1;  ///< m
    Rho rho;
  };

  /// The longest row, if it is mixed: that takes T^2 steps.
  static constexpr std::int64_t kMixedMax = std::int64_t{1} << 14;

  static Result<PrefixTable> make(const Options& options);

  NoiseSpec noise() const;
  const Toeplitz& mixing() const { return mixing_; }
  std::int64_t cells() const { return rows_ * mixing_.days(); }

  static std::vector<Int128> coordinates(const Input& table) {
    return {table.begin(), table.end()};
  }
  static std::string describe(const Output& entries);

 private:
  friend class Door;
  PrefixTable(GaussianNoise noise, const Options& options)
      : GaussianNoise(std::move(noise)),
        rows_(options.rows),
        mixing_(options.mixing),
        reach_(options.reach) {}

  template <random::BitSource B>
  Output draw(const Input& table, B& bits) const;

  /// C x, row by row, clamped.
  Output mixed(const Input& table) const;

  std::int64_t rows_;
  Toeplitz mixing_;
  std::int64_t reach_;
};

}  // namespace discreet::mechanism
