// SPDX-License-Identifier: Apache-2.0
// An HTTP request that has arrived whole and was found well-formed, and the response to it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace discreet::server::http {

struct Request {
  std::string id;      ///< made here, of fixed length; also in the response and the log
  std::string method;  ///< "GET"
  std::string path;    ///< decoded, begins with '/', holds no control character
  std::map<std::string, std::string, std::less<>> query;    ///< decoded
  std::map<std::string, std::string, std::less<>> headers;  ///< names in lower case
  std::string body;
  std::string peer;        ///< the address that the connection came from: for limits, not for logs
  bool is_secure = false;  ///< by TLS
  /// Filled in by the router: what stands in the place of {name} in the pattern.
  std::map<std::string, std::string, std::less<>> parts = {};

  /// "" when it is absent.
  std::string_view header(std::string_view lower_case_name) const;
  std::string_view part(std::string_view name) const;
};

struct Response {
  int status = 200;
  std::string body = {};
  std::string type = "application/json";
  std::vector<std::pair<std::string, std::string>> headers = {};
};

/// The way back to the client: to be called once, from any thread, at any time. When all copies are
/// gone and none was called, the client is told of a bug.
class Reply {
 public:
  using Send = std::function<void(Response)>;
  explicit Reply(Send send, std::function<void()> vouch = {});
  void operator()(Response response) const;
  /// A header of the response to come, whatever that is; a second one of a name joins the first
  /// behind a comma. Requires: nothing was sent.
  void add_header(std::string name, std::string value) const;
  /// The client has shown who it is: its connection is no stranger's any more.
  void vouch() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

/// Called in a worker's thread.
using Handler = std::function<void(Request, Reply)>;

/// What HTTP itself refuses, before any of our code is asked; all else is in base/error.h's table.
enum class Refusal {
  kMalformed,        ///< 400
  kUnauthenticated,  ///< 401
  kNoSuchPath,       ///< 404
  kWrongMethod,      ///< 405
  kNoLength,         ///< 411
  kTooLarge,         ///< 413
  kWrongType,        ///< 415
  kTooMany,          ///< 429
  kHeadersTooLarge,  ///< 431
  kBusy,             ///< 503
};

/// {"error": name, "message": text}; each refusal has one constant text.
Response refuse(Refusal refusal);
/// The same for an Error. The words of the world's faults and of our own bugs are for the log, so
/// their text is constant here; the caller's own faults keep theirs.
Response refuse(const Error& error);

/// What a client is told of an error, see refuse().
std::string_view shown_message(const Error& error);

/// {"error": name, "message": text} with a status of its own.
Response error_response(int status, std::string_view name, std::string_view message);

/// A target such as "/a%20b?x=1" in its two parts. Fails with: kInvalidInput for anything but
/// origin-form, for broken escapes, control characters and names given twice.
Result<void> parse_target(std::string_view target, Request& request);

/// "text/plain; charset=utf-8" without what follows the ';', in lower case.
std::string media_type(std::string_view content_type);

}  // namespace discreet::server::http
