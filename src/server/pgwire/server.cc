// SPDX-License-Identifier: Apache-2.0
#include "server/pgwire/server.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <list>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "engine/keyed_hash.h"
#include "server/peer.h"

namespace discreet::server::pgwire {

/// A socket that listens; closes itself.
class Listener {
 public:
  ~Listener() {
    if (socket_ >= 0) close(socket_);
  }
  int get() const { return socket_; }

  Result<std::uint16_t> open(const Options& options) {
    addrinfo hints{};
    hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE;
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    const std::string port = std::to_string(options.port);
    if (getaddrinfo(options.address.c_str(), port.c_str(), &hints, &found) != 0) {
      return invalid_input("no address to listen on: " + in_quotes(options.address) +
                           "; give a number such as 127.0.0.1");
    }
    const std::unique_ptr<addrinfo, void (*)(addrinfo*)> holder(found, freeaddrinfo);
    socket_ = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int yes = 1;
    if (socket_ < 0 || setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) != 0 ||
        bind(socket_, found->ai_addr, found->ai_addrlen) != 0 || ::listen(socket_, 128) != 0) {
      const int reason = errno;
      return Error{
          reason == EADDRINUSE ? Code::kConflict : Code::kStorage,
          "cannot listen on " + options.address + " port " + port + ": " + std::strerror(reason) +
              (reason == EADDRINUSE ? "; stop what listens there, or choose another port" : "")};
    }
    sockaddr_storage own{};
    socklen_t size = sizeof(own);
    getsockname(socket_, reinterpret_cast<sockaddr*>(&own), &size);
    return own.ss_family == AF_INET6 ? ntohs(reinterpret_cast<sockaddr_in6*>(&own)->sin6_port)
                                     : ntohs(reinterpret_cast<sockaddr_in*>(&own)->sin_port);
  }

 private:
  int socket_ = -1;
};

namespace {

std::string name_of(const sockaddr_storage& peer) {
  char text[INET6_ADDRSTRLEN] = {};
  const void* const address =
      peer.ss_family == AF_INET6
          ? static_cast<const void*>(&reinterpret_cast<const sockaddr_in6*>(&peer)->sin6_addr)
          : &reinterpret_cast<const sockaddr_in*>(&peer)->sin_addr;
  inet_ntop(peer.ss_family, address, text, sizeof(text));
  return peer_of(text);
}

/// Small messages go at once; a peer that vanished is noticed after some two minutes.
void prepare(int socket) {
  const auto set = [socket](int level, int option, int value) {
    setsockopt(socket, level, option, &value, sizeof(value));
  };
  set(IPPROTO_TCP, TCP_NODELAY, 1);
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, 60);
  set(IPPROTO_TCP, TCP_KEEPINTVL, 15);
  set(IPPROTO_TCP, TCP_KEEPCNT, 4);
}

}  // namespace

class Server::Impl {
 public:
  Impl(Options options, Desk& desk) : options_(std::move(options)), desk_(desk) {}
  ~Impl() { stop(); }

  Result<void> open() {
    if (options_.tls) {
      DISCREET_ASSIGN(tls_, tls_context(options_.tls->certificate, options_.tls->key));
    }
    DISCREET_ASSIGN(port_, listener_.open(options_));
    DISCREET_ASSIGN(thread_, start_thread([this] { accept_all(); }));
    return {};
  }

  void stop() {
    if (!thread_.joinable()) return;
    is_stopping_ = true;
    thread_.join();
    {
      const std::lock_guard lock(mutex_);
      for (Entry& entry : entries_) {
        entry.waiting.cancel();
        if (!entry.is_done) hang_up(entry.socket);
      }
    }
    for (Entry& entry : entries_) entry.thread.join();
    entries_.clear();
  }

  std::uint16_t port() const { return port_; }
  std::size_t connections() {
    const std::lock_guard lock(mutex_);
    return open_count();
  }

 private:
  struct Entry {
    int socket = -1;
    std::string peer;
    std::int32_t process = 0;
    std::int32_t secret = 0;
    Waiting waiting = {};
    std::string account = {};  ///< whose password was proved; empty: a stranger
    bool gives_way = false;    ///< it was hung up on, and will end
    bool is_done = false;
    std::thread thread = {};

    bool is_stranger() const { return !is_done && !gives_way && account.empty(); }
    bool is_known() const { return !is_done && !account.empty(); }
  };

  std::size_t open_count() const {
    return count([](const Entry& entry) { return !entry.is_done; });
  }
  template <class Is>
  std::size_t count(const Is& is) const {
    return static_cast<std::size_t>(std::count_if(entries_.begin(), entries_.end(), is));
  }

