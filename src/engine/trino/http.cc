// SPDX-License-Identifier: Apache-2.0
#include "engine/trino/http.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>

namespace discreet::engine::trino {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kHeadMost = 64 << 10;
constexpr std::size_t kBodyMost = std::size_t{512} << 20;

Error broken(std::string words) { return {Code::kEngine, std::move(words)}; }
Error stopped() { return {Code::kInterrupted, "stopped"}; }

/// OpenSSL writes to its socket as to a file. When the other side has closed it, the process gets a
/// signal that would end it: this holds it back from our thread, and drops it.
class WithoutSigpipe {
 public:
  WithoutSigpipe() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    waited_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  WithoutSigpipe(const WithoutSigpipe&) = delete;
  WithoutSigpipe& operator=(const WithoutSigpipe&) = delete;
  ~WithoutSigpipe() {
    const timespec now{};
    if (!waited_) sigtimedwait(&pipe_, nullptr, &now);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t pipe_{};
  sigset_t before_{};
  bool waited_ = false;  // one that is not ours
};

}  // namespace

// With names of their own, like the struct that has them.
struct FreeContext {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
};
struct FreeSsl {
  void operator()(SSL* ssl) const { SSL_free(ssl); }
};

namespace {

std::string tls_words() {
  char words[256] = "";
  ERR_error_string_n(ERR_get_error(), words, sizeof words);
  ERR_clear_error();
  return words;
}

/// Waits until the socket is ready, in short naps so that a stop is seen.
Result<void> wait_for(int socket, short events, Clock::time_point deadline,
                      const std::atomic<bool>& stop) {
  for (;;) {
    if (stop) return stopped();
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return broken("no answer in time");
    pollfd one{socket, events, 0};
    const int ready = poll(&one, 1, static_cast<int>(std::min<std::int64_t>(left, 100)));
    if (ready > 0) return {};
    if (ready < 0 && errno != EINTR) return broken(std::strerror(errno));
  }
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

std::optional<std::size_t> number(std::string_view text, int base) {
  std::size_t value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (fault != std::errc{} || end == text.data() || value > kBodyMost) return std::nullopt;
  return value;
}

struct Head {
  HttpResponse response;
  std::optional<std::size_t> length;
  bool chunked = false;
  bool closes = false;
};

std::optional<Head> parse_head(std::string_view text) {
  Head head;
  std::size_t end = text.find("\r\n");
  const std::string_view first = text.substr(0, end);
  if (!first.starts_with("HTTP/1.") || first.size() < 12) return std::nullopt;
  const auto status = number(first.substr(9, 3), 10);
  if (!status) return std::nullopt;
  head.response.status = static_cast<int>(*status);
  head.closes = first.starts_with("HTTP/1.0");
  while (end < text.size()) {
    const std::size_t start = end + 2;
    end = std::min(text.find("\r\n", start), text.size());
    const std::string_view line = text.substr(std::min(start, text.size()), end - start);
    const std::size_t colon = line.find(':');
    if (colon == line.npos) continue;
    const std::string name = lower(line.substr(0, colon));
    const std::string_view value = trimmed(line.substr(colon + 1));
    if (name == "content-length") {
      head.length = number(value, 10);
      if (!head.length) return std::nullopt;
    } else if (name == "transfer-encoding") {
      head.chunked = lower(value).find("chunked") != std::string::npos;
    } else if (name == "connection") {
      head.closes = head.closes || lower(value) == "close";
    } else if (name == "retry-after") {
      if (const auto wait_s = number(value, 10)) {
        head.response.retry_after_s = static_cast<int>(std::min<std::size_t>(*wait_s, 60));
      }
    }
  }
  return head;
}

}  // namespace

struct HttpClient::Line {
  int socket = -1;
  std::unique_ptr<SSL_CTX, FreeContext> context;
  std::unique_ptr<SSL, FreeSsl> ssl;
  std::string unread;

  Line() = default;
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;
  ~Line() {
    ssl.reset();
    if (socket >= 0) close(socket);
  }

