// SPDX-License-Identifier: Apache-2.0
#include "accounting/tilts.h"

#include <algorithm>
#include <cmath>

namespace discreet::accounting {
namespace {
constexpr int kCellBits = 4;
}  // namespace

int delta_cell(double delta) {
  int exponent = 0;  // delta = m 2^exponent, 1/2 <= m < 1
  std::frexp(delta, &exponent);
  return std::clamp(-exponent / kCellBits, 0, kDeltaCellMax);
}

double delta_cell_low(int cell) { return std::ldexp(1.0, -kCellBits * (cell + 1)); }

double tail_of_cell(int cell) { return std::max(delta_cell_low(cell) * 0x1p-45, 1e-300); }
double tail_of(double delta) { return tail_of_cell(delta_cell(delta)); }

Tilts tilts_around(double best, double delta, double deviation) {
  const double natural = std::sqrt(2 * std::max(0.7, -std::log(delta))) / deviation;
  return {std::min(best, 3 * natural),
          natural,
          natural / 4,
          best,
          natural / 16,
          16 * natural,
          natural / 64};
}

}  // namespace discreet::accounting
