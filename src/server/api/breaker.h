// SPDX-License-Identifier: Apache-2.0
// A circuit breaker before charges: when the data could not be read three times in a row, nobody is
// charged, and the engine is left alone, for half a minute; then it is tried again.
//
// What opens and closes it are failures of the engine, which do not depend on data (engine.h, E1),
// and they count when their job is delivered, at its public deadline (jobs.h, J1): so what it shows
// was shown before. Answers that are stored are given all the time.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

#include "base/clock.h"
#include "base/result.h"

namespace discreet::server::api {

/// What a job found out about the engine, until it is delivered.
class EngineWatch {
 public:
  /// Of a question that was asked: an error's code.
  void failed(Code code) {
    if (code == Code::kEngine) seen_ = Seen::kFailed;
  }
  void answered() { seen_ = Seen::kAnswered; }

 private:
  friend class Breaker;
  enum class Seen { kNothing, kFailed, kAnswered };
  std::atomic<Seen> seen_{Seen::kNothing};
};

class Breaker {
 public:
  static constexpr int kFailures = 3;
  static constexpr std::int64_t kRestMs = 30'000;

  explicit Breaker(Clock clock) : clock_(std::move(clock)) {}

  /// Fails with: kEngine while it is open.
  Result<void> admit() const {
    const std::lock_guard lock(mutex_);
    const std::int64_t left = until_ms_ - clock_();
    // A clock that was set back does not keep it open for longer.
    if (failures_ < kFailures || left <= 0 || left > kRestMs) return {};
    return Error{Code::kEngine,
                 "the data could not be read three times in a row; nothing was charged. Ask again "
                 "in half a minute"};
  }

  /// When its job is delivered.
  void note(const EngineWatch& watch) {
    using Seen = EngineWatch::Seen;
    const Seen seen = watch.seen_;
    const std::lock_guard lock(mutex_);
    if (seen == Seen::kAnswered) failures_ = 0;
    if (seen != Seen::kFailed) return;
    if (failures_ < kFailures) ++failures_;
    until_ms_ = clock_() + kRestMs;
  }

 private:
  const Clock clock_;
  mutable std::mutex mutex_;
  int failures_ = 0;  // in a row
  std::int64_t until_ms_ = 0;
};

}  // namespace discreet::server::api
