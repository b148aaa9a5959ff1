// SPDX-License-Identifier: Apache-2.0
#include "server/http/message.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <optional>

#include "base/json.h"

namespace discreet::server::http {
namespace {

struct RefusalFacts {
  Refusal refusal;
  int status;
  std::string_view name;
  std::string_view message;
};

constexpr std::array<RefusalFacts, 10> kRefusals = {{
    {Refusal::kMalformed, 400, "malformed_request", "this is not a well-formed HTTP/1.1 request"},
    {Refusal::kUnauthenticated, 401, "unauthenticated",
     "log in first, and send the token in the Authorization header: Bearer TOKEN"},
    {Refusal::kNoSuchPath, 404, "no_such_path", "there is no such path; see /api/v1/openapi.json"},
    {Refusal::kWrongMethod, 405, "wrong_method", "this path does not know this method"},
    {Refusal::kNoLength, 411, "length_required", "send the body with a Content-Length"},
    {Refusal::kTooLarge, 413, "body_too_large", "the body is larger than this path accepts"},
    {Refusal::kWrongType, 415, "wrong_type", "this path does not accept this Content-Type"},
    {Refusal::kTooMany, 429, "too_many_requests", "too many requests; wait and try again"},
    {Refusal::kHeadersTooLarge, 431, "headers_too_large", "the headers are too large"},
    {Refusal::kBusy, 503, "busy", "the server is busy or stopping; try again"},
}};

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// None for a broken escape or a control character.
std::optional<std::string> decoded(std::string_view text, bool plus_is_space) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '%') {
      if (i + 2 >= text.size()) return std::nullopt;
      const int high = hex_digit(text[i + 1]);
      const int low = hex_digit(text[i + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      c = static_cast<char>(high * 16 + low);
      i += 2;
    } else if (c == '+' && plus_is_space) {
      c = ' ';
    }
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return std::nullopt;
    out += c;
  }
  return out;
}

/// Whether an Error's own text may leave: it is made of the caller's words and the policy's.
bool is_callers_fault(Code code) {
  const int status = describe(code).exit_status;
  return status >= 2 && status <= 4;
}

std::string_view constant_text(Code code) {
  if (code == Code::kBug) return "something is wrong in the server; its log has this request's id";
  if (code == Code::kInterrupted) return "the server is stopping; ask again with the request's id";
  return "the server cannot answer now; ask again with the request's id";
}

}  // namespace

std::string_view Request::header(std::string_view name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? std::string_view{} : std::string_view(found->second);
}

std::string_view Request::part(std::string_view name) const {
  const auto found = parts.find(name);
  return found == parts.end() ? std::string_view{} : std::string_view(found->second);
}

struct Reply::State {
  Send send;
  std::function<void()> vouch = {};
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::atomic<bool> is_sent{false};

  ~State() { once(refuse(Error{Code::kBug, "no reply was made"})); }
  /// False when it was sent before. What it holds of the connection is gone afterwards.
  bool once(Response response) {
    if (is_sent.exchange(true)) return false;
    response.headers.insert(response.headers.end(), headers.begin(), headers.end());
    const Send last = std::move(send);
    last(std::move(response));
    return true;
  }
};

Reply::Reply(Send send, std::function<void()> vouch) : state_(std::make_shared<State>()) {
  state_->send = std::move(send);
  state_->vouch = std::move(vouch);
}

void Reply::vouch() const {
  if (state_->vouch) state_->vouch();
}

void Reply::operator()(Response response) const {
  DISCREET_CHECK(state_->once(std::move(response)));
}

void Reply::add_header(std::string name, std::string value) const {
  DISCREET_CHECK(!state_->is_sent);
  for (auto& [known, text] : state_->headers) {
    if (known == name) return (void)text.append(", " + value);
  }
  state_->headers.emplace_back(std::move(name), std::move(value));
}

Response error_response(int status, std::string_view name, std::string_view message) {
  return {.status = status, .body = json_text({{"error", name}, {"message", message}})};
}

Response refuse(Refusal refusal) {
  const RefusalFacts& facts = kRefusals[static_cast<std::size_t>(refusal)];
  DISCREET_CHECK(facts.refusal == refusal);
  Response response = error_response(facts.status, facts.name, facts.message);
  if (refusal == Refusal::kUnauthenticated)
    response.headers.emplace_back("WWW-Authenticate", "Bearer");
  if (refusal == Refusal::kTooMany || refusal == Refusal::kBusy)
    response.headers.emplace_back("Retry-After", "1");
  return response;
}

Response refuse(const Error& error) {
  const CodeFacts& facts = describe(error.code);
  return error_response(facts.http_status, facts.name, shown_message(error));
}

std::string_view shown_message(const Error& error) {
  return is_callers_fault(error.code) ? std::string_view(error.message) : constant_text(error.code);
}

Result<void> parse_target(std::string_view target, Request& request) {
  const Error malformed = invalid_input("the target of the request is malformed");
  if (target.empty() || target.front() != '/') return malformed;
  const std::size_t mark = target.find('?');
  const auto path = decoded(target.substr(0, mark), false);
  if (!path) return malformed;
  request.path = *path;
  if (mark == target.npos) return {};
  std::string_view rest = target.substr(mark + 1);
  while (!rest.empty()) {
    const std::string_view pair = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
    if (pair.empty()) continue;
    const std::size_t equals = pair.find('=');
    const auto name = decoded(pair.substr(0, equals), true);
    const auto value = decoded(equals == pair.npos ? "" : pair.substr(equals + 1), true);
    if (!name || !value || !request.query.emplace(*name, *value).second) return malformed;
  }
  return {};
}

std::string media_type(std::string_view content_type) {
  std::string out;
  for (const char c : content_type.substr(0, content_type.find(';'))) {
    if (c == ' ' || c == '\t') continue;
    out += (c >= 'A' && c <= 'Z') ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return out;
}

}  // namespace discreet::server::http
