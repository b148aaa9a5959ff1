// SPDX-License-Identifier: Apache-2.0
#include "cli/stop_on_signal.h"

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <mutex>

namespace discreet::cli {
namespace {

volatile std::sig_atomic_t signalled = 0;

void note_signal(int) {
  signalled = 1;
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

}  // namespace

StopOnSignal::StopOnSignal(engine::Engine& engine) {
  signalled = 0;
  std::signal(SIGINT, note_signal);
  std::signal(SIGTERM, note_signal);
  watch_ = std::jthread([&engine](const std::stop_token& over) {
    std::mutex mutex;
    std::condition_variable_any wake;
    std::unique_lock lock(mutex);
    while (!over.stop_requested()) {
      // Again and again: a question that is about to begin forgets what came before.
      if (signalled != 0) engine.interrupt();
      wake.wait_for(lock, over, std::chrono::milliseconds(20), [] { return false; });
    }
  });
}

StopOnSignal::~StopOnSignal() {
  watch_ = {};
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

bool StopOnSignal::came() { return signalled != 0; }

}  // namespace discreet::cli
