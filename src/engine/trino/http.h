// SPDX-License-Identifier: Apache-2.0
// A client of HTTP/1.1 for one server, plain or over TLS: one request at a time on a connection
// that is kept, with a time limit, and stoppable from another thread.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace discreet::engine::trino {

struct HttpServer {
  std::string host;
  std::string port;
  bool tls = true;
  std::string ca_file;  ///< "": those that the system trusts
};

struct HttpRequest {
  std::string method;
  std::string target;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
};

struct HttpResponse {
  int status = 0;
  std::optional<int> retry_after_s;
  std::string body;
};

class HttpClient {
 public:
  explicit HttpClient(HttpServer server);
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;
  ~HttpClient();

  /// Fails with: kNotFound: nothing answers at this address; kRefused: its certificate is not
  /// trusted; kEngine: the line broke, the time was over, or that was no HTTP; kInterrupted.
  /// The texts are the system's own, for the owner's log.
  Result<HttpResponse> send(const HttpRequest& request, std::chrono::milliseconds limit,
                            const std::atomic<bool>& stop);

 private:
  struct Line;  // a connection
  Result<HttpResponse> exchange(const std::string& bytes, bool& answered,
                                std::chrono::steady_clock::time_point deadline,
                                const std::atomic<bool>& stop);
  HttpServer server_;
  std::unique_ptr<Line> line_;
};

}  // namespace discreet::engine::trino
