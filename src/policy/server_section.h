// SPDX-License-Identifier: Apache-2.0
// What a policy says about the server: where it listens, and with which certificate.
//
//   server:
//     listen: 0.0.0.0:8443
//     postgres: 0.0.0.0:5433
//     tls: {certificate: server.pem, key: server.key}     # beside the policy
#pragma once

#include <optional>
#include <string>

#include "policy/policy.h"

namespace discreet::policy {

struct Node;
class Mistakes;

struct ServerSection {
  std::optional<std::string> listen = {};
  std::optional<std::string> postgres = {};
  std::optional<std::string> certificate = {};  ///< with the policy's folder before it
  std::optional<std::string> key = {};
};

ServerSection read_server(const Node& node, const std::string& directory, Mistakes& mistakes);

/// Of a policy file; nothing is set when it has no such section.
/// Fails with: as load_policy() does for a file that is no map.
Result<ServerSection> load_server_section(const std::string& file);

}  // namespace discreet::policy
