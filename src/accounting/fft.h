// SPDX-License-Identifier: Apache-2.0
// A plain radix-2 Fourier transform with a proved error bound. It is small so that the bound is
// about this code.
//
// Theorem (Higham, Accuracy and Stability of Numerical Algorithms, Thm 24.2). For n = 2^t and
// twiddle factors with absolute error at most mu, the computed transform y' of x satisfies |y' -
// y|_2 <= t e / (1 - t e) |y|_2 with e = mu + g4 (sqrt(2) + mu), g4 = 4u / (1 - 4u), u = 2^-53.
// Each stage errs by at most e times the sum of its two terms' sizes, and the sizes in an entry's
// tree of sums add up to |x|_1, so every entry is off by at most the same factor times |x|_1.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace discreet::accounting {

/// A complex vector as two arrays, which the compiler turns into vector instructions.
struct Spectrum {
  explicit Spectrum(std::size_t n) : re(n), im(n) {}
  std::vector<double> re;
  std::vector<double> im;
};

/// a *= b for the first `count` entries; b may be a. What falls below 1e-140 is set to 0: an error
/// far below all others, where subnormal numbers would slow the processor down a hundredfold.
void multiply(Spectrum& a, const Spectrum& b, std::size_t count);

class Fourier {
 public:
  /// Requires: n is a power of two, at least 8.
  explicit Fourier(std::size_t n);

  /// One for each size, made once in a process.
  static std::shared_ptr<const Fourier> shared(std::size_t n);

  /// x_k -> sum_j x_j e^{-2 pi i jk/n}, in place.
  void forward(Spectrum& x) const;
  /// The inverse, with the factor 1/n.
  void inverse(Spectrum& x) const;

  /// The theorem's factor: |error|_2 <= relative_error() |result|_2, and every entry's error is at
  /// most relative_error() |input|_1 (forward).
  double relative_error() const;

 private:
  std::size_t n_;
  // The factors of each stage, one stage after the other: 1, then 2, then 4, ... n/2 of them.
  std::vector<double> re_;
  std::vector<double> im_;
};

}  // namespace discreet::accounting
