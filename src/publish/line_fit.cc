// SPDX-License-Identifier: Apache-2.0
#include "publish/line_fit.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.h"
#include "publish/ranges.h"

namespace discreet::publish {
namespace {

using mechanism::Toeplitz;

/// C alone: S = C^-1 C^-T / precision, by its series.
class MixedLine : public LineFit {
 public:
  MixedLine(std::size_t places, double precision)
      : precision_(precision),
        inverse_(inverse_series(Toeplitz::square_root(static_cast<std::int64_t>(places)))),
        sums_(inverse_) {
    for (std::size_t k = 1; k < places; ++k) sums_[k] += sums_[k - 1];
    prefix_ = running_sum_variances(sums_);
    cell_ = running_sum_variances(inverse_);
    total_ = prefix_.back() / precision_;
    running_ = solve(std::vector<double>(places, 1));
    for (double& k : running_) k /= total_;
    for (std::size_t k = 1; k < places; ++k) running_[k] += running_[k - 1];
  }
  std::vector<double> solve(std::vector<double> information) const override {
    std::reverse(information.begin(), information.end());
    std::vector<double> half = series_product(inverse_, information, information.size());
    std::reverse(half.begin(), half.end());
    half = series_product(inverse_, half, half.size());
    for (double& x : half) x /= precision_;
    return half;
  }
  double variance(std::size_t from, std::size_t to) const override {
    if (from == 0) return prefix_[to] / precision_;
    if (from == to) return cell_[to] / precision_;
    return range_variance(sums_, static_cast<std::int64_t>(from), static_cast<std::int64_t>(to)) /
           precision_;
  }

 private:
  double precision_;
  std::vector<double> inverse_, sums_, prefix_, cell_;
};

/// Any mixture, by Cholesky's decomposition.
class DenseLine : public LineFit {
 public:
  explicit DenseLine(const LineMeasurements& measured)
      : n_(measured.places), inverse_(n_ * n_, 0), prefixes_(n_ * n_, 0) {
    build(measured);
    invert();
    for (std::size_t i = 0; i < n_; ++i) {
      double row = 0;
      for (std::size_t j = 0; j < n_; ++j) {
        row += inverse_[i * n_ + j];
        prefixes_[i * n_ + j] = row + (i == 0 ? 0 : prefixes_[(i - 1) * n_ + j]);
      }
    }
    total_ = prefixes_.back();
    for (std::size_t i = 0; i < n_; ++i) running_.push_back(prefixes_[(i + 1) * n_ - 1] / total_);
  }
  std::vector<double> solve(std::vector<double> information) const override {
    std::vector<double> out(n_, 0);
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t j = 0; j < n_; ++j) out[i] += inverse_[i * n_ + j] * information[j];
    }
    return out;
  }
  double variance(std::size_t from, std::size_t to) const override {
    const double upper = prefixes_[to * n_ + to];
    if (from == 0) return upper;
    return upper + prefixes_[(from - 1) * n_ + from - 1] - 2 * prefixes_[(from - 1) * n_ + to];
  }

 private:
  void build(const LineMeasurements& measured) {
    std::vector<double>& m = inverse_;
    const double mean = measured.residual / static_cast<double>(n_);
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t j = 0; j < n_; ++j) m[i * n_ + j] -= mean;
      m[i * n_ + i] += measured.direct + measured.residual;
    }
    if (measured.mixed > 0) add_mixing(measured.mixed);
    for (const auto& [tree, precisions] : measured.trees) add_tree(*tree, precisions);
  }
  // C'C from its last corner: an entry is the one below to the right and one product more.
  void add_mixing(double precision) {
    const Toeplitz mixing = Toeplitz::square_root(static_cast<std::int64_t>(n_));
    std::vector<double> c(n_, 0);
    for (std::size_t k = 0; k < mixing.coefficients().size(); ++k) {
      c[k] = static_cast<double>(mixing.coefficients()[k]) / static_cast<double>(mixing.unit());
    }
    std::vector<double> gram(n_ * n_, 0);
    for (std::size_t i = n_; i-- > 0;) {
      for (std::size_t j = n_; j-- > 0;) {
        const bool corner = i + 1 == n_ || j + 1 == n_;
        gram[i * n_ + j] =
            c[n_ - 1 - i] * c[n_ - 1 - j] + (corner ? 0 : gram[(i + 1) * n_ + j + 1]);
      }
    }
    for (std::size_t i = 0; i < n_ * n_; ++i) inverse_[i] += precision * gram[i];
  }
  void add_tree(const Hierarchy& tree, const std::vector<double>& precisions) {
    std::vector<std::int64_t> holder(n_);
    for (std::size_t i = 0; i < n_; ++i) holder[i] = static_cast<std::int64_t>(i);
    for (std::size_t l = tree.levels(); l-- > 0;) {
      for (std::size_t i = 0; i < n_; ++i) {
        for (std::size_t j = 0; j < n_; ++j) {
          if (holder[i] == holder[j]) inverse_[i * n_ + j] += precisions[l];
        }
      }
      if (l == 0) break;
      for (std::int64_t& node : holder) {
        node = tree.parents[l - 1][static_cast<std::size_t>(node)];
      }
    }
  }
  void invert() {
    std::vector<double> lower(n_ * n_, 0);
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        double sum = inverse_[i * n_ + j];
        for (std::size_t k = 0; k < j; ++k) sum -= lower[i * n_ + k] * lower[j * n_ + k];
        DISCREET_CHECK(i != j || sum > 0);
        lower[i * n_ + j] = i == j ? std::sqrt(sum) : sum / lower[j * n_ + j];
      }
    }
    // Rows of `columns` are columns of the inverse of `lower`.
    std::vector<double> columns(n_ * n_, 0);
    for (std::size_t j = 0; j < n_; ++j) {
      for (std::size_t i = j; i < n_; ++i) {
        double sum = i == j ? 1 : 0;
        for (std::size_t k = j; k < i; ++k) sum -= lower[i * n_ + k] * columns[j * n_ + k];
        columns[j * n_ + i] = sum / lower[i * n_ + i];
      }
    }
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        double sum = 0;
        for (std::size_t k = i; k < n_; ++k) sum += columns[i * n_ + k] * columns[j * n_ + k];
        inverse_[i * n_ + j] = inverse_[j * n_ + i] = sum;
      }
    }
  }

  std::size_t n_;
  std::vector<double> inverse_;   // S
  std::vector<double> prefixes_;  // its sums over places up to i and up to j
};

}  // namespace

double LineFit::variance_within(std::size_t from, std::size_t to) const {
  const double moved = response(from, to);
  return std::max(0.0, variance(from, to) - moved * moved * total_);
}

std::unique_ptr<LineFit> fit_line(const LineMeasurements& measured) {
  const bool alone = measured.direct == 0 && measured.residual == 0 && measured.trees.empty();
  if (alone && measured.mixed > 0) {
    return std::make_unique<MixedLine>(measured.places, measured.mixed);
  }
  DISCREET_CHECK(measured.places <= kDenseMax);
  return std::make_unique<DenseLine>(measured);
}

}  // namespace discreet::publish
