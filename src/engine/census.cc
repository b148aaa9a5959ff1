// SPDX-License-Identifier: Apache-2.0
#include "engine/census.h"

#include <algorithm>

namespace discreet::engine {
namespace {

constexpr std::size_t kCellsMax = std::size_t{1} << 25;  // of all groups: 128 MiB
constexpr std::uint32_t kRowsMax = std::uint32_t{1} << 30;

/// Leaves only the places that are marked.
template <class T>
void keep(std::vector<T>& values, const std::vector<bool>& marked) {
  if (values.empty()) return;  // nobody needs it
  std::size_t place = 0;
  for (std::size_t i = 0; i < marked.size(); ++i) {
    if (!marked[i]) continue;
    if (place != i) values[place] = std::move(values[i]);
    ++place;
  }
  values.resize(place);
}

}  // namespace

Census::Census(const BoundingTask& task)
    : groups_most_(task.groups_per_unit),
      rows_most_(static_cast<std::uint32_t>(
          std::min<std::int64_t>(task.rows_per_unit_and_group, kRowsMax))) {}

void Census::Numbers::add(std::vector<std::int64_t> more, std::int64_t low, std::int64_t high) {
  count += more.size();
  blocks.push_back(std::move(more));
  least = std::min(least, low);
  greatest = std::max(greatest, high);
}

std::size_t Census::Numbers::span() const {
  const std::uint64_t width =
      static_cast<std::uint64_t>(greatest) - static_cast<std::uint64_t>(least);
  return width >= 4 * count + 1024 ? 0 : width + 1;
}

void Census::add_owners(std::span<const std::int64_t> keys, const std::int64_t* units) {
  if (keys.empty()) return;
  const std::span<const std::int64_t> all_units(units, keys.size());
  std::vector<std::int64_t> key_block(keys.begin(), keys.end());
  std::vector<std::int64_t> unit_block(all_units.begin(), all_units.end());
  const auto [least_key, greatest_key] = std::minmax_element(keys.begin(), keys.end());
  const auto [least_unit, greatest_unit] = std::minmax_element(all_units.begin(), all_units.end());
  std::lock_guard lock(mutex_);
  keys_.add(std::move(key_block), *least_key, *greatest_key);
  units_.add(std::move(unit_block), *least_unit, *greatest_unit);
}

bool Census::begin() {
  const std::size_t count = keys_.count;
  if (count == 0 || count >= kNobody) return false;
  unit_count_ = units_.span();
  owners_.assign(keys_.span(), kNobody);
  if (unit_count_ == 0 || unit_count_ > kCellsMax || owners_.empty()) return false;
  const auto from = [](std::int64_t number, std::int64_t least) {
    return static_cast<std::uint64_t>(number) - static_cast<std::uint64_t>(least);
  };
  for (std::size_t b = 0; b < keys_.blocks.size(); ++b) {
    for (std::size_t i = 0; i < keys_.blocks[b].size(); ++i) {
      std::uint32_t& owner = owners_[from(keys_.blocks[b][i], keys_.least)];
      if (owner != kNobody) return false;
      owner = static_cast<std::uint32_t>(from(units_.blocks[b][i], units_.least));
    }
  }
  keys_.blocks = {};
  units_.blocks = {};
  return true;
}

Census::Group* Census::new_group() {
  std::lock_guard lock(mutex_);
  if ((groups_.size() + 1) * unit_count_ > kCellsMax) {
    abandon();
    return nullptr;
  }
  return groups_.emplace_back(std::make_unique<Group>(groups_.size(), unit_count_)).get();
}

// Without branches, so that the processor waits for many owners at once.
bool Census::find(std::span<const std::int64_t> foreign, std::uint32_t* owners) const {
  const auto least = static_cast<std::uint64_t>(keys_.least);
  const std::uint64_t last = owners_.size() - 1;
  const std::uint32_t* const all = owners_.data();
  bool fine = true;
  for (std::size_t i = 0; i < foreign.size(); ++i) {
    const std::uint64_t place = static_cast<std::uint64_t>(foreign[i]) - least;
    owners[i] = all[std::min(place, last)];
    fine = fine & (place <= last) & (owners[i] != kNobody);
  }
  return fine;
}

void Census::merge(Group& from, Group& into) {
  for (std::size_t unit = 0; unit < unit_count_; ++unit) {
    into.rows_[unit] = std::min(into.rows_[unit] + from.rows_[unit], kRowsMax + 1);
  }
  from.rows_.assign(unit_count_, 0);
}

std::optional<Census::Counted> Census::finish(
    const std::vector<std::pair<std::string, const Group*>>& groups,
    const std::optional<KeySet>& listed) const {
  if (abandoned()) return std::nullopt;
  Counted counted;
  std::vector<std::int64_t> groups_of(unit_count_);
  for (const auto& [key, group] : groups) {
    if (listed && !listed->contains(key)) continue;
    std::int64_t units = 0;
    for (std::size_t unit = 0; unit < unit_count_; ++unit) {
      const std::uint32_t rows = group->rows_[unit];
      if (rows > rows_most_) return std::nullopt;
      counted.rows += rows;
      units += rows > 0 ? 1 : 0;
      groups_of[unit] += rows > 0 ? 1 : 0;
    }
    counted.units.emplace(key, units);
  }
  for (const std::int64_t n : groups_of) {
    if (n > groups_most_) return std::nullopt;
  }
  return counted;
}

bool Census::Counted::complete(mechanism::Groups& groups,
                               const std::vector<std::size_t>& unit_steps,
                               const std::optional<KeySet>& listed) const {
  std::vector<bool> counts(groups.keys.size());
  std::int64_t all = 0;
  for (std::size_t g = 0; g < groups.keys.size(); ++g) {
    const auto found = units.find(groups.keys[g]);
    counts[g] = found != units.end();
    if (!counts[g] && listed && !listed->contains(groups.keys[g])) continue;
    if (!counts[g]) return false;
    all += groups.units[g];
    groups.units[g] = found->second;
    for (const std::size_t step : unit_steps) groups.integers[step][g] = found->second;
  }
  keep(groups.keys, counts);
  keep(groups.units, counts);
  for (auto& integers : groups.integers) keep(integers, counts);
  for (auto& runs : groups.runs) keep(runs, counts);
  return all == rows && groups.keys.size() == units.size();
}

}  // namespace discreet::engine
