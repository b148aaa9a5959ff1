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

std::vector<double> times(const Symmetric& m, std::span<const double> v) {
  std::vector<double> out(m.size(), 0.0);
  for (std::size_t i = 0; i < m.size(); ++i) {
    for (std::size_t j = 0; j < m.size(); ++j) out[i] += m(i, j) * v[j];
  }
  return out;
}

Symmetric square(const Symmetric& m) {
  Symmetric out(m.size());
  for (std::size_t i = 0; i < m.size(); ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < m.size(); ++k) sum += m(i, k) * m(j, k);
      out.set(i, j, sum);
    }
  }
  return out;
}

Symmetric lifted(Symmetric m, double least) {
  const std::size_t n = m.size();
  std::vector<double> vectors(n * n, 0.0);  // one in each column
  for (std::size_t i = 0; i < n; ++i) vectors[i * n + i] = 1;
  for (int sweep = 0; sweep < 30; ++sweep) {
    double off = 0;
    double on = 0;
    for (std::size_t p = 0; p < n; ++p) {
      on += m(p, p) * m(p, p);
      for (std::size_t q = p + 1; q < n; ++q) off += m(p, q) * m(p, q);
    }
    if (!(off > 1e-24 * on)) break;
    for (std::size_t p = 0; p < n; ++p) {
      for (std::size_t q = p + 1; q < n; ++q) {
        if (m(p, q) == 0) continue;
        const double theta = (m(q, q) - m(p, p)) / (2 * m(p, q));
        const double t = (theta < 0 ? -1 : 1) / (std::abs(theta) + std::hypot(theta, 1.0));
        const double c = 1 / std::hypot(t, 1.0);
        const double s = t * c;
        const double pp = m(p, p) - t * m(p, q);
        const double qq = m(q, q) + t * m(p, q);
        for (std::size_t k = 0; k < n; ++k) {
          const double a = vectors[k * n + p];
          const double b = vectors[k * n + q];
          vectors[k * n + p] = c * a - s * b;
          vectors[k * n + q] = s * a + c * b;
          if (k == p || k == q) continue;
          const double x = m(k, p);
          const double y = m(k, q);
          m.set(k, p, c * x - s * y);
          m.set(k, q, s * x + c * y);
        }
        m.set(p, p, pp);
        m.set(q, q, qq);
        m.set(p, q, 0);
      }
    }
  }
  Symmetric out(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < n; ++k) {
        sum += vectors[i * n + k] * std::max(m(k, k), least) * vectors[j * n + k];
      }
      out.set(i, j, sum);
    }
  }
  return out;
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