  void accept_all() {
    while (!is_stopping_) {
      pollfd ready{.fd = listener_.get(), .events = POLLIN, .revents = 0};
      const int found = poll(&ready, 1, 100);
      reap();
      if (found <= 0) continue;
      if (is_crowded()) {  // those that give way have threads until they notice
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        continue;
      }
      sockaddr_storage peer{};
      socklen_t size = sizeof(peer);
      const int socket =
          accept4(listener_.get(), reinterpret_cast<sockaddr*>(&peer), &size, SOCK_CLOEXEC);
      if (socket >= 0) begin(socket, name_of(peer));
      // There are no file descriptors left, say; closing connections will bring some.
      if (socket < 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }

  bool is_crowded() {
    const std::lock_guard lock(mutex_);
    return entries_.size() >= options_.connections + 2 * options_.strangers;
  }

  /// Whether a stranger may come in from there; another one may have to give way.
  bool has_room(const std::string& peer) {
    const auto is_known = [](const Entry& entry) { return entry.is_known(); };
    if (count(is_known) >= options_.connections) return false;
    std::map<std::string, std::size_t> strangers;  // by address
    std::size_t all = 0;
    for (const Entry& entry : entries_) {
      if (!entry.is_stranger()) continue;
      ++strangers[entry.peer];
      ++all;
    }
    std::string crowd = peer;
    if (is_loopback(peer) || strangers[peer] < options_.strangers_per_peer) {
      if (all < options_.strangers) return true;
      for (const auto& [name, size] : strangers) {
        if (size > strangers[crowd]) crowd = name;
      }
    }
    for (Entry& entry : entries_) {  // the oldest come first
      if (!entry.is_stranger() || entry.peer != crowd) continue;
      entry.gives_way = true;
      hang_up(entry.socket);
      return true;
    }
    return false;
  }

  /// Whether one more of that account may stay; then it is no stranger any more.
  bool admit(Entry& entry, const std::string& account) {
    const std::lock_guard lock(mutex_);
    const auto others = [&](const auto& is_alike) {
      return count([&](const Entry& each) { return each.is_known() && is_alike(each); });
    };
    const bool is_welcome = !entry.gives_way &&
                            others([](const Entry&) { return true; }) < options_.connections &&
                            others([&](const Entry& each) { return each.account == account; }) <
                                options_.connections_per_account &&
                            (is_loopback(entry.peer) || others([&](const Entry& each) {
                                                          return each.peer == entry.peer;
                                                        }) < options_.connections_per_peer);
    if (is_welcome) entry.account = account;
    return is_welcome;
  }

  static void turn_away(int socket) {
    Writer out;
    write_error(out, fault_of(Refusal::kTooManyConnections), "FATAL");
    send(socket, out.gathered().data(), out.gathered().size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    close(socket);
  }

  void begin(int socket, const std::string& peer) {
    prepare(socket);
    const auto secret = engine::Secret::fresh();
    const std::lock_guard lock(mutex_);
    if (!secret || !has_room(peer)) return turn_away(socket);
    Entry& entry = entries_.emplace_back(Entry{.socket = socket, .peer = peer});
    // Drawn, so that nobody can count others' connections.
    entry.process = static_cast<std::int32_t>(secret->words[1] >> 33U);
    entry.secret = static_cast<std::int32_t>(secret->words[0]);
    auto thread = options_.start_thread([this, &entry] { converse(entry); });
    if (!thread) {
      entries_.pop_back();
      return turn_away(socket);
    }
    entry.thread = std::move(*thread);
  }

  void converse(Entry& entry) {
    // OpenSSL writes to sockets that the other side has closed: that is an error, not a signal.
    sigset_t pipe;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
    const std::unique_ptr<Stream> stream =
        socket_stream(entry.socket, tls_.get(), options_.write_ms);
    ConversationFacts facts{
        .peer = entry.peer,
        .process = entry.process,
        .secret = entry.secret,
        .needs_tls = options_.tls.has_value(),
        .limits = options_.limits,
        .admit = [this, &entry](const std::string& account) { return admit(entry, account); },
        .cancel = [this](std::int32_t process, std::int32_t secret) { cancel(process, secret); }};
    try {
      Conversation(*stream, desk_, entry.waiting, std::move(facts)).run();
    } catch (const std::exception&) {  // a library's; the connection ends
    }
    // Before the socket is closed: its number may be another's after that.
    const std::lock_guard lock(mutex_);
    entry.is_done = true;
  }

  void reap() {
    std::list<Entry> done;
    {
      const std::lock_guard lock(mutex_);
      for (auto entry = entries_.begin(); entry != entries_.end();) {
        const auto next = std::next(entry);
        if (entry->is_done) done.splice(done.end(), entries_, entry);
        entry = next;
      }
    }
    for (Entry& entry : done) entry.thread.join();
  }

  void cancel(std::int32_t process, std::int32_t secret) {
    const std::lock_guard lock(mutex_);
    for (Entry& entry : entries_) {
      if (entry.process == process && entry.secret == secret && !entry.is_done) {
        entry.waiting.cancel();
      }
    }
  }

  const Options options_;
  Desk& desk_;
  std::shared_ptr<ssl_ctx_st> tls_;
  Listener listener_;
  std::uint16_t port_ = 0;
  std::atomic<bool> is_stopping_{false};
  std::mutex mutex_;  // guards the next two
  std::list<Entry> entries_;
  std::thread thread_;
};

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Server::~Server() = default;

Result<std::unique_ptr<Server>> Server::listen(Options options, Desk& desk) {
  auto impl = std::make_unique<Impl>(std::move(options), desk);
  DISCREET_TRY(impl->open());
  return std::unique_ptr<Server>(new Server(std::move(impl)));
}

std::uint16_t Server::port() const { return impl_->port(); }
void Server::stop() { impl_->stop(); }
std::size_t Server::connections() const { return impl_->connections(); }

}  // namespace discreet::server::pgwire
