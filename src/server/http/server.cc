// SPDX-License-Identifier: Apache-2.0
#include "server/http/server.h"

#include <charconv>
#include <system_error>
#include <thread>
#include <utility>

#include "server/http/connection.h"
#include "server/http/tls.h"
#include "server/peer.h"
#include "server/thread.h"

namespace discreet::server::http {
namespace {

Error failed(const std::string& what, const boost::system::error_code& error) {
  const bool is_taken = error == boost::system::errc::address_in_use;
  return {is_taken ? Code::kConflict : Code::kStorage,
          what + ": " + error.message() +
              (is_taken ? "; stop what listens there, or choose another port" : "")};
}

}  // namespace

class Server::Impl {
 public:
  Impl(Options options, Handler handler)
      : hub_(std::make_shared<Hub>(std::move(options), std::move(handler))), acceptor_(hub_->io) {}
  ~Impl() { stop(); }

  Result<void> open() {
    const Options& options = hub_->options;
    boost::system::error_code error;
    const auto address = net::ip::make_address(options.address, error);
    if (error) {
      return invalid_input("no address to listen on: " + in_quotes(options.address) +
                           "; give a number such as 127.0.0.1");
    }
    if (options.tls) {
      context_.emplace(net::ssl::context::tls_server);
      DISCREET_TRY(use_tls(context_->native_handle(), *options.tls));
    }
    const tcp::endpoint endpoint(address, options.port);
    const std::string where =
        "cannot listen on " + options.address + " port " + std::to_string(options.port);
    acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(net::socket_base::max_listen_connections, error);
    if (error) return failed(where, error);
    port_ = acceptor_.local_endpoint().port();
    accept();
    DISCREET_ASSIGN(thread_, start_thread([this] { hub_->io.run(); }));
    return {};
  }

  void stop() {
    if (!thread_.joinable()) return;
    net::post(hub_->io, [this] { begin_to_stop(); });
    thread_.join();
    hub_->is_closed = true;
    hub_->io.restart();
    hub_->io.poll();  // replies that came in between
    for (Hub::Crew& crew : hub_->crews) crew.threads.join();
    hub_->io.restart();
    hub_->io.poll();
  }

  std::uint16_t port() const { return port_; }
  std::size_t connections() const { return hub_->connection_count; }

 private:
  void accept() {
    acceptor_.async_accept([this](const boost::system::error_code& error, tcp::socket socket) {
      if (hub_->is_stopping) return;
      if (error) return accept_later();
      begin(std::move(socket));
      accept();
    });
  }

  /// There are no file descriptors left, say; closing connections will bring some.
  void accept_later() {
    pause_.expires_after(std::chrono::milliseconds(50));
    pause_.async_wait([this](const boost::system::error_code&) {
      if (!hub_->is_stopping) accept();
    });
  }

  void begin(tcp::socket socket) {
    boost::system::error_code error;
    const tcp::endpoint peer = socket.remote_endpoint(error);
    if (error) return;
    std::string name = peer_of(peer.address().to_string());
    if (!hub_->has_room(name)) return turn_away(socket);
    socket.set_option(tcp::no_delay(true), error);
    if (context_) {
      start_tls(hub_, std::move(socket), std::move(name), *context_);
    } else {
      start_plain(hub_, std::move(socket), std::move(name));
    }
  }

  /// As much as can be said without waiting; then it is closed.
  void turn_away(tcp::socket& socket) const {
    if (context_) return;
    static const std::string kBusy = [] {
      const Response response = refuse(Refusal::kBusy);
      return "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nConnection: close\r\n"
             "Content-Type: application/json\r\nContent-Length: " +
             std::to_string(response.body.size()) + "\r\n\r\n" + response.body;
    }();
    boost::system::error_code ignored;
    socket.non_blocking(true, ignored);
    socket.send(net::buffer(kBusy), 0, ignored);
  }

  void begin_to_stop() {
    hub_->is_stopping = true;
    boost::system::error_code ignored;
    acceptor_.close(ignored);
    pause_.cancel();
    hub_->finish_connections(false);
    // The loop ends when no connection is left; those that are still busy then are dropped.
    drain_until_ =
        std::chrono::steady_clock::now() + std::chrono::milliseconds(hub_->options.limits.drain_ms);
    drain();
  }

  void drain() {
    if (hub_->connection_count == 0) return hub_->io.stop();
    if (std::chrono::steady_clock::now() >= drain_until_) {
      hub_->finish_connections(true);
      return hub_->io.stop();
    }
    pause_.expires_after(std::chrono::milliseconds(10));
    pause_.async_wait([this](const boost::system::error_code&) { drain(); });
  }

  std::shared_ptr<Hub> hub_;
  tcp::acceptor acceptor_;
  net::steady_timer pause_{hub_->io};
  std::optional<net::ssl::context> context_;
  std::chrono::steady_clock::time_point drain_until_{};
  std::uint16_t port_ = 0;
  std::thread thread_;
};

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Server::~Server() = default;

Result<std::unique_ptr<Server>> Server::listen(Options options, Handler handler) {
  try {
    auto impl = std::make_unique<Impl>(std::move(options), std::move(handler));
    DISCREET_TRY(impl->open());
    return std::unique_ptr<Server>(new Server(std::move(impl)));
  } catch (const std::system_error&) {  // of the workers
    return Error{Code::kStorage,
                 "the system has no thread left; end other processes, or raise their limit"};
  }
}

std::uint16_t Server::port() const { return impl_->port(); }
void Server::stop() { impl_->stop(); }
std::size_t Server::connections() const { return impl_->connections(); }

Result<void> parse_listen(const std::string& text, Options& options) {
  const Error bad = invalid_input(
      "--listen takes an address and a port, such as 127.0.0.1:8080 or "
      "[::1]:8080; got " +
      in_quotes(text));
  const std::size_t colon = text.rfind(':');
  if (colon == text.npos || colon == 0) return bad;
  std::string address = text.substr(0, colon);
  if (address.front() == '[' && address.back() == ']')
    address = address.substr(1, address.size() - 2);
  const char* const end = text.data() + text.size();
  std::uint16_t port = 0;
  const auto [stop, error] = std::from_chars(text.data() + colon + 1, end, port);
  if (error != std::errc{} || stop != end) return bad;
  // The one name that needs no resolver, and that people write.
  options.address = address == "localhost" ? "127.0.0.1" : std::move(address);
  options.port = port;
  return {};
}

}  // namespace discreet::server::http
