// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "audit/attack/subset_counts.h"

namespace discreet::audit {

std::vector<std::uint8_t> bits_by_linear_program(const std::vector<Subset>& subsets,
                                                 const std::vector<double>& answers, int rounds) {
  const std::size_t m = subsets.size();
  const std::size_t n = subsets.front().size();
  std::vector<float> matrix;
  matrix.reserve(m * n);
  std::vector<float> of_person(n);  // in how many subsets: the step of x is its inverse
  std::vector<float> of_subset(m);  // how many people: the step of y likewise
  for (std::size_t q = 0; q < m; ++q) {
    for (std::size_t i = 0; i < n; ++i) {
      matrix.push_back(static_cast<float>(subsets[q][i]));
      of_person[i] += matrix.back();
      of_subset[q] += matrix.back();
    }
  }
  std::vector<float> x(n, 0.5F);
  std::vector<float> y(m, 0.0F);
  std::vector<float> slope(n);
  std::vector<float> ahead(n);
  for (int round = 0; round < rounds; ++round) {
    std::fill(slope.begin(), slope.end(), 0.0F);
    for (std::size_t q = 0; q < m; ++q) {
      const float* const row = &matrix[q * n];
      for (std::size_t i = 0; i < n; ++i) slope[i] += row[i] * y[q];
    }
    for (std::size_t i = 0; i < n; ++i) {
      const float next = std::clamp(x[i] - slope[i] / std::max(of_person[i], 1.0F), 0.0F, 1.0F);
      ahead[i] = 2 * next - x[i];
      x[i] = next;
    }
    for (std::size_t q = 0; q < m; ++q) {
      const float* const row = &matrix[q * n];
      float counted = 0;
      for (std::size_t i = 0; i < n; ++i) counted += row[i] * ahead[i];
      const float gap = counted - static_cast<float>(answers[q]);
      y[q] = std::clamp(y[q] + gap / std::max(of_subset[q], 1.0F), -1.0F, 1.0F);
    }
  }
  std::vector<std::uint8_t> bits;
  for (const float v : x) bits.push_back(v > 0.5F ? 1 : 0);
  return bits;
}

}  // namespace discreet::audit
