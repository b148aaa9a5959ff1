// SPDX-License-Identifier: Apache-2.0
// What connections share.
#include <utility>

#include "engine/keyed_hash.h"
#include "ledger/seal.h"
#include "server/http/connection.h"
#include "server/peer.h"

namespace discreet::server::http {

Hub::Hub(Options given, Handler on_request)
    : options(std::move(given)), handler(std::move(on_request)), workers(options.workers) {
  const auto secret = engine::Secret::fresh();
  const std::uint64_t word = secret ? secret->words[0] : 0;
  prefix_ = ledger::to_hex(std::string_view(reinterpret_cast<const char*>(&word), sizeof(word)));
}

std::string Hub::next_id() {
  const std::uint64_t number = __builtin_bswap64(requests_++);
  return prefix_ +
         ledger::to_hex(std::string_view(reinterpret_cast<const char*>(&number), sizeof(number)));
}

void Hub::enter(ConnectionBase* connection) {
  const std::lock_guard lock(mutex_);
  connections_.insert(connection);
  ++peers_[connection->peer()];
  connection_count = connections_.size();
}

void Hub::leave(ConnectionBase* connection) {
  const std::lock_guard lock(mutex_);
  connections_.erase(connection);
  const auto found = peers_.find(connection->peer());
  if (--found->second == 0) peers_.erase(found);
  connection_count = connections_.size();
}

bool Hub::has_room(const std::string& peer) {
  const std::lock_guard lock(mutex_);
  if (connections_.size() >= options.limits.connections) return false;
  const auto found = peers_.find(peer);
  return found == peers_.end() || found->second < options.limits.connections_per_peer ||
         is_loopback(peer);
}

void Hub::finish_connections(bool at_once) {
  const std::lock_guard lock(mutex_);
  for (ConnectionBase* const connection : connections_) {
    at_once ? connection->abort() : connection->finish();
  }
}

void Hub::log(const Request* request, int status,
              std::chrono::steady_clock::time_point start) const {
  if (!options.log) return;
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - start);
  options.log({.request = request, .status = status, .milliseconds = took.count()});
}

ConnectionBase::ConnectionBase(std::shared_ptr<Hub> hub, std::string peer)
    : hub_(std::move(hub)), peer_(std::move(peer)) {
  hub_->enter(this);
}

ConnectionBase::~ConnectionBase() { hub_->leave(this); }

}  // namespace discreet::server::http