  Result<void> connect(const HttpServer& server, Clock::time_point deadline,
                       const std::atomic<bool>& stop);
  Result<void> connect_one(const addrinfo& address, Clock::time_point deadline,
                           const std::atomic<bool>& stop);
  Result<void> shake_hands(const HttpServer& server, Clock::time_point deadline,
                           const std::atomic<bool>& stop);
  Result<void> write(std::string_view bytes, Clock::time_point deadline,
                     const std::atomic<bool>& stop);
  /// More into `unread`; false at the end.
  Result<bool> read(Clock::time_point deadline, const std::atomic<bool>& stop);
  Result<void> read_until(std::size_t size, Clock::time_point deadline,
                          const std::atomic<bool>& stop);
  Result<std::string> read_chunks(Clock::time_point deadline, const std::atomic<bool>& stop);
};

Result<void> HttpClient::Line::connect_one(const addrinfo& address, Clock::time_point deadline,
                                           const std::atomic<bool>& stop) {
  if (socket >= 0) close(socket);
  socket = ::socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (socket < 0) return Error{Code::kNotFound, std::strerror(errno)};
  const int yes = 1;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  if (::connect(socket, address.ai_addr, address.ai_addrlen) == 0) return {};
  if (errno != EINPROGRESS) return Error{Code::kNotFound, std::strerror(errno)};
  Result<void> ready = wait_for(socket, POLLOUT, deadline, stop);
  if (!ready) {
    if (ready.error().code == Code::kInterrupted) return ready.error();
    return Error{Code::kNotFound, ready.error().message};
  }
  int fault = 0;
  socklen_t size = sizeof fault;
  getsockopt(socket, SOL_SOCKET, SO_ERROR, &fault, &size);
  if (fault != 0) return Error{Code::kNotFound, std::strerror(fault)};
  return {};
}

Result<void> HttpClient::Line::connect(const HttpServer& server, Clock::time_point deadline,
                                       const std::atomic<bool>& stop) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int fault = getaddrinfo(server.host.c_str(), server.port.c_str(), &hints, &found);
  if (fault != 0) return Error{Code::kNotFound, gai_strerror(fault)};
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> addresses(found, freeaddrinfo);
  const auto soon = std::min(deadline, Clock::now() + std::chrono::seconds(10));
  Result<void> connected = Error{Code::kNotFound, "the name has no address"};
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
    connected = connect_one(*one, soon, stop);
    if (connected || connected.error().code == Code::kInterrupted) break;
  }
  if (!connected) return connected;
  return server.tls ? shake_hands(server, soon, stop) : Result<void>{};
}

Result<void> HttpClient::Line::shake_hands(const HttpServer& server, Clock::time_point deadline,
                                           const std::atomic<bool>& stop) {
  context.reset(SSL_CTX_new(TLS_client_method()));
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  const int loaded = server.ca_file.empty() ? SSL_CTX_set_default_verify_paths(context.get())
                                            : SSL_CTX_load_verify_locations(
                                                  context.get(), server.ca_file.c_str(), nullptr);
  if (loaded != 1) {
    return Error{Code::kRefused, "the file of certificates cannot be read: " + tls_words()};
  }
  ssl.reset(SSL_new(context.get()));
  in6_addr number{};
  const bool is_number = inet_pton(AF_INET, server.host.c_str(), &number) == 1 ||
                         inet_pton(AF_INET6, server.host.c_str(), &number) == 1;
  X509_VERIFY_PARAM* const rules = SSL_get0_param(ssl.get());
  if (is_number) {
    X509_VERIFY_PARAM_set1_ip_asc(rules, server.host.c_str());
  } else {
    X509_VERIFY_PARAM_set1_host(rules, server.host.c_str(), 0);
    SSL_set_tlsext_host_name(ssl.get(), server.host.c_str());
  }
  SSL_set_fd(ssl.get(), socket);
  const WithoutSigpipe quiet;
  for (;;) {
    const int done = SSL_connect(ssl.get());
    if (done == 1) return {};
    const int why = SSL_get_error(ssl.get(), done);
    if (why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE) {
      DISCREET_TRY(wait_for(socket, why == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT, deadline, stop));
      continue;
    }
    const long verified = SSL_get_verify_result(ssl.get());
    if (verified != X509_V_OK) {
      return Error{Code::kRefused, X509_verify_cert_error_string(verified)};
    }
    return Error{Code::kRefused, "no TLS: " + tls_words()};
  }
}

Result<void> HttpClient::Line::write(std::string_view bytes, Clock::time_point deadline,
                                     const std::atomic<bool>& stop) {
  const WithoutSigpipe quiet;
  while (!bytes.empty()) {
    if (ssl) {
      std::size_t done = 0;
      const int wrote = SSL_write_ex(ssl.get(), bytes.data(), bytes.size(), &done);
      if (wrote == 1) {
        bytes.remove_prefix(done);
        continue;
      }
      const int why = SSL_get_error(ssl.get(), wrote);
      if (why != SSL_ERROR_WANT_READ && why != SSL_ERROR_WANT_WRITE) return broken(tls_words());
      DISCREET_TRY(wait_for(socket, why == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT, deadline, stop));
      continue;
    }
    const ssize_t done = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (done >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(done));
    } else if (errno == EAGAIN || errno == EINTR) {
      DISCREET_TRY(wait_for(socket, POLLOUT, deadline, stop));
    } else {
      return broken(std::strerror(errno));
    }
  }
  return {};
}

