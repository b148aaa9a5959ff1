// SPDX-License-Identifier: Apache-2.0
#include "server/http/connection.h"

#include <exception>
#include <optional>
#include <utility>

namespace discreet::server::http {
namespace {

using Clock = std::chrono::steady_clock;
namespace wire = beast::http;
using Parser = wire::request_parser<wire::string_body>;

std::chrono::milliseconds milliseconds(int count) { return std::chrono::milliseconds(count); }

const std::set<std::string> kOnce = {"authorization", "content-length",    "content-type",
                                     "host",          "transfer-encoding", "origin"};

/// Every response has these; what a page needs beside them it brings along.
void add_constant_headers(wire::response<wire::string_body>& message) {
  message.set("X-Content-Type-Options", "nosniff");
  message.set("Cache-Control", "no-store");
  message.set("Referrer-Policy", "no-referrer");
  message.set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'");
}

template <class Stream>
class Connection final : public ConnectionBase,
                         public std::enable_shared_from_this<Connection<Stream>> {
 public:
  Connection(std::shared_ptr<Hub> hub, Stream stream, std::string peer)
      : ConnectionBase(std::move(hub), std::move(peer)), stream_(std::move(stream)) {}
  ~Connection() override { release_body(); }

  void start() {
    if constexpr (kIsTls) {
      lowest().expires_after(milliseconds(limits().header_ms));
      stream_.async_handshake(net::ssl::stream_base::server,
                              [self = this->shared_from_this()](const beast::error_code& error) {
                                if (!error) self->read_headers(self->limits().header_ms);
                              });
    } else {
      read_headers(limits().header_ms);
    }
  }

  void finish() override {
    if (is_reading_headers_) abort();
  }
  void abort() override { lowest().close(); }

 private:
  static constexpr bool kIsTls = !std::is_same_v<Stream, beast::tcp_stream>;

  beast::tcp_stream& lowest() { return beast::get_lowest_layer(stream_); }
  const Limits& limits() const { return hub_->options.limits; }

  void read_headers(int allowed_ms) {
    parser_.emplace();
    parser_->header_limit(limits().header_bytes);
    parser_->body_limit(boost::none);  // judged below, from its Content-Length
    response_.reset();
    is_reading_headers_ = true;
    lowest().expires_after(milliseconds(allowed_ms));
    wire::async_read_header(
        stream_, buffer_, *parser_,
        [self = this->shared_from_this()](const beast::error_code& error, std::size_t) {
          self->is_reading_headers_ = false;
          self->on_headers(error);
        });
  }

  void on_headers(const beast::error_code& error) {
    start_ = Clock::now();
    if (error == wire::error::header_limit) return refuse_and_close(Refusal::kHeadersTooLarge);
    if (error.category() == wire::make_error_code(wire::error::end_of_stream).category() &&
        error != wire::error::end_of_stream && error != wire::error::partial_message) {
      return refuse_and_close(Refusal::kMalformed);
    }
    if (error) return close();
    const auto refusal = examine();
    if (refusal) return refuse_and_close(*refusal);
    const bool continues = beast::iequals(parser_->get()[wire::field::expect], "100-continue");
    return continues ? send_continue() : read_body();
  }

  /// Judges the headers, and makes the request of them.
  std::optional<Refusal> examine() {
    const auto& message = parser_->get();
    request_ = Request{};
    request_.id = hub_->next_id();
    request_.peer = peer_;
    request_.is_secure = kIsTls;
    request_.method = std::string(message.method_string());
    if (message.version() != 10 && message.version() != 11) return Refusal::kMalformed;
    if (!parse_target(message.target(), request_)) return Refusal::kMalformed;
    for (const auto& field : message) {
      std::string name(field.name_string());
      for (char& c : name) c = (c >= 'A' && c <= 'Z') ? static_cast<char>(c - 'A' + 'a') : c;
      const auto [place, is_new] = request_.headers.emplace(name, std::string(field.value()));
      if (is_new) continue;
      // Given twice it could mean one thing here and another to a proxy in front.
      if (kOnce.contains(name)) return Refusal::kMalformed;
      place->second.append(", ").append(std::string_view(field.value()));
    }
    if (message.has_content_length() && request_.headers.contains("transfer-encoding")) {
      return Refusal::kMalformed;
    }
    if (request_.headers.contains("transfer-encoding")) return Refusal::kNoLength;
    const std::uint64_t length = parser_->content_length().value_or(0);
    const std::size_t most =
        hub_->options.body_max ? hub_->options.body_max(request_) : limits().body_bytes;
    if (length > most) return Refusal::kTooLarge;
    if (hub_->is_stopping || length > limits().bodies_bytes - hub_->body_bytes) {
      return Refusal::kBusy;
    }
    reserved_ = static_cast<std::size_t>(length);
    hub_->body_bytes += reserved_;
    return std::nullopt;
  }

  void send_continue() {
    continue_ = {wire::status::continue_, parser_->get().version()};
    wire::async_write(
        stream_, continue_,
        [self = this->shared_from_this()](const beast::error_code& error, std::size_t) {
          return error ? self->close() : self->read_body();
        });
  }

  void read_body() {
    lowest().expires_after(milliseconds(limits().body_ms));
    wire::async_read(stream_, buffer_, *parser_,
                     [self = this->shared_from_this()](const beast::error_code& error,
                                                       std::size_t) { self->on_body(error); });
  }

  void on_body(const beast::error_code& error) {
    if (error) return close();
    lowest().expires_never();  // now it is our turn
    keeps_alive_ = parser_->keep_alive();
    request_.body = std::move(parser_->get().body());
    Request handed = request_.body.empty() ? request_ : take_request();
    Reply reply(
        [self = this->shared_from_this()](Response response) mutable {
          const std::shared_ptr<Hub> hub = self->hub_;
          if (hub->is_closed) return;
          net::post(hub->io, [self = std::move(self), response = std::move(response)]() mutable {
            self->respond(std::move(response), self->keeps_alive_);
          });
        },
        [one = this->weak_from_this()] {
          if (const auto self = one.lock()) self->is_known_ = true;
        });
    if (!hub_->hand_over(std::move(handed), reply)) reply(refuse(Refusal::kBusy));
  }

  /// The request without keeping a second copy of its body.
  Request take_request() {
    std::string body = std::move(request_.body);
    request_.body.clear();
    Request taken = request_;
    taken.body = std::move(body);
    return taken;
  }

  void refuse_and_close(Refusal refusal) {
    lingers_ = true;
    respond(refuse(refusal), false);
  }

  void respond(Response response, bool keeps_alive) {
    release_body();
    keeps_alive_ = keeps_alive && !hub_->is_stopping && !this->is_overdue();
    hub_->log(request_.id.empty() ? nullptr : &request_, response.status, start_);
    response_.emplace(static_cast<wire::status>(response.status), 11U);
    add_constant_headers(*response_);
    response_->set("X-Request-Id", request_.id.empty() ? hub_->next_id() : request_.id);
    if (!response.type.empty()) response_->set(wire::field::content_type, response.type);
    for (const auto& [name, value] : response.headers) response_->set(name, value);
    response_->body() = std::move(response.body);
    response_->keep_alive(keeps_alive_);
    response_->prepare_payload();
    request_ = Request{};
    lowest().expires_after(milliseconds(limits().write_ms));
    wire::async_write(stream_, *response_,
                      [self = this->shared_from_this()](const beast::error_code& error,
                                                        std::size_t) { self->on_written(error); });
  }

  void on_written(const beast::error_code& error) {
    if (error) return close();
    if (keeps_alive_ && !hub_->is_stopping) return read_headers(limits().idle_ms);
    return lingers_ ? linger() : close();
  }

  /// A refusal of a request that is still on its way would be lost if the socket were closed at
  /// once: the kernel answers what arrives later with a reset. So a little of it is read and
  /// dropped.
  void linger() {
    beast::error_code ignored;
    if constexpr (!kIsTls) lowest().socket().shutdown(tcp::socket::shutdown_send, ignored);
    lowest().expires_after(milliseconds(kLingerMs));
    discard(kLingerBytes);
  }

  void discard(std::size_t most) {
    buffer_.clear();
    lowest().async_read_some(
        buffer_.prepare(16 << 10),
        [self = this->shared_from_this(), most](const beast::error_code& error, std::size_t size) {
          if (error || size >= most) return self->lowest().close();
          self->discard(most - size);
        });
  }

  void close() {
    if constexpr (kIsTls) {
      if (lowest().socket().is_open()) {
        lowest().expires_after(milliseconds(kLingerMs));
        stream_.async_shutdown([self = this->shared_from_this()](const beast::error_code&) {
          self->lowest().close();
        });
        return;
      }
    }
    lowest().close();
  }

  void release_body() {
    hub_->body_bytes -= reserved_;
    reserved_ = 0;
  }

  static constexpr int kLingerMs = 1'000;
  static constexpr std::size_t kLingerBytes = 1 << 20;

  Stream stream_;
  beast::flat_buffer buffer_;
  std::optional<Parser> parser_;
  wire::response<wire::empty_body> continue_;
  std::optional<wire::response<wire::string_body>> response_;
  Request request_;  // without its body, for the log
  Clock::time_point start_{};
  std::size_t reserved_ = 0;
  bool is_reading_headers_ = false;
  bool keeps_alive_ = false;
  bool lingers_ = false;
};

}  // namespace

void start_plain(std::shared_ptr<Hub> hub, tcp::socket socket, std::string peer) {
  std::make_shared<Connection<beast::tcp_stream>>(
      std::move(hub), beast::tcp_stream(std::move(socket)), std::move(peer))
      ->start();
}

void start_tls(std::shared_ptr<Hub> hub, tcp::socket socket, std::string peer,
               net::ssl::context& context) {
  using Stream = beast::ssl_stream<beast::tcp_stream>;
  std::make_shared<Connection<Stream>>(
      std::move(hub), Stream(beast::tcp_stream(std::move(socket)), context), std::move(peer))
      ->start();
}

}  // namespace discreet::server::http
