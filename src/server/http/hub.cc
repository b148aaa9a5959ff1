// SPDX-License-Identifier: Apache-2.0
// What connections share.
#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include "engine/keyed_hash.h"
#include "ledger/record.h"
#include "ledger/seal.h"
#include "server/http/connection.h"
#include "server/peer.h"

namespace discreet::server::http {

Hub::Hub(Options given, Handler on_request)
    : options(std::move(given)), handler(std::move(on_request)) {
  constexpr std::size_t kWaitingMax = 1024;
  for (const Pool& pool : options.pools) crews.emplace_back(pool);
  crews.emplace_back(Pool{options.workers, {}, kWaitingMax});
  const auto secret = engine::Secret::fresh();
  const std::uint64_t word = secret ? secret->words[0] : 0;
  prefix_ = ledger::to_hex(std::string_view(reinterpret_cast<const char*>(&word), sizeof(word)));
}

std::string Hub::next_id() {
  // A hash, so that nobody can count others' requests.
  const Hash hash = ledger::sha256(prefix_ + std::to_string(requests_++));
  return ledger::to_hex(ledger::bytes_of(hash).substr(0, 16));
}

void Hub::enter(ConnectionBase* connection) {
  const std::lock_guard lock(mutex_);
  connection->born_ = born_++;
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
  const Limits& limits = options.limits;
  if (connections_.size() >= limits.connections) return false;
  const auto own = peers_.find(peer);
  if (own != peers_.end() && own->second >= limits.connections_per_peer && !is_loopback(peer)) {
    return false;
  }
  std::map<std::string, std::size_t> strangers;  // by address
  std::size_t all = 0;
  for (const ConnectionBase* const each : connections_) {
    if (!each->is_stranger()) continue;
    ++strangers[each->peer()];
    ++all;
  }
  std::string crowd = peer;
  if (is_loopback(peer) || strangers[peer] < limits.strangers_per_peer) {
    if (all < limits.strangers) return true;
    for (const auto& [name, size] : strangers) {
      if (size > strangers[crowd]) crowd = name;
    }
  }
  ConnectionBase* oldest = nullptr;
  for (ConnectionBase* const each : connections_) {
    if (!each->is_stranger() || each->peer() != crowd) continue;
    if (oldest == nullptr || each->born_ < oldest->born_) oldest = each;
  }
  if (oldest == nullptr) return false;
  oldest->give_way();
  return true;
}

bool Hub::hand_over(Request request, Reply reply) {
  const auto crew = std::ranges::find_if(
      crews, [&](const Crew& each) { return !each.pool.takes || each.pool.takes(request); });
  std::optional<Reply> given_up;
  {
    const std::lock_guard lock(crew->mutex);
    const auto size_of = [&](const std::string& peer) {
      const auto found = crew->waiting.find(peer);
      return found == crew->waiting.end() ? 0 : found->second.size();
    };
    if (crew->size >= crew->pool.waiting_max) {
      // The newest of the largest crowd, unless this one is of it; of several such, of the last.
      const auto crowd =
          std::ranges::max_element(crew->turns.rbegin(), crew->turns.rend(), {}, size_of);
      if (crowd == crew->turns.rend() || size_of(*crowd) <= size_of(request.peer)) return false;
      const std::string peer = *crowd;
      std::deque<Crew::Waiting>& all = crew->waiting[peer];
      given_up = std::move(all.back().reply);
      all.pop_back();
      --crew->size;
      if (all.empty()) {
        crew->waiting.erase(peer);
        crew->turns.remove(peer);
      }
    }
    const std::string peer = request.peer;
    if (size_of(peer) == 0) crew->turns.push_back(peer);
    crew->waiting[peer].push_back({std::move(request), std::move(reply)});
    ++crew->size;
  }
  net::post(crew->threads, [this, crew] { run_next(*crew); });
  if (given_up) (*given_up)(refuse(Refusal::kBusy));
  return true;
}

void Hub::run_next(Crew& crew) {
  std::unique_lock lock(crew.mutex);
  if (crew.turns.empty()) return;  // who waited gave way
  const std::string peer = std::move(crew.turns.front());
  crew.turns.pop_front();
  std::deque<Crew::Waiting>& all = crew.waiting[peer];
  Crew::Waiting next = std::move(all.front());
  all.pop_front();
  --crew.size;
  if (all.empty()) {
    crew.waiting.erase(peer);
  } else {
    crew.turns.push_back(peer);
  }
  lock.unlock();
  try {
    handler(std::move(next.request), std::move(next.reply));
  } catch (const std::exception&) {  // a library's; without a reply the client is told of a bug
  }
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

bool ConnectionBase::is_overdue() const {
  const std::chrono::milliseconds most(hub_->options.limits.stranger_ms);
  return !is_known_ && std::chrono::steady_clock::now() - since_ > most;
}

}  // namespace discreet::server::http
