// SPDX-License-Identifier: Apache-2.0
#include "mechanism/residual_table.h"

#include <algorithm>

#include "mechanism/describe.h"
#include "mechanism/draws.h"
#include "mechanism/table_limits.h"
#include "privacy/sensitive.h"
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

ResidualTable::Output ResidualTable::differences(std::vector<Int128> from) const {
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
    wipe(from);
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
  std::vector<std::int64_t> noise(table.size());
  fill(noise, *sampler, bits);
  // Nothing is clamped before the differences, which would not be a function of the exact sum then.
  // Width: |L x| <= 2^31 2^63 and |z| <= 2^63 add up to less than 2^95; each of at most 31 axes
  // doubles that at most: below 2^126.
  static_assert(kTableCellsMax <= std::int64_t{1} << 31 && kAxesMax <= 31);
  std::vector<Int128> noisy(table.size());
  for (std::size_t i = 0; i < noisy.size(); ++i) noisy[i] = Int128{cells_} * table[i] + noise[i];
  return differences(std::move(noisy));
}

DISCREET_DRAWS(ResidualTable)

}  // namespace discreet::mechanism
