// SPDX-License-Identifier: Apache-2.0
#include "cli/stop_on_signal.h"

#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <utility>

#include "base/error.h"
#include "cli/streams.h"

namespace discreet::cli {
namespace {

volatile std::sig_atomic_t signalled = 0;

void note_signal(int) {
  signalled = 1;
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

/// Notes signals, and calls `act` again and again once one came.
std::jthread watch_signals(std::function<void()> act) {
  std::signal(SIGINT, note_signal);
  std::signal(SIGTERM, note_signal);
  return std::jthread([act = std::move(act)](const std::stop_token& over) {
    std::mutex mutex;
    std::condition_variable_any wake;
    std::unique_lock lock(mutex);
    while (!over.stop_requested()) {
      if (signalled != 0) act();
      wake.wait_for(lock, over, std::chrono::milliseconds(20), [] { return false; });
    }
  });
}

void end_watch(std::jthread& watch) {
  watch = {};
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

}  // namespace

StopOnSignal::StopOnSignal(engine::Engine& engine) {
  signalled = 0;
  // More than once: a question that is about to begin forgets what came before.
  watch_ = watch_signals([&engine] { engine.interrupt(); });
}

StopOnSignal::~StopOnSignal() { end_watch(watch_); }

EndOnSignal::EndOnSignal(int err, std::function<std::string()> last_words) {
  watch_ = watch_signals([err, last_words = std::move(last_words)] {
    say(err, "discreet: " + last_words() + "\n");
    ::_exit(describe(Code::kInterrupted).exit_status);
  });
}

EndOnSignal::~EndOnSignal() { end_watch(watch_); }

bool StopOnSignal::came() { return signalled != 0; }

}  // namespace discreet::cli
