// SPDX-License-Identifier: Apache-2.0
// A small symmetric matrix after release: enough linear algebra for fits of a few hundred features,
// so that no library is needed.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace discreet::learn {

class Symmetric {
 public:
  explicit Symmetric(std::size_t size = 0) : size_(size), cells_(size * size, 0.0) {}
  std::size_t size() const { return size_; }
  double operator()(std::size_t i, std::size_t j) const { return cells_[i * size_ + j]; }
  void set(std::size_t i, std::size_t j, double x) {
    cells_[i * size_ + j] = x;
    cells_[j * size_ + i] = x;
  }
  void add_to_diagonal(double x);

 private:
  std::size_t size_;
  std::vector<double> cells_;
};

std::vector<double> times(const Symmetric& m, std::span<const double> v);
/// m m.
Symmetric square(const Symmetric& m);

/// The nearest matrix whose eigenvalues are all at least `least` (Jacobi's method).
Symmetric lifted(Symmetric m, double least);

/// L with L L^T = m, for many right-hand sides; nothing when m is not positive definite.
class Cholesky {
 public:
  static std::optional<Cholesky> of(const Symmetric& m);
  /// m with the least of ridge, 2 ridge, 4 ridge, ... added that makes it positive definite.
  static Cholesky with_ridge(Symmetric m, double ridge);
  std::vector<double> solve(std::span<const double> b) const;
  /// What was added to the diagonal.
  double ridge() const { return ridge_; }

 private:
  std::size_t size_ = 0;
  std::vector<double> lower_;
  double ridge_ = 0;
};

}  // namespace discreet::learn
