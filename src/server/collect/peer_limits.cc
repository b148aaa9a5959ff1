// SPDX-License-Identifier: Apache-2.0
#include "server/collect/peer_limits.h"

#include <arpa/inet.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace discreet::server::collect {

namespace {

std::int64_t steady_ms() {
  using std::chrono::duration_cast;
  using std::chrono::milliseconds;
  return duration_cast<milliseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

PeerLimits::PeerLimits(PeerRule rule, Clock clock)
    : rule_(rule), clock_(clock ? std::move(clock) : Clock(steady_ms)) {}

PeerVerdict PeerLimits::take(const std::string& address, std::uint64_t reports) {
  const std::string name = place_of(address);
  const std::int64_t now = clock_();
  const auto wanted = static_cast<double>(reports);
  const std::lock_guard lock(mutex_);
  Place& place = places_.of(name);
  const double passed = static_cast<double>(std::max<std::int64_t>(0, now - place.time_ms)) / 1000;
  place.used = std::max(0.0, place.used - passed * rule_.per_second);
  place.time_ms = now;
  if (reports > rule_.total - std::min(rule_.total, place.total)) return PeerVerdict::kTooMany;
  if (place.used + wanted > rule_.burst) return PeerVerdict::kTooFast;
  place.used += wanted;
  place.total += reports;
  return PeerVerdict::kTaken;
}

std::string place_of(const std::string& address) {
  in6_addr six{};
  if (inet_pton(AF_INET6, address.substr(0, address.find('%')).c_str(), &six) != 1) return address;
  if (IN6_IS_ADDR_V4MAPPED(&six)) return address;
  return {reinterpret_cast<const char*>(six.s6_addr), 8};
}

}  // namespace discreet::server::collect
