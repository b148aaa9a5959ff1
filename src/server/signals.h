// SPDX-License-Identifier: Apache-2.0
// The signals that an operator sends to a server, received by waiting instead of by interruption.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

namespace discreet::server {

enum class Signal { kStop, kReload };

/// SIGINT and SIGTERM stop, SIGHUP reloads. To be made before any thread is: threads inherit that
/// these signals wait to be asked for.
class Signals {
 public:
  /// `seconds`: so long after a signal to stop the process ends, whatever it waits for, be it that
  /// it still starts or reloads: with `words` on standard error and exit status 0. For what must
  /// not be waited for for ever; work under way is then like that of a process that was killed. 0:
  /// it is waited for.
  explicit Signals(unsigned seconds = 0, const char* words = "");
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  /// The next one; a stop before any reload.
  Signal wait();

 private:
  void receive();

  const unsigned seconds_;
  std::mutex mutex_;  // guards the next three
  std::condition_variable changed_;
  bool is_over_ = false;
  bool stops_ = false;
  bool reloads_ = false;
  std::thread thread_;
};

}  // namespace discreet::server
