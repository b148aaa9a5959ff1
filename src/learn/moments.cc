// SPDX-License-Identifier: Apache-2.0
#include "learn/moments.h"

#include <algorithm>
#include <cmath>

namespace discreet::learn {
namespace {

constexpr double kKept = 0.95;  ///< of the units are not shortened

/// Variances with noise are drawn towards their mean by as much as noise explains of their
/// differences, and held above 0.
void shrink(std::vector<double>& variances, double noise) {
  const double n = static_cast<double>(variances.size());
  double mean = 0;
  for (const double v : variances) mean += v / n;
  mean = std::max(mean, 2 * noise / std::sqrt(n) + 1e-6);
  double spread = 0;
  for (const double v : variances) spread += (v - mean) * (v - mean) / n;
  const double kept = std::clamp(1 - noise * noise / std::max(spread, 1e-300), 0.0, 1.0);
  for (double& v : variances) {
    const double least = std::min(0.5 * noise, mean / 4) + 1e-6;
    v = std::clamp(mean + kept * (v - mean), least, 1.0);
  }
}

}  // namespace

Result<Moments> moments(Sums& sums, std::size_t width, const Encode& encode) {
  std::vector<double> v(width + 1);
  const std::size_t entries = (width + 1) * (width + 2) / 2;
  // In L2 a product of two different entries counts twice in |v v^T|, so it is measured sqrt(2)
  // times as large: then the length of what is measured is |v|^2.
  const double twice = sums.pure() ? 1 : std::sqrt(2.0);
  const auto read = [&](std::span<const std::int64_t> row) {
    v[0] = 1;
    return encode(row, std::span(v).subspan(1));
  };
  const auto length = [&](std::span<const std::int64_t> row) {
    if (!read(row)) return -1.0;
    const double n = sums.norm(v);
    if (!sums.pure()) return n * n;
    double squares = 0;
    for (const double x : v) squares += x * x;
    return (n * n + squares) / 2;  // products of i <= j
  };
  const double most = sums.pure() ? static_cast<double>(entries) : static_cast<double>(width + 1);
  DISCREET_ASSIGN(const double clip, length_quantile(sums, kKept, most, length));
  DISCREET_ASSIGN(
      const std::vector<double> flat,
      sums.dense(entries, clip, [&](std::span<const std::int64_t> row, std::span<double> out) {
        if (!read(row)) return;
        std::size_t at = 0;
        for (std::size_t i = 0; i <= width; ++i) {
          out[at++] = v[i] * v[i];
          for (std::size_t j = i + 1; j <= width; ++j) {
            out[at++] = twice * v[i] * v[j];
          }
        }
      }));
  Moments result{Symmetric(width + 1), sums.deviation()};
  std::size_t at = 0;
  for (std::size_t i = 0; i <= width; ++i) {
    result.sums.set(i, i, flat[at++]);
    for (std::size_t j = i + 1; j <= width; ++j) result.sums.set(i, j, flat[at++] / twice);
  }
  return result;
}

Result<DiagonalMoments> diagonal_moments(Sums& sums, std::size_t width, const Encode& encode,
                                         const std::function<bool(std::size_t)>& is_mark) {
  std::vector<std::size_t> squares;  // entries whose squares are measured
  for (std::size_t i = 0; i < width; ++i) {
    if (!is_mark(i)) squares.push_back(i);
  }
  std::vector<double> v(1 + width + squares.size());
  const auto read = [&](std::span<const std::int64_t> row) {
    if (!encode(row, std::span(v).subspan(1, width))) return false;
    v[0] = 1;
    for (std::size_t s = 0; s < squares.size(); ++s) {
      v[1 + width + s] = v[1 + squares[s]] * v[1 + squares[s]];
    }
    return true;
  };
  const double w = static_cast<double>(v.size());
  DISCREET_ASSIGN(const double clip, length_quantile(sums, kKept, sums.pure() ? w : std::sqrt(w),
                                                     [&](std::span<const std::int64_t> row) {
                                                       return read(row) ? sums.norm(v) : -1.0;
                                                     }));
  DISCREET_ASSIGN(
      const std::vector<double> flat,
      sums.dense(v.size(), clip, [&](std::span<const std::int64_t> row, std::span<double> out) {
        if (read(row)) std::copy(v.begin(), v.end(), out.begin());
      }));
  DiagonalMoments result;
  result.deviation = sums.deviation();
  result.count = std::max(flat[0], 10.0);
  const double noise = result.deviation / result.count;
  for (std::size_t i = 0; i < width; ++i) {
    const double mean = std::clamp(flat[i + 1] / result.count, -1.0, 1.0);
    result.means.push_back(mean);
    result.variances.push_back(mean - mean * mean);
  }
  for (std::size_t s = 0; s < squares.size(); ++s) {
    const double mean = result.means[squares[s]];
    result.variances[squares[s]] = flat[1 + width + s] / result.count - mean * mean;
  }
  shrink(result.variances, noise);
  return result;
}

}  // namespace discreet::learn
