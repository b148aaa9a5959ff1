// SPDX-License-Identifier: Apache-2.0
// Where a connection comes from, as limits count it: the same name at every door.
#pragma once

#include <string>

namespace discreet::server {

/// An IPv4 address as it is, also where it is mapped into IPv6; of an IPv6 address the first 64
/// bits, since a single subscriber has all the others. Total: other texts stay what they are.
std::string peer_of(const std::string& address);

/// This machine, where a proxy may be that stands for many.
bool is_loopback(const std::string& peer);

}  // namespace discreet::server
