// SPDX-License-Identifier: Apache-2.0
#include "mechanism/clipped_sum.h"

#include <algorithm>

#include "base/check.h"

namespace discreet::mechanism {

Int128 floor_root(Int128 x) {
  DISCREET_CHECK(x >= 0);
  Int128 root = 0;
  for (int bit = 62; bit >= 0; --bit) {
    const Int128 tried = root + (Int128{1} << bit);
    if (tried <= x / tried) root = tried;  // tried^2 <= x, without overflow
  }
  return root;
}

void clip(std::span<std::int64_t> entries, ClippingNorm norm, std::int64_t limit) {
  // Entries are below 2^38: their squares add up exactly in 128 bits.
  Int128 size = 0;
  for (const std::int64_t entry : entries) {
    size += norm == ClippingNorm::kL1 ? Int128{entry < 0 ? -entry : entry} : Int128{entry} * entry;
  }
  Int128 length = size;
  if (norm == ClippingNorm::kL2) {
    if (size <= Int128{limit} * limit) return;
    length = floor_root(size);
    if (length * length < size) ++length;
  }
  if (length <= limit) return;
  if (length >= Int128{1} << 62) {  // every quotient below is 0; only very wide vectors in L1
    std::fill(entries.begin(), entries.end(), 0);
    return;
  }
  // |entry * limit| < 2^62. Division rounds towards 0, so each entry shrinks by limit/length or
  // more.
  const std::int64_t divisor = static_cast<std::int64_t>(length);
  for (std::int64_t& entry : entries) entry = entry * limit / divisor;
}

namespace {

/// visit(first row, one past the last) for every unit that joins.
template <class Visit>
void each_unit(const UnitRows& rows, std::span<const std::uint8_t> joins, const Visit& visit) {
  DISCREET_CHECK(joins.empty() || joins.size() == rows.ends.size());
  DISCREET_CHECK(rows.ends.empty() || rows.cells.size() == rows.ends.back() * rows.columns);
  std::size_t begin = 0;
  for (std::size_t u = 0; u < rows.ends.size(); ++u) {
    if (joins.empty() || joins[u] != 0) visit(begin, rows.ends[u]);
    begin = rows.ends[u];
  }
}

std::int64_t add_to_unit(std::int64_t sum, std::int64_t entry) {
  return std::clamp(sum + std::clamp(entry, -kRowEntryMax, kRowEntryMax), -kUnitEntryMax,
                    kUnitEntryMax);
}

}  // namespace

std::vector<std::int64_t> clipped_sum(const UnitRows& rows, std::span<const std::uint8_t> joins,
                                      const SumShape& shape, const RowFunction& f) {
  std::vector<std::int64_t> sum(shape.width, 0);
  std::vector<std::int64_t> unit(shape.width);
  std::vector<std::int64_t> row(shape.width);
  each_unit(rows, joins, [&](std::size_t begin, std::size_t end) {
    std::fill(unit.begin(), unit.end(), 0);
    for (std::size_t r = begin; r < end; ++r) {
      std::fill(row.begin(), row.end(), 0);
      f(rows.row(r), row);
      for (std::size_t i = 0; i < shape.width; ++i) unit[i] = add_to_unit(unit[i], row[i]);
    }
    clip(unit, shape.norm, shape.limit);
    for (std::size_t i = 0; i < shape.width; ++i) sum[i] += unit[i];
  });
  wipe(unit);
  wipe(row);
  return sum;
}

std::vector<std::int64_t> clipped_sum(const UnitRows& rows, std::span<const std::uint8_t> joins,
                                      const SumShape& shape, const SparseRowFunction& f) {
  std::vector<std::int64_t> sum(shape.width, 0);
  SparseEntries pairs;
  std::vector<std::size_t> places;
  std::vector<std::int64_t> unit;
  each_unit(rows, joins, [&](std::size_t begin, std::size_t end) {
    pairs.clear();
    for (std::size_t r = begin; r < end; ++r) f(rows.row(r), pairs);
    std::sort(pairs.begin(), pairs.end());
    places.clear();
    unit.clear();
    for (const auto& [place, value] : pairs) {
      if (place >= shape.width) break;
      if (places.empty() || places.back() != place) {
        places.push_back(place);
        unit.push_back(0);
      }
      unit.back() = add_to_unit(unit.back(), value);
    }
    clip(unit, shape.norm, shape.limit);
    for (std::size_t i = 0; i < unit.size(); ++i) sum[places[i]] += unit[i];
  });
  wipe(pairs);
  wipe(unit);
  return sum;
}

}  // namespace discreet::mechanism
