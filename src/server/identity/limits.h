// SPDX-License-Identifier: Apache-2.0
// How often somebody may do something: a bucket of tokens for each name, and a lock after failures.
// Both forget the names that they saw longest ago, so that a flood of names takes no memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <mutex>
#include <string>

#include "base/clock.h"

namespace discreet::server::identity {

/// The newest `most` entries of a map by name.
template <class T>
class Recent {
 public:
  explicit Recent(std::size_t most) : most_(most) {}

  T& of(const std::string& name) {
    const auto found = places_.find(name);
    if (found != places_.end()) {
      order_.splice(order_.begin(), order_, found->second);
      return order_.front().second;
    }
    order_.emplace_front(name, T{});
    places_[name] = order_.begin();
    if (order_.size() > most_) {
      places_.erase(order_.back().first);
      order_.pop_back();
    }
    return order_.front().second;
  }
  /// Forgets those whose name `is_meant`.
  template <class IsMeant>
  void forget(const IsMeant& is_meant) {
    for (auto at = order_.begin(); at != order_.end();) {
      if (!is_meant(at->first)) {
        ++at;
        continue;
      }
      places_.erase(at->first);
      at = order_.erase(at);
    }
  }

 private:
  const std::size_t most_;
  std::list<std::pair<std::string, T>> order_;
  std::map<std::string, typename std::list<std::pair<std::string, T>>::iterator> places_;
};

struct Rate {
  double per_second = 50;
  double burst = 100;
};

class RateLimit {
 public:
  RateLimit(Rate rate, Clock clock) : rate_(rate), clock_(std::move(clock)) {}
  /// Takes one, if there is one.
  bool take(const std::string& name);

 private:
  struct Bucket {
    double used = 0;
    std::int64_t time_ms = 0;
  };
  const Rate rate_;
  const Clock clock_;
  std::mutex mutex_;
  Recent<Bucket> buckets_{10'000};
};

/// After `free` failures in a row a name is locked for a second, then two, four ... up to a quarter
/// of an hour. Names that nobody has are locked like the others, so that a lock tells nothing.
///
/// Whoever tries asks is_locked() first and notes nothing while it is: so neither a right password
/// nor a wrong one prolongs a lock.
class LockOut {
 public:
  explicit LockOut(Clock clock, int free = 5) : free_(free), clock_(std::move(clock)) {}
  bool is_locked(const std::string& name);
  void note(const std::string& name, bool was_right);
  /// Forgets all trials whose name begins so.
  void forget(const std::string& prefix);

 private:
  struct Trial {
    int failures = 0;
    std::int64_t until_ms = 0;
  };
  const int free_;
  const Clock clock_;
  std::mutex mutex_;
  Recent<Trial> trials_{10'000};
};

}  // namespace discreet::server::identity
