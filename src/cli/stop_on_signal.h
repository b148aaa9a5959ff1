// SPDX-License-Identifier: Apache-2.0
// Ctrl-C while a question runs: the database is told to stop, rather than left to go on for nobody.
// And while its answer waits for a reader: what was charged is said.
#pragma once

#include <functional>
#include <string>
#include <thread>

#include "engine/engine.h"

namespace discreet::cli {

/// While it lives, the first SIGINT or SIGTERM makes what `engine` runs fail with kInterrupted; a
/// second one ends the program as usual. One at a time.
class StopOnSignal {
 public:
  /// `engine` must outlive this.
  explicit StopOnSignal(engine::Engine& engine);
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;
  ~StopOnSignal();

  /// Whether a signal came since the last one of these was made: for loops without an engine.
  static bool came();

 private:
  std::jthread watch_;
};

/// While it lives, the first SIGINT or SIGTERM (also one that StopOnSignal was too late for) says
/// `last_words` on `err` and ends the program with kInterrupted's status, whatever it waits for. One
/// at a time.
class EndOnSignal {
 public:
  /// `last_words` is called by another thread.
  EndOnSignal(int err, std::function<std::string()> last_words);
  EndOnSignal(const EndOnSignal&) = delete;
  EndOnSignal& operator=(const EndOnSignal&) = delete;
  ~EndOnSignal();

 private:
  std::jthread watch_;
};

}  // namespace discreet::cli