Result<bool> HttpClient::Line::read(Clock::time_point deadline, const std::atomic<bool>& stop) {
  char bytes[16 << 10];
  const WithoutSigpipe quiet;
  for (;;) {
    if (ssl) {
      std::size_t done = 0;
      const int got = SSL_read_ex(ssl.get(), bytes, sizeof bytes, &done);
      if (got == 1) {
        unread.append(bytes, done);
        return true;
      }
      const int why = SSL_get_error(ssl.get(), got);
      if (why == SSL_ERROR_ZERO_RETURN) return false;
      if (why != SSL_ERROR_WANT_READ && why != SSL_ERROR_WANT_WRITE) return broken(tls_words());
      DISCREET_TRY(wait_for(socket, why == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT, deadline, stop));
      continue;
    }
    const ssize_t done = ::recv(socket, bytes, sizeof bytes, 0);
    if (done > 0) {
      unread.append(bytes, static_cast<std::size_t>(done));
      return true;
    }
    if (done == 0) return false;
    if (errno != EAGAIN && errno != EINTR) return broken(std::strerror(errno));
    DISCREET_TRY(wait_for(socket, POLLIN, deadline, stop));
  }
}

Result<void> HttpClient::Line::read_until(std::size_t size, Clock::time_point deadline,
                                          const std::atomic<bool>& stop) {
  while (unread.size() < size) {
    DISCREET_ASSIGN(const bool more, read(deadline, stop));
    if (!more) return broken("the answer ended early");
  }
  return {};
}

Result<std::string> HttpClient::Line::read_chunks(Clock::time_point deadline,
                                                  const std::atomic<bool>& stop) {
  std::string body;
  for (;;) {
    std::size_t end = unread.find("\r\n");
    while (end == unread.npos) {
      if (unread.size() > kHeadMost) return broken("a chunk without a length");
      DISCREET_TRY(read_until(unread.size() + 1, deadline, stop));
      end = unread.find("\r\n");
    }
    const auto size = number(std::string_view(unread).substr(0, end), 16);
    if (!size || body.size() + *size > kBodyMost) return broken("an answer too large to read");
    DISCREET_TRY(read_until(end + 2 + *size + 2, deadline, stop));
    body.append(unread, end + 2, *size);
    unread.erase(0, end + 2 + *size + 2);
    if (*size == 0) return body;
  }
}

HttpClient::HttpClient(HttpServer server) : server_(std::move(server)) {}
HttpClient::~HttpClient() = default;

Result<HttpResponse> HttpClient::exchange(const std::string& bytes, bool& answered,
                                          Clock::time_point deadline,
                                          const std::atomic<bool>& stop) {
  DISCREET_TRY(line_->write(bytes, deadline, stop));
  std::string& unread = line_->unread;
  std::size_t end = unread.npos;
  while ((end = unread.find("\r\n\r\n")) == unread.npos) {
    if (unread.size() > kHeadMost) return broken("headers without an end");
    DISCREET_ASSIGN(const bool more, line_->read(deadline, stop));
    if (!more) return broken("the server closed the line");
    answered = true;
  }
  std::optional<Head> head = parse_head(std::string_view(unread).substr(0, end));
  if (!head) return broken("that was no HTTP");
  unread.erase(0, end + 4);
  const int status = head->response.status;
  if (head->chunked) {
    DISCREET_ASSIGN(head->response.body, line_->read_chunks(deadline, stop));
  } else if (head->length) {
    DISCREET_TRY(line_->read_until(*head->length, deadline, stop));
    head->response.body = unread.substr(0, *head->length);
    unread.erase(0, *head->length);
  } else if (status != 204 && status != 304) {
    return broken("an answer without a length");
  }
  if (head->closes) line_.reset();
  return std::move(head->response);
}

Result<HttpResponse> HttpClient::send(const HttpRequest& request, std::chrono::milliseconds limit,
                                      const std::atomic<bool>& stop) {
  const auto deadline = Clock::now() + limit;
  const bool is_number6 = server_.host.find(':') != std::string::npos;
  std::string bytes = request.method + " " + request.target + " HTTP/1.1\r\nHost: " +
                      (is_number6 ? "[" + server_.host + "]" : server_.host) + ":" + server_.port +
                      "\r\nContent-Length: " + std::to_string(request.body.size()) + "\r\n";
  for (const auto& [name, value] : request.headers) bytes += name + ": " + value + "\r\n";
  bytes += "\r\n" + request.body;
  for (;;) {
    const bool fresh = line_ == nullptr;
    if (fresh) {
      line_ = std::make_unique<Line>();
      Result<void> connected = line_->connect(server_, deadline, stop);
      if (!connected) {
        line_.reset();
        return connected.error();
      }
    }
    bool answered = false;
    Result<HttpResponse> response = exchange(bytes, answered, deadline, stop);
    if (response) return response;
    line_.reset();
    // A line that was kept may have been closed meanwhile: once more on a new one.
    if (fresh || answered || response.error().code == Code::kInterrupted ||
        Clock::now() >= deadline) {
      return response;
    }
  }
}

}  // namespace discreet::engine::trino
