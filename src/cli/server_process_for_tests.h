// SPDX-License-Identifier: Apache-2.0
// A server program as a process that can be killed.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/check.h"

namespace discreet::cli {

/// A server program that says on standard error where it listens ("...:PORT; ...").
class ServerProcess {
 public:
  explicit ServerProcess(const std::vector<std::string>& command) {
    int ends[2];
    DISCREET_CHECK(pipe(ends) == 0);
    std::vector<char*> argv;
    for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    child_ = fork();
    if (child_ == 0) {
      dup2(ends[1], 2);
      dup2(open("/dev/null", O_WRONLY), 1);
      close(ends[0]);
      execv(argv[0], argv.data());
      _exit(127);
    }
    close(ends[1]);
    err_ = ends[0];
    read_port();
    rest_ = std::thread([this] {  // nobody must wait because the pipe is full
      char bytes[4096];
      ssize_t got = 0;
      while ((got = read(err_, bytes, sizeof(bytes))) > 0) {
        const std::lock_guard lock(mutex_);
        if (later_.size() < kLaterMax) later_.append(bytes, static_cast<std::size_t>(got));
      }
    });
  }
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;
  ~ServerProcess() {
    if (child_ > 0) end(SIGKILL);
    rest_.join();
    close(err_);
  }

  std::uint16_t port() const { return port_; }
  /// What it said up to where it listens.
  const std::string& said() const { return said_; }
  /// What it said after that: its log, as far as it is kept.
  std::string logged() {
    const std::lock_guard lock(mutex_);
    return later_;
  }
  pid_t id() const { return child_; }
  /// From here on its end is the caller's business.
  pid_t release() { return std::exchange(child_, -1); }
  /// The status of waitpid.
  int end(int signal) {
    int status = 0;
    kill(child_, signal);
    waitpid(child_, &status, 0);
    child_ = -1;
    return status;
  }

 private:
  void read_port() {
    char bytes[4096];
    while (said_.find("; SIG") == std::string::npos) {
      pollfd ready{.fd = err_, .events = POLLIN, .revents = 0};
      if (poll(&ready, 1, 60'000) <= 0) return;
      const ssize_t got = read(err_, bytes, sizeof(bytes));
      if (got <= 0) return;
      said_.append(bytes, static_cast<std::size_t>(got));
    }
    const std::size_t end = said_.find("; SIG");
    port_ = static_cast<std::uint16_t>(std::atoi(said_.c_str() + said_.rfind(':', end) + 1));
  }

  static constexpr std::size_t kLaterMax = 1 << 20;

  pid_t child_ = -1;
  int err_ = -1;
  std::uint16_t port_ = 0;
  std::string said_;
  std::mutex mutex_;  // guards the next
  std::string later_;
  std::thread rest_;
};

}  // namespace discreet::cli
