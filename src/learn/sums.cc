// SPDX-License-Identifier: Apache-2.0
#include "learn/sums.h"

#include <algorithm>
#include <cmath>

#include "mechanism/tails.h"

namespace discreet::learn {
namespace {

constexpr double kMark = 0.25;  ///< of the clip: what a row adds to its round's count

/// The nearest integer; 0 for what is not finite, far values held where the kernel clips anyway.
std::int64_t on_grid(double x) {
  if (!(std::abs(x) < 0x1p32)) {
    if (!std::isfinite(x)) return 0;
    return x < 0 ? -(std::int64_t{1} << 32) : std::int64_t{1} << 32;
  }
  return static_cast<std::int64_t>(x + (x < 0 ? -0.5 : 0.5));
}

}  // namespace

double Sums::norm(std::span<const double> v) const {
  double sum = 0;
  for (const double x : v) sum += pure() ? std::abs(x) : x * x;
  return pure() ? sum : std::sqrt(sum);
}

double Sums::deviation(std::uint64_t round, double clip) const {
  const Rational variance = mechanism::upper_bound(terms().variance(round));
  return std::sqrt(variance.to_double(Round::kUp)) * clip / static_cast<double>(terms().limit());
}

Result<std::vector<double>> Sums::taken(Result<Released<std::vector<std::int64_t>>> sum,
                                        double grid) {
  if (!sum) return sum.error();
  receipt_id_ = sum->provenance().receipt_id;
  deviation_ = deviation(rounds_done() - 1, static_cast<double>(terms().limit()) / grid);
  std::vector<double> out;
  out.reserve(sum->value().size());
  for (const std::int64_t entry : sum->value()) out.push_back(static_cast<double>(entry) / grid);
  return out;
}

Result<std::vector<double>> Sums::dense(std::size_t width, double clip, const Dense& f) {
  const double grid = static_cast<double>(terms().limit()) / clip;
  std::vector<double> reals(width);
  return taken(sums_.next(rows_, width,
                          mechanism::RowFunction(
                              [&](std::span<const std::int64_t> row, std::span<std::int64_t> out) {
                                std::fill(reals.begin(), reals.end(), 0.0);
                                f(row, reals);
                                for (std::size_t i = 0; i < width; ++i)
                                  out[i] = on_grid(reals[i] * grid);
                              })),
               grid);
}

double Sums::with_mark(double clip) const {
  return clip * (pure() ? 1 + kMark : std::sqrt(1 + kMark * kMark));
}

Result<Sums::Counted> Sums::counted(std::size_t width, double clip, const Counting& f) {
  const double mark = kMark * clip;
  Counted out;
  DISCREET_ASSIGN(out.sum, dense(width + 1, with_mark(clip),
                                 [&](std::span<const std::int64_t> row, std::span<double> v) {
                                   v[width] = mark * f(row, v.first(width));
                                 }));
  out.count = std::max({out.sum[width] / mark, 2 * deviation() / mark, 10.0});
  out.sum.pop_back();
  return out;
}

Result<std::vector<double>> Sums::sparse(std::size_t width, double clip, const Sparse& f) {
  const double grid = static_cast<double>(terms().limit()) / clip;
  Pairs pairs;
  return taken(sums_.next(rows_, width,
                          mechanism::SparseRowFunction([&](std::span<const std::int64_t> row,
                                                           mechanism::SparseEntries& out) {
                            pairs.clear();
                            f(row, pairs);
                            for (const auto& [at, x] : pairs)
                              out.emplace_back(at, on_grid(x * grid));
                          })),
               grid);
}

Result<double> length_quantile(Sums& sums, double fraction, double most,
                               const std::function<double(std::span<const std::int64_t>)>& length) {
  // Bucket i holds lengths in (most 2^(-(i+1)/4), most 2^(-i/4)].
  constexpr std::size_t kBuckets = 48;
  DISCREET_ASSIGN(
      const std::vector<double> counts,
      sums.sparse(kBuckets, 1, [&](std::span<const std::int64_t> row, Sums::Pairs& out) {
        const double x = length(row);
        if (!(x >= 0)) return;
        const double i = x <= 0 ? kBuckets - 1.0 : std::floor(4 * std::log2(most / x));
        out.emplace_back(static_cast<std::size_t>(std::clamp(i, 0.0, kBuckets - 1.0)), 1.0);
      }));
  // A bucket counts by what is beyond the noise that one of so many would have by chance.
  const double doubt = 2 * sums.deviation();
  double total = 0;
  for (const double count : counts) total += std::max(0.0, count - doubt);
  if (total == 0) return most / 3;  // too few to tell
  // From the long end: the first bucket at which more than 1 - fraction is counted.
  double above = 0;
  for (std::size_t i = 0; i < kBuckets; ++i) {
    above += std::max(0.0, counts[i] - doubt);
    if (above > (1 - fraction) * total) return most * std::exp2(-static_cast<double>(i) / 4);
  }
  return most;
}

}  // namespace discreet::learn
