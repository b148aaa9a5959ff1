// SPDX-License-Identifier: Apache-2.0
#include "server/identity/limits.h"

#include <algorithm>

namespace discreet::server::identity {

bool RateLimit::take(const std::string& name) {
  const std::int64_t now = clock_();
  const std::lock_guard lock(mutex_);
  Bucket& bucket = buckets_.of(name);
  const double passed = std::max(0.0, static_cast<double>(now - bucket.time_ms) / 1000);
  bucket.used = std::max(0.0, bucket.used - passed * rate_.per_second);
  bucket.time_ms = now;
  if (bucket.used + 1 > rate_.burst) return false;
  bucket.used += 1;
  return true;
}

bool LockOut::is_locked(const std::string& name) {
  const std::int64_t now = clock_();
  const std::lock_guard lock(mutex_);
  return trials_.of(name).until_ms > now;
}

void LockOut::note(const std::string& name, bool was_right) {
  constexpr std::int64_t kMostMs = 15 * 60 * 1000;
  const std::int64_t now = clock_();
  const std::lock_guard lock(mutex_);
  Trial& trial = trials_.of(name);
  if (was_right) {
    trial = {};
    return;
  }
  ++trial.failures;
  if (trial.failures < free_) return;
  const int doublings = std::min(trial.failures - free_, 20);
  trial.until_ms = now + std::min(kMostMs, std::int64_t{1000} << doublings);
}

void LockOut::forget(const std::string& prefix) {
  const std::lock_guard lock(mutex_);
  trials_.forget([&](const std::string& name) { return name.starts_with(prefix); });
}

}  // namespace discreet::server::identity
