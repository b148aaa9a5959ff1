// SPDX-License-Identifier: Apache-2.0
#include "learn/matrix.h"

#include <algorithm>
#include <cmath>

namespace discreet::learn {

void Symmetric::add_to_diagonal(double x) {
  for (std::size_t i = 0; i < size_; ++i) cells_[i * size_ + i] += x;
}

std::optional<Cholesky> Cholesky::of(const Symmetric& m) {
  const std::size_t n = m.size();
  Cholesky out;
  out.size_ = n;
  out.lower_.assign(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    double* const row = &out.lower_[i * n];
    for (std::size_t j = 0; j <= i; ++j) {
      const double* const other = &out.lower_[j * n];
      double sum = m(i, j);
      for (std::size_t k = 0; k < j; ++k) sum -= row[k] * other[k];
      if (i != j) {
        row[j] = sum / other[j];
        continue;
      }
      if (!(sum > 1e-12 * std::abs(m(i, i))) || !(sum > 0)) return std::nullopt;
      row[i] = std::sqrt(sum);
    }
  }
  return out;
}

Cholesky Cholesky::with_ridge(Symmetric m, double ridge) {
  double added = 0;
  double next = ridge > 0 ? ridge : 1e-9;
  if (ridge > 0) m.add_to_diagonal(added = ridge);
  for (;;) {
    if (std::optional<Cholesky> found = of(m)) {
      found->ridge_ = added;
      return *std::move(found);
    }
    m.add_to_diagonal(next);
    added += next;
    next *= 2;
  }
}

double least_eigenvalue(const Symmetric& m) {
  // m - t is positive definite exactly for t below it; all eigenvalues are within the row sums.
  double high = 0;
  for (std::size_t i = 0; i < m.size(); ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < m.size(); ++j) sum += std::abs(m(i, j));
    high = std::max(high, sum);
  }
  double low = -high;
  for (int i = 0; i < 41; ++i) {
    const double middle = (low + high) / 2;
    Symmetric shifted = m;
    shifted.add_to_diagonal(-middle);
    (Cholesky::of(shifted) ? low : high) = middle;
  }
  return low;
}

std::vector<double> Cholesky::solve(std::span<const double> b) const {
  std::vector<double> x(b.begin(), b.end());
  for (std::size_t i = 0; i < size_; ++i) {
    for (std::size_t k = 0; k < i; ++k) x[i] -= lower_[i * size_ + k] * x[k];
    x[i] /= lower_[i * size_ + i];
  }
  for (std::size_t i = size_; i-- > 0;) {
    for (std::size_t k = i + 1; k < size_; ++k) x[i] -= lower_[k * size_ + i] * x[k];
    x[i] /= lower_[i * size_ + i];
  }
  return x;
}

}  // namespace discreet::learn
