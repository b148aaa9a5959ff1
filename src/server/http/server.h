// SPDX-License-Identifier: Apache-2.0
// An HTTP/1.1 server with strict limits, with or without TLS. It knows nothing of privacy.
//
//   DISCREET_ASSIGN(auto server, Server::listen({.port = 8080}, handler));
//   ...
//   server->stop();     // answers what has arrived, then closes
//
// One thread does all input and output; handlers run in a pool and reply when they can, from any
// thread, so that ten thousand clients that wait cost no threads.
//
// H1  Memory is bounded: connections, header bytes, and the bytes of all bodies together.
// H2  Time is bounded: a request that is not whole by its deadline is dropped, however steadily it
//     trickles (slow-loris).
// H3  A body has a Content-Length; there is no chunked request, so nothing to smuggle in one.
// H4  TLS 1.2 or newer; no compression, no renegotiation.
// H5  What a malformed, slow or large request is told is a constant.
// H6  Connections whose client has not shown who it is (Reply::vouch) have places of their own, by
//     address too, and end after `stranger_ms`. Where those are taken, the oldest one of the address
//     that has the most gives way: so a flood keeps out its own address at most.
// H7  A request waits for those of its own pool alone, where addresses are served in turn, one
//     request of each. One too many is told so (503): where somebody else has more that wait, the
//     newest of those who have the most gives way.
//
// Boost.Beast does the parsing and OpenSSL the encryption; neither shows in this header.
// cpp-httplib was weighed and left: it holds a thread for each connection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "server/http/message.h"

namespace discreet::server::http {

struct TlsFiles {
  std::string certificate;  ///< a PEM chain
  std::string key;          ///< PEM
};

struct Limits {
  std::size_t connections = 4096;
  std::size_t connections_per_peer = 256;  ///< loopback is exempt: it may be a proxy
  std::uint32_t header_bytes = 16 << 10;
  std::size_t body_bytes = 1 << 20;                   ///< of one request
  std::size_t bodies_bytes = std::size_t{256} << 20;  ///< of all that are in memory
  std::size_t strangers = 4096;
  std::size_t strangers_per_peer = 256;  ///< but for loopback
  int stranger_ms = 24 * 3600 * 1000;    ///< then a response is the last one
  int header_ms = 10'000;  ///< for the first request's line and headers, and for a handshake
  int body_ms = 30'000;
  int idle_ms = 30'000;  ///< from one response to the next request's headers
  int write_ms = 30'000;
  int drain_ms = 10'000;  ///< how long stop() waits for handlers
};

/// One line of the log; it names no peer and no parameter.
struct Seen {
  const Request* request = nullptr;  ///< none: refused before there was one
  int status = 0;
  std::int64_t milliseconds = 0;
};

/// Workers for some requests alone.
struct Pool {
  std::size_t workers = 2;
  std::function<bool(const Request&)> takes = {};
  std::size_t waiting_max = 256;
};

struct Options {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;  ///< 0: any that is free
  std::optional<TlsFiles> tls = {};
  std::size_t workers = 8;
  std::vector<Pool> pools = {};  ///< the first that takes a request has it; else the workers
  Limits limits = {};
  /// How large a body may be for this method and path; none: limits.body_bytes.
  std::function<std::size_t(const Request&)> body_max = {};
  std::function<void(const Seen&)> log = {};  ///< called in the thread of input and output
};

/// "127.0.0.1:8080", "[::1]:8080". Fails with: kInvalidInput.
Result<void> parse_listen(const std::string& text, Options& options);

class Server {
 public:
  /// Fails with: kInvalidInput (address, certificate, key), kConflict (the port is taken),
  /// kStorage (the operating system refuses; there are no threads).
  static Result<std::unique_ptr<Server>> listen(Options options, Handler handler);
  /// Stops.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  std::uint16_t port() const;
  /// Takes no new connection, lets requests that have arrived be answered for `drain_ms`, closes.
  void stop();
  /// Open connections; for metrics.
  std::size_t connections() const;

 private:
  class Impl;
  explicit Server(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace discreet::server::http
