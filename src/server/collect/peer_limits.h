// SPDX-License-Identifier: Apache-2.0
// How many reports may come from one place: a rate, and a total since the start. Addresses are in
// memory only, beside no report, and the newest 10,000 places are remembered.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>

#include "base/clock.h"
#include "server/identity/limits.h"

namespace discreet::server::collect {

struct PeerRule {
  double per_second = 1'000;
  double burst = 100'000;           ///< at once, where nothing came before
  std::uint64_t total = 1'000'000;  ///< since the collector's start
};

enum class PeerVerdict { kTaken, kTooFast, kTooMany };

class PeerLimits {
 public:
  explicit PeerLimits(PeerRule rule = {}, Clock clock = {});  ///< none: a steady one
  /// Takes so many reports of an address, or none. What was sent before counts as well: a client
  /// that sends a report again asks for room again. Thread-safe.
  PeerVerdict take(const std::string& address, std::uint64_t reports);
  const PeerRule& rule() const { return rule_; }

 private:
  struct Place {
    double used = 0;
    std::int64_t time_ms = 0;
    std::uint64_t total = 0;
  };
  const PeerRule rule_;
  const Clock clock_;
  std::mutex mutex_;
  identity::Recent<Place> places_{10'000};
};

/// Whose limits an address has: its own, or, of IPv6, those of its /64, where one household or
/// machine has 2^64 addresses.
std::string place_of(const std::string& address);

}  // namespace discreet::server::collect
