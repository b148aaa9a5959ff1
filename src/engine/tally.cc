// SPDX-License-Identifier: Apache-2.0
#include "engine/tally.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace discreet::engine {
namespace {

constexpr std::uint64_t kDenseMax = std::uint64_t{1} << 21;  // 16 MiB
constexpr std::size_t kCellsPerEntry =
    8;  // of 8 bytes, where an entry has 24: less than four times
constexpr std::size_t kCompactFirst = std::size_t{1} << 16;

}  // namespace

Tally::Tally(std::size_t groups, std::int64_t low, std::int64_t high)
    : groups_(groups), low_(low), full_at_(kCompactFirst) {
  std::uint64_t span = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  if (groups == 0 || span >= kDenseMax || (span + 1) * groups > kDenseMax) return;
  width_ = span + 1;
  full_at_ = width_ * groups / kCellsPerEntry;
}

std::size_t Tally::bytes() const {
  return dense_.capacity() * sizeof(dense_[0]) + sparse_.capacity() * sizeof(Entry);
}

void Tally::make_room() {
  if (width_ > 0) return make_dense();
  compact();
  full_at_ =
      std::max(kCompactFirst, 2 * sparse_.size());  // so that sorting stays a constant factor
}

void Tally::make_dense() {
  dense_.resize(width_ * groups_);
  for (const Entry& entry : sparse_) count(entry.group, entry.value, entry.times);
  std::vector<Entry>().swap(sparse_);  // which gives its memory back
}

void Tally::compact() {
  std::sort(sparse_.begin(), sparse_.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.group, a.value) < std::tie(b.group, b.value);
  });
  std::size_t kept = 0;
  for (const Entry& entry : sparse_) {
    if (kept > 0 && sparse_[kept - 1].group == entry.group &&
        sparse_[kept - 1].value == entry.value) {
      sparse_[kept - 1].times += entry.times;
    } else {
      sparse_[kept++] = entry;
    }
  }
  sparse_.resize(kept);
}

void Tally::merge(Tally&& other) {
  if (dense_.empty() && !other.dense_.empty()) {
    std::swap(dense_, other.dense_);
    std::swap(sparse_, other.sparse_);
  }
  for (std::size_t i = 0; i < other.dense_.size(); ++i) dense_[i] += other.dense_[i];
  for (const Entry& entry : other.sparse_) add(entry.group, entry.value, entry.times);
  std::vector<std::int64_t>().swap(other.dense_);
  std::vector<Entry>().swap(other.sparse_);
}

std::vector<mechanism::Runs> Tally::runs() {
  std::vector<mechanism::Runs> out(groups_);
  for (std::size_t i = 0; i < dense_.size(); ++i) {
    if (dense_[i] == 0) continue;
    out[i / width_].emplace_back(low_ + static_cast<std::int64_t>(i % width_), dense_[i]);
  }
  compact();
  for (const Entry& entry : sparse_) out[entry.group].emplace_back(entry.value, entry.times);
  return out;
}

std::vector<std::int64_t> Tally::distinct() {
  std::vector<std::int64_t> out(groups_);
  for (std::size_t i = 0; i < dense_.size(); ++i) out[i / width_] += dense_[i] != 0 ? 1 : 0;
  compact();
  for (const Entry& entry : sparse_) ++out[entry.group];
  return out;
}

}  // namespace discreet::engine
