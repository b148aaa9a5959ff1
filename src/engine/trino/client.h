// SPDX-License-Identifier: Apache-2.0
// Trino's protocol for statements: POST /v1/statement, then nextUri after nextUri until there is
// none; DELETE takes a statement back. Only reading statements are ever sent, each of them complete
// in itself, so that sending one again after a lost line costs nobody anything: what a question is
// charged was charged before.
//
// The cluster's own words may hold rows of the data. They go to the owner's log; errors that are
// returned are constant texts (S21).
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "engine/engine.h"
#include "engine/trino/http.h"
#include "engine/trino/server_url.h"

namespace discreet::engine::trino {

/// A value as JSON brings it; decimals are texts.
using Cell = std::variant<std::monostate, bool, std::int64_t, std::string>;
using Row = std::vector<Cell>;

/// What is known of a statement besides its rows.
struct Told {
  std::string id;     ///< the cluster's name for it; "" if it was not taken
  std::string fault;  ///< Trino's name for what went wrong, such as TABLE_NOT_FOUND
};

class Client {
 public:
  /// Fails with: kInvalidInput, kRefused (parse_server_url); kEngine: it cannot be reached, is not
  /// trusted, is not up.
  static Result<std::unique_ptr<Client>> open(const std::string& url, const OwnerLog& log);

  /// Hands rows over, page by page, as they come; a failure may come after some of them. However
  /// many come: which groups a question has is secret, so their number must not decide whether it
  /// fails.
  Result<void> query(const std::string& sql, const OwnerLog& log,
                     const std::function<void(std::span<const Row>)>& take, Told* told = nullptr);
  /// A small result, of what is public; one that is larger than `result_mb` fails.
  Result<std::vector<Row>> ask(const std::string& sql, const OwnerLog& log, Told* told = nullptr);
  /// What the cluster tells of a statement: its QueryInfo.
  Result<Json> about(const std::string& id, const OwnerLog& log);

  /// Whether the coordinator answers and is up; no statement is sent.
  /// Fails with: kEngine, kInterrupted.
  Result<void> pulse(const OwnerLog& log);

  /// Makes what runs, and what is asked until resume(), fail with kInterrupted; the cluster is told
  /// to stop. From any thread.
  void interrupt() { stop_ = true; }
  void resume() { stop_ = false; }

 private:
  using Deadline = std::chrono::steady_clock::time_point;
  struct Page;  // what an answer says
  using Take = std::function<void(std::span<const Row>)>;
  explicit Client(ServerUrl server);

  Result<void> follow(const std::string& sql, std::size_t most_bytes, const OwnerLog& log,
                      const Take& take, Told* told);
  HttpRequest request(const char* method, std::string target, std::string body) const;
  /// Sends until there is an answer that is one: waits while the server says so, and sends again
  /// after a lost line. Fails with: kNotFound after all of it; kEngine, kInterrupted.
  Result<std::string> persist(const HttpRequest& request, Deadline deadline, const OwnerLog& log);
  Result<void> wait_until_up(const OwnerLog& log);
  void cancel(const std::string& target);
  Result<void> nap(std::chrono::milliseconds time, Deadline deadline);

  ServerUrl server_;
  HttpClient http_;
  std::string authorization_;  ///< "" or the header's value
  std::atomic<bool> stop_{false};
};

/// What every question says that failed on its way, whatever the reason.
Error engine_failed();

}  // namespace discreet::engine::trino
