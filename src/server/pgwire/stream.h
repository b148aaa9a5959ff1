// SPDX-License-Identifier: Apache-2.0
// The way to one client and back, with or without TLS. Calls wait, for at most as long as they are
// told; a connection has a thread of its own.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

struct ssl_ctx_st;

namespace discreet::server::pgwire {

class Stream {
 public:
  virtual ~Stream() = default;

  /// Fills `to`. False: the client is gone, or it took longer than `allowed_ms` (-1: any time).
  virtual bool read(char* to, std::size_t size, int allowed_ms) = 0;
  virtual bool write(std::string_view bytes) = 0;
  /// Answers a client that asks for TLS. False: it failed, or bytes came before it.
  virtual bool start_tls(int allowed_ms) = 0;
  virtual bool can_do_tls() const = 0;
  virtual bool is_secure() const = 0;
  /// The certificate's hash, which SCRAM binds a login to (RFC 5929, tls-server-end-point).
  virtual std::string channel_binding() const = 0;
  /// Whether the client has hung up.
  virtual bool is_gone() = 0;
};

/// Takes over the socket. `tls` may be null and must outlive the stream.
std::unique_ptr<Stream> socket_stream(int socket, ssl_ctx_st* tls, int write_ms);

/// Ends what waits on a socket, from any thread.
void hang_up(int socket);

/// Fails with: kInvalidInput.
Result<std::shared_ptr<ssl_ctx_st>> tls_context(const std::string& certificate,
                                                const std::string& key);

}  // namespace discreet::server::pgwire
