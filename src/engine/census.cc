// SPDX-License-Identifier: Apache-2.0
#include "engine/census.h"

#include <algorithm>

#include "engine/key_union.h"

namespace discreet::engine {
namespace {

constexpr std::size_t kCellsMax = std::size_t{1} << 22;  // of a thread: 16 MiB
constexpr std::uint64_t kRowsMax = std::uint64_t{1} << 31;

/// How many numbers there are from the least to the greatest; 0: too many for an array of them.
std::size_t span_of(const std::vector<std::int64_t>& numbers, std::int64_t& least) {
  const auto [low, high] = std::minmax_element(numbers.begin(), numbers.end());
  least = *low;
  const std::uint64_t span = static_cast<std::uint64_t>(*high) - static_cast<std::uint64_t>(*low);
  return span >= 4 * numbers.size() + 1024 ? 0 : span + 1;
}

}  // namespace

bool Census::begin() {
  if (keys_.empty() || keys_.size() >= kRowsMax) return false;
  std::int64_t first_unit = 0;
  unit_count_ = span_of(units_, first_unit);
  owners_.assign(span_of(keys_, first_key_), kNobody);
  if (unit_count_ == 0 || unit_count_ > kCellsMax || owners_.empty()) return false;
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    std::uint32_t& owner =
        owners_[static_cast<std::uint64_t>(keys_[i]) - static_cast<std::uint64_t>(first_key_)];
    if (owner != kNobody) return false;
    owner = static_cast<std::uint32_t>(static_cast<std::uint64_t>(units_[i]) -
                                       static_cast<std::uint64_t>(first_unit));
  }
  keys_ = {};
  units_ = {};
  return true;
}

Census::Worker& Census::new_worker() {
  auto worker = std::make_unique<Worker>(*this, task_.keys, secret_);
  std::lock_guard lock(mutex_);
  return *workers_.emplace_back(std::move(worker));
}

bool Census::Worker::widen(std::size_t key) {
  std::size_t stride = std::max<std::size_t>(stride_, 1);
  while (stride <= key) stride *= 2;
  if (stride * census_.unit_count_ > kCellsMax) return false;
  std::vector<std::uint32_t> wider(stride * census_.unit_count_);
  for (std::size_t unit = 0; unit < census_.unit_count_ && stride_ > 0; ++unit) {
    std::copy_n(&counts_[unit * stride_], stride_, &wider[unit * stride]);
  }
  counts_ = std::move(wider);
  stride_ = stride;
  return true;
}

void Census::Worker::count(std::span<const std::int64_t> foreign, const std::uint64_t* valid,
                           std::span<const std::uint32_t> key) {
  rows_ += foreign.size();
  bool fine = rows_ < kRowsMax;
  std::uint32_t last = 0;
  for (const std::uint32_t id : key) last = std::max(last, id);
  if (fine && last >= stride_) fine = widen(last);
  const std::uint64_t first = static_cast<std::uint64_t>(census_.first_key_);
  const std::uint32_t* const owners = census_.owners_.data();
  const std::size_t size = census_.owners_.size();
  for (std::size_t i = 0; i < foreign.size() && fine; ++i) {
    const std::uint64_t place = static_cast<std::uint64_t>(foreign[i]) - first;
    const bool is_null = valid != nullptr && ((valid[i / 64] >> (i % 64)) & 1) == 0;
    const std::uint32_t owner = is_null || place >= size ? kNobody : owners[place];
    fine = owner != kNobody;
    if (fine) ++counts_[owner * stride_ + key[i]];
  }
  if (!fine) census_.abandoned_ = true;
}

std::optional<Census::Counted> Census::finish() {
  if (abandoned()) return std::nullopt;
  std::vector<const KeyIds*> keys;
  for (const auto& worker : workers_) keys.push_back(&worker->keys);
  const KeyUnion all = unite(keys, secret_);
  Counted counted;
  for (const auto& worker : workers_) counted.rows += static_cast<std::int64_t>(worker->rows_);
  std::vector<std::int64_t> units(all.keys.bytes.size());
  std::vector<std::uint64_t> rows(units.size());
  for (std::size_t unit = 0; unit < unit_count_; ++unit) {
    std::fill(rows.begin(), rows.end(), 0);
    for (std::size_t w = 0; w < workers_.size(); ++w) {
      const Worker& worker = *workers_[w];
      const std::size_t count = std::min(worker.stride_, all.numbers[w].size());
      for (std::size_t key = 0; key < count; ++key) {
        rows[all.numbers[w][key]] += worker.counts_[unit * worker.stride_ + key];
      }
    }
    std::int64_t groups = 0;
    for (std::size_t key = 0; key < rows.size(); ++key) {
      if (rows[key] == 0) continue;
      if (rows[key] > static_cast<std::uint64_t>(task_.rows_per_unit_and_group)) {
        return std::nullopt;
      }
      ++units[key];
      ++groups;
    }
    if (groups > task_.groups_per_unit) return std::nullopt;
  }
  for (std::size_t key = 0; key < units.size(); ++key) {
    if (units[key] > 0) counted.units.emplace(all.keys.bytes[key], units[key]);
  }
  return counted;
}

bool Census::Counted::only(const std::unordered_set<std::string>& keys) const {
  return std::all_of(units.begin(), units.end(),
                     [&](const auto& entry) { return keys.contains(entry.first); });
}

bool Census::Counted::complete(mechanism::Groups& groups,
                               const std::vector<std::size_t>& unit_steps) const {
  std::int64_t all = 0;
  for (std::size_t g = 0; g < groups.keys.size(); ++g) {
    const auto found = units.find(groups.keys[g]);
    if (found == units.end()) return false;
    all += groups.units[g];
    groups.units[g] = found->second;
    for (const std::size_t step : unit_steps) groups.integers[step][g] = found->second;
  }
  return all == rows && groups.keys.size() == units.size();
}

}  // namespace discreet::engine
