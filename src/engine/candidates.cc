// SPDX-License-Identifier: Apache-2.0
#include "engine/candidates.h"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>

namespace discreet::engine {
namespace {

/// Far below what overflows, far above what memory holds.
constexpr std::int64_t kEndlessly = std::int64_t{1} << 48;

std::size_t product(std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  const bool over = __builtin_mul_overflow(a, b, &out);
  return static_cast<std::size_t>(over ? kEndlessly : std::min(out, kEndlessly));
}

}  // namespace

Candidates::Candidates(std::int64_t groups_per_unit, std::int64_t rows_per_unit_and_group,
                       std::int64_t of_unit, const RowLayout& layout, const Secret& secret)
    : secret_(secret),
      order_(layout),
      groups_(static_cast<std::size_t>(groups_per_unit)),
      rows_(static_cast<std::size_t>(
          std::max(rows_per_unit_and_group, (of_unit - 1) / groups_per_unit + 1))),
      words_per_unit_(product(groups_per_unit, static_cast<std::int64_t>(rows_)) * layout.words()) {
}

void Candidates::choose(std::vector<const std::uint64_t*>& rows, std::uint64_t key_hash) const {
  if (rows.size() <= rows_) return;
  SipState<> begin(secret_);
  for (std::size_t w = 0; w < order_.unit_words(); ++w) begin.add(rows[0][w]);
  begin.add(key_hash);
  std::vector<std::pair<std::uint64_t, const std::uint64_t*>> ranked;
  ranked.reserve(rows.size());
  for (const std::uint64_t* row : rows) {
    SipState<> state = begin;
    for (std::size_t w = order_.unit_words(); w < order_.words(); ++w) {
      state.add(order_.word(row, w));
    }
    ranked.emplace_back(state.finish(), row);
  }
  const auto end = ranked.begin() + static_cast<std::ptrdiff_t>(rows_);
  std::nth_element(ranked.begin(), end, ranked.end(), [this](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : order_(a.second, b.second);
  });
  rows.clear();
  for (auto one = ranked.begin(); one != end; ++one) rows.push_back(one->second);
  std::sort(rows.begin(), rows.end(), order_);
}

void Candidates::thin(std::vector<std::uint64_t>& rows, const std::uint64_t* row,
                      const std::function<std::uint64_t(std::uint32_t)>& key_hash) const {
  std::vector<std::uint64_t> left;
  std::unordered_map<std::uint32_t, std::vector<const std::uint64_t*>> groups;
  for (std::size_t i = 0; i < rows.size(); i += order_.words()) {
    const std::uint64_t* const one = &rows[i];
    if (order_.same_unit(one, row)) {
      groups[order_.key(one)].push_back(one);
    } else {
      left.insert(left.end(), one, one + order_.words());
    }
  }
  const UnitHash unit(secret_, {row, order_.unit_words()});
  std::vector<std::uint64_t> hashes;
  for (const auto& [key, of_key] : groups) hashes.push_back(unit.of(key_hash(key)));
  std::uint64_t last = std::numeric_limits<std::uint64_t>::max();
  if (hashes.size() > groups_) {
    const auto at = hashes.begin() + static_cast<std::ptrdiff_t>(groups_ - 1);
    std::nth_element(hashes.begin(), at, hashes.end());
    last = *at;
  }
  for (auto& [key, of_key] : groups) {
    const std::uint64_t hash = key_hash(key);
    if (unit.of(hash) > last) continue;  // those that are equal are told apart later
    choose(of_key, hash);
    for (const std::uint64_t* one : of_key) left.insert(left.end(), one, one + order_.words());
  }
  rows = std::move(left);
}

}  // namespace discreet::engine
