// SPDX-License-Identifier: Apache-2.0
#include "engine/census.h"

#include <algorithm>

#include "engine/key_union.h"

namespace discreet::engine {
namespace {

constexpr std::size_t kCellsMax = std::size_t{1} << 22;  // of a thread: 16 MiB
constexpr std::uint64_t kRowsMax = std::uint64_t{1} << 31;

}  // namespace

void Census::Numbers::add(std::span<const std::int64_t> more) {
  all.insert(all.end(), more.begin(), more.end());
  for (const std::int64_t number : more) {
    least = std::min(least, number);
    greatest = std::max(greatest, number);
  }
}

std::size_t Census::Numbers::span() const {
  const std::uint64_t width =
      static_cast<std::uint64_t>(greatest) - static_cast<std::uint64_t>(least);
  return width >= 4 * all.size() + 1024 ? 0 : width + 1;
}

void Census::add_owners(std::span<const std::int64_t> keys, const std::int64_t* units) {
  std::lock_guard lock(mutex_);
  keys_.add(keys);
  units_.add({units, keys.size()});
}

bool Census::begin() {
  const std::size_t count = keys_.all.size();
  if (count == 0 || count >= kRowsMax) return false;
  unit_count_ = units_.span();
  owners_.assign(keys_.span(), kNobody);
  if (unit_count_ == 0 || unit_count_ > kCellsMax || owners_.empty()) return false;
  const auto from = [](std::int64_t number, std::int64_t least) {
    return static_cast<std::uint64_t>(number) - static_cast<std::uint64_t>(least);
  };
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t& owner = owners_[from(keys_.all[i], keys_.least)];
    if (owner != kNobody) return false;
    owner = static_cast<std::uint32_t>(from(units_.all[i], units_.least));
  }
  keys_.all = {};
  units_.all = {};
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
  const std::uint64_t first = static_cast<std::uint64_t>(census_.keys_.least);
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
