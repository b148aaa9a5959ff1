// SPDX-License-Identifier: Apache-2.0
// A plain Fourier transform of real vectors with a proved error bound. It is small so that the
// bound is about this code.
//
// Theorem (Higham, Accuracy and Stability of Numerical Algorithms, Thm 24.2). For n = 2^t and
// twiddle factors with absolute error at most mu, the computed transform y' of x satisfies |y' -
// y|_2 <= t e / (1 - t e) |y|_2 with e = mu + g4 (sqrt(2) + mu), g4 = 4u / (1 - 4u), u = 2^-53.
// Each stage errs by at most e times the sum of its two terms' sizes, and the sizes in an entry's
// tree of sums add up to |x|_1, so every entry is off by at most the same factor times |x|_1.
//
// Here the even and the odd entries are the two parts of a complex vector of half the length; a
// last stage takes their spectra apart (one more addition, so one stage more is counted) and joins
// them: every entry of the result gathers the errors of two entries, so by entries the bound is
// doubled. Two stages are done in one pass, which saves roundings, and the spectrum stays in the
// order in which the stages leave it.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace discreet::accounting {

/// A real vector of length n, or its spectrum at the frequencies 0 to n/2: the others are their
/// conjugates. The order of the frequencies is the transform's own, so what is done to a spectrum
/// is done entry by entry.
struct Spectrum {
  explicit Spectrum(std::size_t n) : re(n / 2 + 1), im(n / 2 + 1) {}
  /// Entry i of the real vector.
  double& at(std::size_t i) { return (i % 2 == 0 ? re : im)[i / 2]; }

  std::vector<double> re;
  std::vector<double> im;
};

/// a *= b. What falls below 1e-140 is set to 0: an error far below all others, where subnormal
/// numbers would slow the processor down a hundredfold.
void multiply(Spectrum& a, const Spectrum& b);

/// product *= x^count, and rest *= (|x| + error)^(count - 1), from above, both entry by entry.
/// Requires: count is a whole number, at least 1.
void multiply_power(Spectrum& product, std::vector<double>& rest, const Spectrum& x, double count,
                    double error);

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
  /// Where in a spectrum the frequency k <= n/2 is.
  std::size_t place(std::size_t k) const;

  /// The theorem's factor: |error|_2 <= relative_error() |result|_2, both over all n frequencies,
  /// and every entry's error is at most 2 relative_error() |input|_1 (forward).
  double relative_error() const;

 private:
  /// Factors in the order in which they are used.
  struct Factors {
    std::vector<double> re;
    std::vector<double> im;
  };

  std::size_t n_;
  Factors half_;   // of the one pass with pairs, for odd powers of two
  Factors first_;  // of the passes with fours: w^k, w^2k and w^3k, the smallest pass first
  Factors second_;
  Factors third_;
  Factors join_;  // of the last stage
};

}  // namespace discreet::accounting
