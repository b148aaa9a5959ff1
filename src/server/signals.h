// SPDX-License-Identifier: Apache-2.0
// The signals that an operator sends to a server, received by waiting instead of by interruption.
#pragma once

namespace discreet::server {

enum class Signal { kStop, kReload };

/// SIGINT and SIGTERM stop, SIGHUP reloads. To be made before any thread is: threads inherit that
/// these signals wait to be asked for.
class Signals {
 public:
  Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  Signal wait();
};

}  // namespace discreet::server
