// SPDX-License-Identifier: Apache-2.0
// A real PostgreSQL that syncs, for tests of the store in it: made once, when it is first asked
// for, as a user that is not root, reachable by a socket in its own folder only; gone with the
// program, however that ends. A database for each ledger.
#pragma once

#include <pwd.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "base/check.h"
#include "ledger/postgres.h"
#include "ledger/scratch_for_tests.h"

namespace discreet::ledger {

class PostgresServer {
 public:
  static PostgresServer& instance() {
    static PostgresServer one(Scratch::Place::kMemory);
    return one;
  }
  explicit PostgresServer(Scratch::Place place) : scratch_(place) {
    if (geteuid() == 0) {
      user_ = getpwnam("postgres");
      DISCREET_CHECK(user_ != nullptr);
      DISCREET_CHECK(chown(scratch_.path().c_str(), user_->pw_uid, user_->pw_gid) == 0);
    }
    const pid_t made = spawn({"initdb", "-D", data(), "-U", "dp", "-A", "trust", "-E", "UTF8",
                              "--no-locale", "--no-sync"});
    int status = 1;
    waitpid(made, &status, 0);
    DISCREET_CHECK(status == 0);
    start();
  }
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;
  ~PostgresServer() {
    if (maker_ == getpid()) stop(SIGQUIT);  // a forked child of a test leaves it alone
    if (maker_ != getpid()) scratch_.keep();
  }

  std::string url(const std::string& database = "postgres") const {
    std::string host;
    for (const char c : scratch_.path().string()) host += c == '/' ? "%2F" : std::string(1, c);
    return "postgres://dp@/" + database + "?host=" + host;
  }
  /// A database that nobody used before, nor a child of this process.
  std::string fresh() {
    const std::string name =
        "ledger" + std::to_string(getpid()) + "_" + std::to_string(++databases_);
    must("CREATE DATABASE " + name);
    return url(name);
  }
  /// The owner's SQL; the first value as text.
  std::string must(const std::string& sql, const std::string& database = "postgres") {
    auto session = PgSession::open(url(database));
    DISCREET_CHECK(session);
    auto rows = session->run(sql);
    DISCREET_CHECK(rows);
    return rows->size() > 0 ? std::string(rows->at(0).bytes(0)) : "";
  }
  /// Power off, and on again.
  void crash() {
    stop(SIGKILL);
    start();
  }

 private:
  std::string data() const { return (scratch_ / "data").string(); }

  void start() {
    for (int i = 0; i < 4000 && PQping(url().c_str()) != PQPING_OK; ++i) {
      // One that was killed leaves children for a moment, which a new one does not start beside.
      if (server_ <= 0 || waitpid(server_, nullptr, WNOHANG) == server_) {
        std::filesystem::remove(data() + "/postmaster.pid");
        server_ = spawn({"postgres", "-D", data(), "-k", scratch_.path().string(), "-c",
                         "listen_addresses=", "-c", "max_connections=100", "-c",
                         "shared_buffers=16MB", "-c", "autovacuum=off"});
      }
      usleep(5'000);
    }
  }
  void stop(int signal) {
    if (server_ <= 0) return;
    kill(-server_, signal);  // and what it forked
    waitpid(server_, nullptr, 0);
    server_ = 0;
  }
  pid_t spawn(const std::vector<std::string>& words) {
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child != 0) return child;
    setpgid(0, 0);
    if (user_ != nullptr && (setgid(user_->pw_gid) != 0 || setuid(user_->pw_uid) != 0)) _exit(1);
    prctl(PR_SET_PDEATHSIG, SIGQUIT);
    if (std::freopen((scratch_ / "log").c_str(), "a", stdout) == nullptr) _exit(1);
    dup2(1, 2);
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    execv(("/usr/lib/postgresql/15/bin/" + words[0]).c_str(), arguments.data());
    _exit(1);
  }

  pid_t maker_ = getpid();
  Scratch scratch_;
  passwd* user_ = nullptr;
  pid_t server_ = 0;
  int databases_ = 0;
};

}  // namespace discreet::ledger
