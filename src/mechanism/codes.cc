// SPDX-License-Identifier: Apache-2.0
#include "mechanism/codes.h"

#include <algorithm>

#include "base/check.h"
#include "mechanism/saturation.h"
#include "mechanism/unit_rows.h"
#include "mechanism/verbs.h"

namespace discreet::mechanism {
namespace {

constexpr std::int64_t kWeightMax = std::int64_t{1} << 30;

std::int64_t nearest(std::int64_t value, std::int64_t width) {
  const std::int64_t down = value / width;  // towards 0
  const std::int64_t rest = value % width;
  if (rest >= 0) return down + (rest >= width - rest ? 1 : 0);
  return down - (-rest > width + rest ? 1 : 0);
}

}  // namespace

std::int64_t Axis::place(std::int64_t value) const {
  const std::int64_t all = groups.empty() ? places : static_cast<std::int64_t>(groups.size());
  std::int64_t at = rest ? all - 1 : -1;
  if (value != kMissing && value >= 0) {
    const std::int64_t found =
        cuts.empty() ? value / width
                     : std::upper_bound(cuts.begin(), cuts.end(), value) - cuts.begin();
    if (found < (rest ? all - 1 : all)) at = found;
  }
  if (at < 0 || groups.empty()) return at;
  return std::min<std::int64_t>(groups[static_cast<std::size_t>(at)], places - 1);
}

std::int64_t Weight::weigh(std::int64_t value) const {
  if (value == kMissing) return 0;
  // Engines hand over values below 2^62.
  const std::int64_t most = kEntryMax / 2;
  const std::int64_t moved = std::clamp(value, -most, most) + std::clamp(offset, -most, most);
  return std::clamp(nearest(moved, width), -largest, largest);
}

Sensitive<Codes> Verbs::codes(const Sensitive<UnitRows>& rows, const std::vector<Axis>& axes,
                              const std::vector<Weight>& weights) {
  const UnitRows& open = rows.reveal(Unseal());
  const std::size_t count = open.ends.empty() ? 0 : open.ends.back();
  Codes out;
  out.places.resize(axes.size());
  out.weights.resize(weights.size());
  for (const Axis& axis : axes) {
    DISCREET_CHECK(axis.width >= 1 && axis.places >= 1 && axis.places <= (std::int64_t{1} << 31));
    out.sizes.push_back(axis.places);
  }
  for (const Weight& weight : weights) {
    DISCREET_CHECK(weight.width >= 1 && weight.largest >= 1 && weight.largest <= kWeightMax);
  }
  for (auto& column : out.places) column.reserve(count);
  std::vector<std::uint32_t> row(axes.size());
  for (std::size_t r = 0; r < count; ++r) {
    const auto values = open.row(r);
    bool counts = true;
    for (std::size_t a = 0; a < axes.size(); ++a) {
      const std::int64_t at = axes[a].place(values[axes[a].column]);
      counts = counts && at >= 0;
      row[a] = static_cast<std::uint32_t>(at);
    }
    if (!counts) continue;
    for (std::size_t a = 0; a < axes.size(); ++a) out.places[a].push_back(row[a]);
    for (std::size_t w = 0; w < weights.size(); ++w) {
      out.weights[w].push_back(weights[w].weigh(values[weights[w].column]));
    }
    ++out.rows;
  }
  wipe(row);
  return Sensitive(std::move(out));
}

Sensitive<std::vector<std::int64_t>> Verbs::table(const Sensitive<Codes>& codes,
                                                  const TableOf& which) {
  const Codes& open = codes.reveal(Unseal());
  std::size_t cells = 1;
  for (const std::size_t a : which.axes) cells *= static_cast<std::size_t>(open.sizes.at(a));
  std::vector<std::int64_t> out(cells, 0);
  // 2^32 rows of weights below 2^30 stay below 2^62.
  DISCREET_CHECK(open.rows < (std::size_t{1} << 32));
  const std::vector<std::int64_t>* const weights =
      which.weight ? &open.weights.at(*which.weight) : nullptr;
  for (std::size_t r = 0; r < open.rows; ++r) {
    std::size_t at = 0;
    for (const std::size_t a : which.axes) {
      at = at * static_cast<std::size_t>(open.sizes[a]) + open.places[a][r];
    }
    out[at] += weights == nullptr ? 1 : (*weights)[r];
  }
  return Sensitive(std::move(out));
}

Sensitive<Int128> Verbs::day_count(const Sensitive<UnitRows>& rows, const DayRule& rule) {
  const UnitRows& open = rows.reveal(Unseal());
  DISCREET_CHECK(open.columns == 1);
  Int128 total = 0;
  std::size_t begin = 0;
  for (const std::size_t end : open.ends) {
    const auto from = open.cells.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto to = open.cells.begin() + static_cast<std::ptrdiff_t>(end);
    total += std::min<std::int64_t>(std::count(from, to, rule.day), rule.rows);
    begin = end;
  }
  return Sensitive(total);
}

}  // namespace discreet::mechanism
