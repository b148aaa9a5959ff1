// SPDX-License-Identifier: Apache-2.0
// SamplerCache: samplers are immutable and take about a millisecond to build, so the last few are
// kept for the whole process, by their exact parameter (which is public).
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "numeric/rational.h"

namespace discreet::random {

template <class Sampler>
class SamplerCache {
 public:
  /// The sampler for `parameter`, built unless it is among the last kSize asked for.
  template <class Parameter>
  static std::shared_ptr<const Sampler> get(const Parameter& parameter) {
    SamplerCache& cache = instance();
    if (auto found = cache.find(parameter.value())) return found;
    // Built outside the lock: a second thread may build the same, which only costs time.
    auto built = std::make_shared<const Sampler>(parameter);
    cache.insert(parameter.value(), built);
    return built;
  }

 private:
  static constexpr std::size_t kSize = 64;
  using Entry = std::pair<Rational, std::shared_ptr<const Sampler>>;

  static SamplerCache& instance() {
    static SamplerCache cache;
    return cache;
  }

  std::shared_ptr<const Sampler> find(const Rational& key) {
    const std::lock_guard lock(mutex_);
    const auto at = std::find_if(entries_.begin(), entries_.end(),
                                 [&](const Entry& entry) { return entry.first == key; });
    if (at == entries_.end()) return nullptr;
    std::rotate(entries_.begin(), at, at + 1);  // most recently used first
    return entries_.front().second;
  }

  void insert(const Rational& key, std::shared_ptr<const Sampler> sampler) {
    const std::lock_guard lock(mutex_);
    if (entries_.size() == kSize) entries_.pop_back();
    entries_.emplace(entries_.begin(), key, std::move(sampler));
  }

  std::mutex mutex_;
  std::vector<Entry> entries_;
};

}  // namespace discreet::random
