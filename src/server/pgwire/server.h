// SPDX-License-Identifier: Apache-2.0
// Listens for PostgreSQL's clients. A connection has a thread, as in PostgreSQL a process: there
// are few, they are long, and their bytes come one message after the other.
//
//   DISCREET_ASSIGN(auto server, Server::listen({.port = 5433}, desk));
//
// P1  At most `connections` have proved a password, `connections_per_peer` of them from one address
//     and `connections_per_account` of one account; one more is told so and closed. Beside them
//     there are places for `strangers`, `strangers_per_peer` of them from one address, who have
//     ConversationLimits::startup_ms to prove one. Where they are taken, whoever of the address
//     that has the most has waited longest gives way: so a flood keeps out its own address at most.
//     A thread that is not to be had ends one connection, with 53300, and nothing else.
// P2  A half-open connection is found by keep-alive probes; a client that does not read is dropped
//     after `write_ms`.
// P3  A cancel request needs the connection's 32 secret bits, and says nothing back.
// P4  A connection takes at most ConversationLimits::kept_bytes from message to message, and
//     kMessageNeeds beside it while it answers one (conversation.h, W1); its thread's stack and the
//     answer to a question come on top.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "server/http/server.h"
#include "server/pgwire/conversation.h"
#include "server/pgwire/desk.h"
#include "server/thread.h"

namespace discreet::server::pgwire {

struct Options {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;                  ///< 0: any that is free
  std::optional<http::TlsFiles> tls = {};  ///< with it, nothing is answered in the clear
  std::size_t connections = 256;
  std::size_t connections_per_peer = 64;  ///< loopback is exempt, also below: it may be a proxy
  std::size_t connections_per_account = 64;
  std::size_t strangers = 64;
  std::size_t strangers_per_peer = 16;
  StartThread start_thread = server::start_thread;
  int write_ms = 30'000;
  ConversationLimits limits = {};
};

class Server {
 public:
  /// The desk must outlive the server. Fails with: kInvalidInput (address, certificate, key),
  /// kConflict (the port is taken), kStorage.
  static Result<std::unique_ptr<Server>> listen(Options options, Desk& desk);
  /// Stops.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  std::uint16_t port() const;
  /// Takes no new connection and ends all others.
  void stop();
  /// Open connections, strangers' too; for tests.
  std::size_t connections() const;

 private:
  class Impl;
  explicit Server(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace discreet::server::pgwire
