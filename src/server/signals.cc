// SPDX-License-Identifier: Apache-2.0
#include "server/signals.h"

#include <unistd.h>

#include <csignal>
#include <cstring>
#include <initializer_list>

#include "base/check.h"

namespace discreet::server {
namespace {

sigset_t awaited() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, signal);
  return set;
}

}  // namespace

Signals::Signals() {
  const sigset_t set = awaited();
  DISCREET_CHECK(pthread_sigmask(SIG_BLOCK, &set, nullptr) == 0);
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error like a full disk
}

Signal Signals::wait() {
  const sigset_t set = awaited();
  int signal = 0;
  DISCREET_CHECK(sigwait(&set, &signal) == 0);
  return signal == SIGHUP ? Signal::kReload : Signal::kStop;
}

namespace {

const char* last_words = "";

extern "C" void leave_now(int) {
  const std::size_t size = std::strlen(last_words);
  (void)!::write(STDERR_FILENO, last_words, size);
  ::_exit(0);
}

}  // namespace

void Signals::leave_within(unsigned seconds, const char* words) {
  last_words = words;
  std::signal(SIGALRM, leave_now);
  ::alarm(seconds);
}

}  // namespace discreet::server
