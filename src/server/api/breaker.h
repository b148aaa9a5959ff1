// SPDX-License-Identifier: Apache-2.0
// A circuit breaker before charges: when the data could not be read three times in a row, an
// analyst is not charged for half a minute; then it is tried again, one question every half minute,
// until the engine answers one of theirs.
//
// It counts each analyst's failures alone, since what one is shown must not follow what others ask.
// What opens and closes it are failures of the engine, which do not depend on data (engine.h, E1),
// and they count when their job is delivered, at its public deadline (jobs.h, J1): so what it shows
// was shown before. Of questions that were asked together one failure counts. Answers that are
// stored are given all the time.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
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
  /// A stored answer says nothing about the engine.
  void answered(bool is_stored) {
    if (!is_stored) seen_ = Seen::kAnswered;
  }

 private:
  friend class Breaker;
  enum class Seen { kNothing, kFailed, kAnswered };
  std::atomic<Seen> seen_{Seen::kNothing};
  std::uint64_t asked_ = 0;  // when: behind so many failures of its analyst
};

class Breaker {
 public:
  static constexpr int kFailures = 3;
  static constexpr std::int64_t kRestMs = 30'000;

  explicit Breaker(Clock clock) : clock_(std::move(clock)) {}

  /// Before a question is asked; `watch` is what will be noted of it. Fails with: kEngine while the
  /// analyst rests.
  Result<void> admit(const std::string& analyst, EngineWatch* watch = nullptr) {
    const std::lock_guard lock(mutex_);
    Row& row = rows_[analyst];
    const bool is_probe = row.failures >= kFailures;
    if (is_probe && is_before(row.until_ms)) {
      return Error{
          Code::kEngine,
          "the data could not be read three times in a row; nothing was charged. Ask again in "
          "half a minute"};
    }
    if (is_probe) row.until_ms = clock_() + kRestMs;
    if (watch != nullptr) watch->asked_ = row.counted;
    return {};
  }

  /// When its job is delivered.
  void note(const std::string& analyst, const EngineWatch& watch) {
    using Seen = EngineWatch::Seen;
    const Seen seen = watch.seen_;
    const std::lock_guard lock(mutex_);
    Row& row = rows_[analyst];
    if (seen == Seen::kAnswered) row.failures = 0;
    // Those that were asked before the last one was known to fail were asked together with it.
    if (seen != Seen::kFailed || watch.asked_ < row.counted) return;
    ++row.counted;
    row.until_ms = clock_() + kRestMs;
    if (row.failures < kFailures) ++row.failures;
  }

  /// The policy was read again: it may name another engine.
  void reset() {
    const std::lock_guard lock(mutex_);
    rows_.clear();
  }

 private:
  struct Row {
    int failures = 0;  // in a row
    std::int64_t until_ms = 0;
    std::uint64_t counted = 0;  // failures, ever
  };
  /// A clock that was set back keeps nobody waiting for longer.
  bool is_before(std::int64_t until_ms) const {
    const std::int64_t left = until_ms - clock_();
    return left > 0 && left <= kRestMs;
  }

  const Clock clock_;
  std::mutex mutex_;
  std::map<std::string, Row> rows_;  // of analysts, who have accounts
};

}  // namespace discreet::server::api
