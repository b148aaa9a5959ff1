// SPDX-License-Identifier: Apache-2.0
#include "mechanism/prefix_table.h"

#include <algorithm>

#include "mechanism/describe.h"
#include "mechanism/draws.h"
#include "mechanism/table_limits.h"
#include "random/gaussian.h"

namespace discreet::mechanism {
Result<PrefixTable> PrefixTable::make(const Options& options) {
  if (options.reach < 1 || options.reach > kTableReachMax) {
    return invalid_input("what one unit brings to a table must lie between 1 and 2^40");
  }
  if (options.rows < 1 || options.rows > kTableCellsMax / options.mixing.days()) {
    return invalid_input("a table has at most 2^31 cells; ask for fewer columns");
  }
  if (options.mixing.mixes() && options.mixing.days() > kMixedMax) {
    return invalid_input("an axis of running sums has at most 16384 places; make its bins wider");
  }
  const Integer squared =
      options.mixing.length_squared(1) * Integer(options.reach) * Integer(options.reach);
  DISCREET_ASSIGN(GaussianNoise noise,
                  GaussianNoise::make(
                      {.sensitivity_squared = L2Squared::trusted(squared), .rho = options.rho}));
  return PrefixTable(std::move(noise), options);
}

NoiseSpec PrefixTable::noise() const {
  return {"prefix-table(rows=" + std::to_string(rows_) + ",places=" +
          std::to_string(mixing_.days()) + ",mixing=" + (mixing_.mixes() ? "square-root" : "none") +
          ",unit=" + std::to_string(mixing_.unit()) + ",reach=" + std::to_string(reach_) +
          ",sigma_squared=" + sigma_squared().to_string() + ")"};
}

PrefixTable::Output PrefixTable::mixed(const Input& table) const {
  // The coefficients of a row of C add up to less than 2^30: C x is below 2^93. The clamp comes
  // after the mixing, entry by entry, so it moves no two images apart.
  const auto& c = mixing_.coefficients();
  const auto days = static_cast<std::size_t>(mixing_.days());
  Output out(table.size());
  for (std::size_t begin = 0; begin < table.size(); begin += days) {
    for (std::size_t t = 0; t < days; ++t) {
      Int128 sum = 0;
      for (std::size_t k = 0; k <= t && k < c.size(); ++k) {
        sum += Int128{c[k]} * table[begin + t - k];
      }
      out[begin + t] = static_cast<std::int64_t>(std::clamp<Int128>(sum, -kEntryMax, kEntryMax));
    }
  }
  return out;
}

std::string PrefixTable::describe(const Output& entries) { return describe_entries(entries); }

template <random::BitSource B>
PrefixTable::Output PrefixTable::draw(const Input& table, B& bits) const {
  DISCREET_CHECK(table.size() == static_cast<std::size_t>(cells()));
  const auto sampler = random::GaussianFor<B>::shared(sigma_squared());
  Output out(table.size());
  fill(out, *sampler, bits);
  Output values = mixed(table);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = add_noise_to_entry(values[i], out[i]);
  wipe(values);
  return out;
}

DISCREET_DRAWS(PrefixTable)

}  // namespace discreet::mechanism
