// SPDX-License-Identifier: Apache-2.0
#include "mechanism/residual_table.h"

#include <algorithm>

#include "mechanism/describe.h"
#include "mechanism/draws.h"
#include "mechanism/table_limits.h"
#include "random/gaussian.h"

namespace discreet::mechanism {
namespace {

constexpr std::size_t kAxesMax = 31;

}  // namespace

Result<ResidualTable> ResidualTable::make(const Options& options) {
  if (options.reach < 1 || options.reach > kTableReachMax) {
    return invalid_input("what one unit brings to a table must lie between 1 and 2^40");
  }
  if (options.axes.size() > kAxesMax) return invalid_input("a table has at most 31 axes");
  std::int64_t cells = 1;
  Integer lengthened = Integer(options.reach) * Integer(options.reach);
  for (const std::int64_t n : options.axes) {
    if (n < 2 || n > kTableCellsMax / cells) {
      return invalid_input(
          "a table's axes have at least 2 places each, and at most 2^31 cells together");
    }
    cells *= n;
    lengthened = lengthened * Integer(n) * Integer(n - 1);
  }
  DISCREET_ASSIGN(GaussianNoise noise,
                  GaussianNoise::make(
                      {.sensitivity_squared = L2Squared::trusted(lengthened), .rho = options.rho}));
  return ResidualTable(std::move(noise), options, cells);
}

NoiseSpec ResidualTable::noise() const {
  std::string axes;
  for (const std::int64_t n : axes_) axes += (axes.empty() ? "" : "x") + std::to_string(n);
  return {"residual-table(axes=" + (axes.empty() ? "1" : axes) + ",reach=" +
          std::to_string(reach_) + ",sigma_squared=" + sigma_squared().to_string() + ")"};
}

std::int64_t ResidualTable::scaled(std::int64_t x) const {
  const std::int64_t most = kEntryMax / cells_;
  return std::clamp(x, -most, most) * cells_;
}

ResidualTable::Output ResidualTable::differences(const std::vector<std::int64_t>& noisy) const {
  // Each axis doubles the size at most: 62 + 31 bits.
  std::vector<Int128> from(noisy.begin(), noisy.end());
  std::size_t inner = from.size();
  std::size_t outer = 1;
  for (const std::int64_t places : axes_) {
    const auto n = static_cast<std::size_t>(places);
    inner /= n;
    std::vector<Int128> to;
    to.reserve(outer * (n - 1) * inner);
    for (std::size_t o = 0; o < outer; ++o) {
      const Int128* const first = &from[o * n * inner];
      for (std::size_t j = inner; j < n * inner; ++j) to.push_back(first[j] - first[j % inner]);
    }
    from = std::move(to);
    outer *= n - 1;
  }
  Output out(from.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = static_cast<std::int64_t>(std::clamp<Int128>(from[i], -kEntryMax, kEntryMax));
  }
  return out;
}

std::string ResidualTable::describe(const Output& entries) { return describe_entries(entries); }

template <random::BitSource B>
ResidualTable::Output ResidualTable::draw(const Input& table, B& bits) const {
  DISCREET_CHECK(table.size() == static_cast<std::size_t>(cells_));
  const auto sampler = random::GaussianFor<B>::shared(sigma_squared());
  std::vector<std::int64_t> noisy(table.size());
  fill(noisy, *sampler, bits);
  for (std::size_t i = 0; i < noisy.size(); ++i) {
    noisy[i] = add_noise_to_entry(scaled(table[i]), noisy[i]);
  }
  return differences(noisy);
}

DISCREET_DRAWS(ResidualTable)

}  // namespace discreet::mechanism
