// SPDX-License-Identifier: Apache-2.0
// How a connection to PostgreSQL is protected on its way, the ledger's and the engine's alike.
#pragma once

#include <libpq-fe.h>

#include <string>
#include <vector>

namespace discreet::ledger {

/// A setting of libpq's, by its name there.
struct PgSetting {
  const char* name;
  const char* value;
};

/// The line to the server that a URL names.
///
/// Promise: a connection that can leave this machine is encrypted, and the server's certificate and
/// name are verified (sslmode=verify-full), unless the URL itself has an sslmode. Neither PGSSLMODE
/// nor a service file can weaken it. It stays on this machine if every server that libpq may try is
/// a socket in a folder, `localhost` or a loopback address; what the URL leaves open is looked up
/// where libpq looks (PGHOST, PGHOSTADDR), and a service that the URL names may be anywhere.
class PgLine {
 public:
  explicit PgLine(std::string url);

  /// The sslmode that holds where the URL has none: "verify-full", or "" for libpq's own.
  const char* default_sslmode() const { return verifies_ ? "verify-full" : ""; }
  /// Connects as the URL says. `defaults`: what holds unless it says otherwise. `fixed`: what holds
  /// whatever it says.
  PGconn* connect(const std::vector<PgSetting>& defaults = {},
                  const std::vector<PgSetting>& fixed = {}) const;
  /// What to say after "cannot be reached": how the certificate can be verified; nothing where the
  /// URL has an sslmode, or the server is here.
  std::string advice() const;

 private:
  std::string url_;
  bool verifies_;
};

}  // namespace discreet::ledger
