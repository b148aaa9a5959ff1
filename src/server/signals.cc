// SPDX-License-Identifier: Apache-2.0
#include "server/signals.h"

#include <pthread.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <initializer_list>
#include <utility>

#include "base/check.h"

namespace discreet::server {
namespace {

sigset_t awaited() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, signal);
  return set;
}

const char* last_words = "";

extern "C" void leave_now(int) {
  const std::size_t size = std::strlen(last_words);
  (void)!::write(STDERR_FILENO, last_words, size);
  ::_exit(0);
}

}  // namespace

Signals::Signals(unsigned seconds, const char* words) : seconds_(seconds) {
  const sigset_t set = awaited();
  DISCREET_CHECK(pthread_sigmask(SIG_BLOCK, &set, nullptr) == 0);
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error like a full disk
  last_words = words;
  if (seconds_ > 0) std::signal(SIGALRM, leave_now);
  thread_ = std::thread([this] { receive(); });
}

Signals::~Signals() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  pthread_kill(thread_.native_handle(), SIGHUP);
  thread_.join();
}

void Signals::receive() {
  const sigset_t set = awaited();
  for (;;) {
    int signal = 0;
    DISCREET_CHECK(sigwait(&set, &signal) == 0);
    const std::lock_guard lock(mutex_);
    if (is_over_) return;
    if (signal != SIGHUP && !stops_ && seconds_ > 0) ::alarm(seconds_);
    (signal == SIGHUP ? reloads_ : stops_) = true;
    changed_.notify_all();
  }
}

Signal Signals::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return stops_ || reloads_; });
  if (stops_) return Signal::kStop;
  reloads_ = false;
  return Signal::kReload;
}

}  // namespace discreet::server
