// SPDX-License-Identifier: Apache-2.0
// Which Trino a policy names, and how it is spoken to:
//
//   trino://user@host:port?ca=FILE&timeout=600&result_mb=1024&session.NAME=VALUE
//
// Secrets are not part of it: a password comes from TRINO_PASSWORD, a JSON web token from
// TRINO_JWT. What comes back are exact aggregates, so all of it goes over TLS; tls=no is for a
// coordinator on this very machine.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace discreet::engine::trino {

struct ServerUrl {
  std::string user;
  std::string host;
  std::string port;
  bool tls = true;
  std::string ca_file;   ///< "": those that the system trusts
  int timeout_s = 600;   ///< of one question, from its sending to its last row
  int result_mb = 1024;  ///< of JSON that one statement may bring, which is held in memory
  std::vector<std::pair<std::string, std::string>> session;  ///< session properties
};

/// Fails with: kInvalidInput; kRefused for tls=no to another machine.
Result<ServerUrl> parse_server_url(const std::string& url);

/// What is allowed in a URL as it is, everything else as %XX.
std::string percent_encoded(const std::string& text);

}  // namespace discreet::engine::trino
