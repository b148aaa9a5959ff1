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
  /// The process ends by then, whatever it waits for: with `words` on standard error and exit
  /// status 0. For what must not be waited for for ever; work under way is like that of a process
  /// that was killed.
  static void leave_within(unsigned seconds, const char* words);
};

}  // namespace discreet::server
