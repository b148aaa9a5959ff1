// SPDX-License-Identifier: Apache-2.0
#include "server/peer.h"

#include <arpa/inet.h>

#include <cstring>

namespace discreet::server {

std::string peer_of(const std::string& address) {
  in6_addr bits{};
  if (inet_pton(AF_INET6, address.c_str(), &bits) != 1) return address;
  char text[INET6_ADDRSTRLEN] = {};
  if (IN6_IS_ADDR_V4MAPPED(&bits)) {
    inet_ntop(AF_INET, bits.s6_addr + 12, text, sizeof(text));
    return text;
  }
  if (IN6_IS_ADDR_LOOPBACK(&bits)) return "::1";
  std::memset(bits.s6_addr + 8, 0, 8);
  inet_ntop(AF_INET6, &bits, text, sizeof(text));
  return std::string(text) + "/64";
}

bool is_loopback(const std::string& peer) { return peer.starts_with("127.") || peer == "::1"; }

}  // namespace discreet::server
