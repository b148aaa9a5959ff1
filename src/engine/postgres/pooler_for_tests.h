// SPDX-License-Identifier: Apache-2.0
// A pooler in transaction mode, as far as a client can tell: before each transaction the session is
// what somebody else left behind. Statements pass through it one by one, so that a test can also do
// something just before one of them, or change it.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "engine/postgres/binary.h"
#include "engine/postgres/postgres_for_tests.h"

namespace discreet::engine::postgres {

class Pooler {
 public:
  Pooler() {
    std::string pattern = (std::filesystem::temp_directory_path() / "pool-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) std::abort();
    folder_ = pattern;
    listening_ = socket(AF_UNIX, SOCK_STREAM, 0);
    const sockaddr_un address = address_in(folder_);
    EXPECT_EQ(bind(listening_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(listen(listening_, 16), 0);
    accepting_ = std::thread([this] { accept_all(); });
  }
  Pooler(const Pooler&) = delete;
  Pooler& operator=(const Pooler&) = delete;
  ~Pooler() {
    stop_ = true;
    accepting_.join();
    for (std::thread& line : lines_) line.join();
    close(listening_);
    std::filesystem::remove_all(folder_);
  }

  std::string url() const { return PrivatePostgres::instance().url("reader", folder_); }

  /// What the session that a transaction gets was told before: DISCARD ALL comes first.
  void leave_behind(std::vector<std::string> statements) {
    std::lock_guard lock(mutex_);
    left_ = std::move(statements);
  }
  /// Called with each statement of a client before it is sent on.
  void watch(std::function<void(std::string& sql)> watcher) {
    std::lock_guard lock(mutex_);
    watcher_ = std::move(watcher);
  }
  int transactions() const { return transactions_; }

 private:
  struct Message {
    char type = 0;
    std::string body;
  };

  static sockaddr_un address_in(const std::string& folder) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::snprintf(address.sun_path, sizeof address.sun_path, "%s/.s.PGSQL.5432", folder.c_str());
    return address;
  }

  bool readable(int from) const {
    for (pollfd ready{from, POLLIN, 0}; !stop_;) {
      if (poll(&ready, 1, 20) > 0) return true;
    }
    return false;
  }
  bool take(int from, char* into, std::size_t size) const {
    while (size > 0) {
      if (!readable(from)) return false;
      const ssize_t got = read(from, into, size);
      if (got <= 0) return false;
      into += got;
      size -= static_cast<std::size_t>(got);
    }
    return true;
  }
  static bool put(int to, const std::string& bytes) {
    std::size_t sent = 0;
    while (sent < bytes.size()) {
      const ssize_t n = send(to, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
      if (n <= 0) return false;
      sent += static_cast<std::size_t>(n);
    }
    return true;
  }
  /// A length of four bytes, which counts itself, and what it says.
  std::optional<std::string> body(int from) const {
    char length[4];
    if (!take(from, length, sizeof length)) return std::nullopt;
    std::string bytes(big_endian<std::uint32_t>(length) - sizeof length, '\0');
    if (!take(from, bytes.data(), bytes.size())) return std::nullopt;
    return bytes;
  }
  std::optional<Message> message(int from) const {
    Message one;
    if (!take(from, &one.type, 1)) return std::nullopt;
    std::optional<std::string> rest = body(from);
    if (!rest) return std::nullopt;
    one.body = *std::move(rest);
    return one;
  }
  static std::string framed(const std::string& bytes) {
    const std::uint32_t length = __builtin_bswap32(static_cast<std::uint32_t>(bytes.size() + 4));
    std::string out(sizeof length, '\0');
    std::memcpy(out.data(), &length, sizeof length);
    return out + bytes;
  }
  static std::string framed(const Message& one) { return one.type + framed(one.body); }

  void accept_all() {
    while (readable(listening_)) {
      const int client = accept(listening_, nullptr, nullptr);
      if (client >= 0) lines_.emplace_back([this, client] { serve(client); });
    }
  }

  void serve(int client) {
    const int server = socket(AF_UNIX, SOCK_STREAM, 0);
    const sockaddr_un address = address_in(PrivatePostgres::instance().folder());
    if (connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
      if (const std::optional<std::string> start = body(client);
          start && put(server, framed(*start)))
        pass(client, server);
    }
    close(client);
    close(server);
  }

  void pass(int client, int server) {
    bool idle = false;
    for (;;) {
      pollfd ready[2] = {{client, POLLIN, 0}, {server, POLLIN, 0}};
      const int count = poll(ready, 2, 20);
      if (stop_) return;
      if (count <= 0) continue;
      if (ready[1].revents != 0) {
        const std::optional<Message> one = message(server);
        if (!one || !put(client, framed(*one))) return;
        if (one->type == 'Z') idle = one->body == "I";
      } else if (ready[0].revents != 0) {
        std::optional<Message> one = message(client);
        if (!one) return;
        if (one->type == 'Q' && !prepare(*one, server, idle)) return;
        idle = false;
        if (!put(server, framed(*one))) return;
      }
    }
  }

  bool prepare(Message& one, int server, bool idle) {
    std::unique_lock lock(mutex_);
    const std::vector<std::string> left = left_;
    const auto watcher = watcher_;
    lock.unlock();
    if (idle) {
      ++transactions_;
      if (!tell(server, "DISCARD ALL")) return false;
      for (const std::string& sql : left) {
        if (!tell(server, sql)) return false;
      }
    }
    if (!watcher) return true;
    std::string sql(one.body.c_str());
    watcher(sql);
    one.body = sql + '\0';
    return true;
  }

  /// A statement of somebody else's.
  bool tell(int server, const std::string& sql) {
    if (!put(server, framed(Message{'Q', sql + '\0'}))) return false;
    for (;;) {
      const std::optional<Message> one = message(server);
      if (!one) return false;
      EXPECT_NE(one->type, 'E') << sql << "\n" << one->body;
      if (one->type == 'Z') return true;
    }
  }

  std::string folder_;
  int listening_ = -1;
  std::atomic<bool> stop_{false};
  std::atomic<int> transactions_{0};
  std::mutex mutex_;
  std::vector<std::string> left_;
  std::function<void(std::string&)> watcher_;
  std::thread accepting_;
  std::vector<std::thread> lines_;  // of the thread that accepts, until it is joined
};

}  // namespace discreet::engine::postgres
