// SPDX-License-Identifier: Apache-2.0
// ResidualTable: what a table of counts tells beyond its margins, with integer noise; what tables
// that are published together are made of (publish/).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "mechanism/gaussian_noise.h"
#include "mechanism/saturation.h"
#include "random/bit_source.h"

namespace discreet::mechanism {

class Door;

/// Mechanism    y = L x + Z in every cell, Z discrete Gaussian of sigma^2 = m^2 K / (2 rho); then
///              along every axis the first slice is subtracted from the others and dropped. Only
///              what comes out is clamped, to +-(2^62 - 1): until then everything is exact in 128
///              bits. L = product of the axes' sizes n, K = product of n (n - 1).
/// Domain       a dense table of any 64-bit integers, the last axis fastest; no axis: one number.
///              An entry at the limit (saturation.h) stands for all beyond it.
/// Neighbours   sum over cells of |x - x'| <= m, a whole number; the same axes.
/// Measure      zCDP.
/// Theorem      rho-zCDP, but for an event of the noise alone with probability below e^(-2^64): a
///              Z that no 64-bit word holds. No epsilon is claimed.    Proof    residual_table.md
/// Privacy map  d -> d^2 K / (2 sigma^2) for tables at L1 distance d, exactly.
/// Accuracy     none for single entries: they are differences in units of 1/L rows. publish/ has
///              the variance of what is made of them.
/// Randomness   OS entropy only.
/// Fails with   make: kInvalidInput when sigma^2 is outside [2^-40, 2^60], an axis has fewer than 2
///              places or the table more than 2^31.
/// Source       [Xiao-He-Zhang-Kifer 2023] for residuals; their integer form is our own.
/// Trust        proved.
/// Checked by   tables_test, audit exact residual-table.
class ResidualTable : public GaussianNoise {
 public:
  using Input = std::vector<std::int64_t>;
  using Output = std::vector<std::int64_t>;

  struct Options {
    std::vector<std::int64_t> axes;  ///< how many places each has
    std::int64_t reach = 1;          ///< m
    Rho rho;
  };

  static Result<ResidualTable> make(const Options& options);

  NoiseSpec noise() const;
  std::optional<Accuracy> accuracy(const Confidence&) const { return std::nullopt; }
  std::int64_t cells() const { return cells_; }

  static std::vector<Int128> coordinates(const Input& table) {
    return {table.begin(), table.end()};
  }
  static std::string describe(const Output& entries);

 private:
  friend class Door;
  ResidualTable(GaussianNoise noise, const Options& options, std::int64_t cells)
      : GaussianNoise(std::move(noise)),
        axes_(options.axes),
        reach_(options.reach),
        cells_(cells) {}

  template <random::BitSource B>
  Output draw(const Input& table, B& bits) const;

  /// Exact, and clamped at the end.
  Output differences(std::vector<Int128> noisy) const;

  std::vector<std::int64_t> axes_;
  std::int64_t reach_;
  std::int64_t cells_;  // L
};

}  // namespace discreet::mechanism
