// SPDX-License-Identifier: Apache-2.0
#include "engine/trino/client.h"

#include <openssl/evp.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <thread>

namespace discreet::engine::trino {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr seconds kRequestLimit{60};   // of one exchange; Trino answers within a second or two
constexpr seconds kPatience{60};       // with a server that is busy or away, within the time limit
constexpr seconds kStartPatience{20};  // when it is opened
constexpr seconds kPulse{10};          // before a question is charged
constexpr milliseconds kCancelLimit{2'000};

void say(const OwnerLog& log, const std::string& words) {
  if (log.say) log.say("trino: " + words.substr(0, 2000));
}

void note_time_limit(const OwnerLog& log) {
  if (log.out_of_time) log.out_of_time();
}

std::string base64(const std::string& text) {
  std::string out(4 * ((text.size() + 2) / 3) + 1, '\0');
  const int size = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                                   reinterpret_cast<const unsigned char*>(text.data()),
                                   static_cast<int>(text.size()));
  out.resize(static_cast<std::size_t>(size));
  return out;
}

std::string from_environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool is_line(const std::string& text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) >= ' '; });
}

/// In ISO 8859-1, in which Trino reads names and passwords; nothing if a character is not in it.
std::optional<std::string> latin1(const std::string& utf8) {
  std::string out;
  for (std::size_t i = 0; i < utf8.size(); ++i) {
    const auto byte = static_cast<unsigned char>(utf8[i]);
    if (byte < 0x80) {
      out += utf8[i];
      continue;
    }
    // U+0080 to U+00FF: 110000yy 10xxxxxx.
    const unsigned char next = i + 1 < utf8.size() ? static_cast<unsigned char>(utf8[i + 1]) : 0;
    if ((byte != 0xC2 && byte != 0xC3) || (next & 0xC0) != 0x80) return std::nullopt;
    out += static_cast<char>((byte << 6) | (next & 0x3F));
    ++i;
  }
  return out;
}

/// The path of an address; whatever host it names, ours is asked.
std::string path_of(const std::string& uri) {
  const std::size_t scheme = uri.find("://");
  const std::size_t slash = scheme == uri.npos ? 0 : uri.find('/', scheme + 3);
  const std::string path = slash == uri.npos ? "" : uri.substr(slash);
  return path.starts_with("/v1/") && is_line(path) && path.find(' ') == path.npos ? path : "";
}

std::optional<Cell> cell_of(const Json& value) {
  if (value.is_null()) return Cell{};
  if (value.is_boolean()) return Cell{value.flag()};
  if (std::int64_t number = 0; value.read(number)) return Cell{number};
  if (value.is_string()) return Cell{value.text()};
  return std::nullopt;  // of no type that is asked for
}

bool must_wait(int status) {
  return status == 429 || status == 502 || status == 503 || status == 504;
}

Error not_reached() {
  return {Code::kNotFound,
          "the Trino that the policy names cannot be reached; correct its engine "
          "(trino://user@host:port) or start it; the owner's log has its words"};
}

}  // namespace

struct Client::Page {
  std::string id;
  std::string next;  ///< a path
  std::vector<Row> rows;
  std::string fault;
  std::string words;
  std::optional<int> percent;
};

Error engine_failed() {
  return {Code::kEngine,
          "the database did not answer in full: it stopped, took longer than its time limit, or "
          "refused; what was charged stays charged, nothing was released, and the owner's log has "
          "its words"};
}

Client::Client(ServerUrl server)
    : server_(std::move(server)),
      http_({server_.host, server_.port, server_.tls, server_.ca_file}) {}

Result<std::unique_ptr<Client>> Client::open(const std::string& url, const OwnerLog& log) {
  DISCREET_ASSIGN(ServerUrl server, parse_server_url(url));
  const std::string password = from_environment("TRINO_PASSWORD");
  const std::string token = from_environment("TRINO_JWT");
  if (!is_line(password) || !is_line(token)) {
    return invalid_input("TRINO_PASSWORD or TRINO_JWT has more than one line; give it without");
  }
  std::unique_ptr<Client> made(new Client(std::move(server)));
  // Over a line that others can read no secret is sent.
  if (made->server_.tls && !token.empty()) {
    made->authorization_ = "Bearer " + token;
  } else if (made->server_.tls && !password.empty()) {
    const std::optional<std::string> both = latin1(made->server_.user + ":" + password);
    if (!both || made->server_.user.find(':') != std::string::npos) {
      return invalid_input(
          "Trino reads users without a colon, and users and passwords of the characters of "
          "ISO 8859-1 only; have another password set, or give a token in TRINO_JWT");
    }
    made->authorization_ = "Basic " + base64(*both);
  }
  DISCREET_TRY(made->wait_until_up(log));
  return made;
}

HttpRequest Client::request(const char* method, std::string target, std::string body) const {
  HttpRequest out{method, std::move(target), {}, std::move(body)};
  out.headers = {{"X-Trino-User", server_.user}, {"X-Trino-Source", "discreet"},
                 {"X-Trino-Time-Zone", "UTC"},   {"X-Trino-Language", "en-US"},
                 {"User-Agent", "discreet"},     {"Content-Type", "text/plain; charset=utf-8"}};
  std::string session = "query_max_run_time=" + std::to_string(server_.timeout_s) + "s";
  for (const auto& [name, value] : server_.session) {
    session += "," + name + "=" + percent_encoded(value);
  }
  out.headers.emplace_back("X-Trino-Session", session);
  if (!authorization_.empty()) out.headers.emplace_back("Authorization", authorization_);
  return out;
}

Result<void> Client::nap(milliseconds time, Deadline deadline) {
  const auto end = std::min<Deadline>(steady_clock::now() + time, deadline);
  while (steady_clock::now() < end) {
    if (stop_) return interrupted();
    std::this_thread::sleep_for(milliseconds(20));
  }
  return {};
}

Result<std::string> Client::persist(const HttpRequest& request, Deadline deadline,
                                    const OwnerLog& log) {
  const Deadline patience = std::min<Deadline>(deadline, steady_clock::now() + kPatience);
  milliseconds pause{100};
  for (;;) {
    const auto left = std::chrono::duration_cast<milliseconds>(deadline - steady_clock::now());
    Result<HttpResponse> response =
        http_.send(request, std::min<milliseconds>(left, kRequestLimit), stop_);
    if (response && response->status == 200) return std::move(response->body);
    if (stop_) return interrupted();
    if (response && !must_wait(response->status)) {
      say(log, "status " + std::to_string(response->status) + ": " + response->body);
      if (response->status == 401 || response->status == 403) {
        return Error{Code::kEngine,
                     "the database refused the user or the password; correct the user in the "
                     "policy's engine, and TRINO_PASSWORD or TRINO_JWT"};
      }
      return engine_failed();
    }
    if (!response && response.error().code == Code::kRefused) {
      say(log, response.error().message);
      return Error{Code::kEngine,
                   "the certificate of the Trino that the policy names is not trusted; name the "
                   "file of its authority: trino://user@host:port?ca=FILE"};
    }
    if (steady_clock::now() >= patience) {
      say(log, response ? "status " + std::to_string(response->status) : response.error().message);
      return response ? engine_failed() : not_reached();
    }
    if (response && response->retry_after_s) pause = seconds(*response->retry_after_s);
    DISCREET_TRY(nap(pause, patience));
    pause = std::min<milliseconds>(pause * 2, milliseconds(2'000));
  }
}

Result<void> Client::wait_until_up(const OwnerLog& log) {
  const Deadline deadline = steady_clock::now() + kStartPatience;
  for (;;) {
    Result<std::string> body = persist(request("GET", "/v1/info", ""), deadline, log);
    if (!body && body.error().code == Code::kNotFound) {
      return Error{Code::kEngine, body.error().message};
    }
    if (!body) return body.error();
    const Json info = Json::parse(*body).value_or(nullptr);
    if (!info.contains("nodeVersion")) {
      return Error{Code::kEngine,
                   "what answers at the policy's engine is no Trino; correct its host and port"};
    }
    if (!info["starting"].flag()) return {};
    if (steady_clock::now() >= deadline) {
      return Error{Code::kEngine, "the Trino that the policy names is still starting; ask again"};
    }
    DISCREET_TRY(nap(milliseconds(500), deadline));
  }
}

Result<void> Client::pulse(const OwnerLog& log) {
  const Result<std::string> body =
      persist(request("GET", "/v1/info", ""), steady_clock::now() + kPulse, log);
  if (!body) {
    const Code code = body.error().code;
    return code == Code::kNotFound ? Error{Code::kEngine, body.error().message} : body.error();
  }
  const Json info = Json::parse(*body).value_or(nullptr);
  if (info.contains("nodeVersion") && !info["starting"].flag()) return {};
  return Error{Code::kEngine, "the Trino that the policy names is still starting; ask again"};
}

void Client::cancel(const std::string& target) {
  if (target.empty()) return;
  const std::atomic<bool> never{false};
  (void)http_.send(request("DELETE", target, ""), kCancelLimit, never);
}

namespace {

/// Nothing if it is not what Trino answers.
template <typename Page>
std::optional<Page> parse_page(const std::string& body) {
  const Json answer = Json::parse(body).value_or(nullptr);
  if (!answer.contains("stats")) return std::nullopt;
  Page page;
  page.id = answer["id"].text();
  if (const Json& next = answer["nextUri"]; next.is_string()) {
    page.next = path_of(next.text());
    if (page.next.empty()) return std::nullopt;
  }
  if (const Json& error = answer["error"]; error.is_object()) {
    page.fault = error["errorName"].text("UNKNOWN");
    page.words = page.fault + ": " + error["message"].text();
  }
  if (const Json& percent = answer["stats"]["progressPercentage"]; percent.is_number()) {
    page.percent = static_cast<int>(percent.number());
  }
  const Json* const data = answer.find("data");
  if (data == nullptr) return page;
  if (!data->is_array()) return std::nullopt;
  for (const Json& line : data->items()) {
    if (!line.is_array()) return std::nullopt;
    Row& row = page.rows.emplace_back();
    for (const Json& value : line.items()) {
      std::optional<Cell> cell = cell_of(value);
      if (!cell) return std::nullopt;
      row.push_back(*std::move(cell));
    }
  }
  return page;
}

}  // namespace

Result<void> Client::follow(const std::string& sql, std::size_t most_bytes, const OwnerLog& log,
                            const Take& take, Told* told) {
  const Deadline deadline = steady_clock::now() + seconds(server_.timeout_s);
  HttpRequest next = request("POST", "/v1/statement", sql);
  std::string running;  // what DELETE takes back
  std::size_t received = 0;
  for (;;) {
    Result<std::string> body = persist(next, deadline, log);
    if (!body) {
      if (!stop_ && steady_clock::now() >= deadline) note_time_limit(log);
      cancel(running);
      return body.error().code == Code::kNotFound ? engine_failed() : body.error();
    }
    received += body->size();
    std::optional<Page> page = parse_page<Page>(*body);
    if (!page || received > most_bytes) {
      say(log, page ? "the answer is larger than result_mb in the policy's engine allows: " +
                          std::to_string(server_.result_mb)
                    : "an answer that is not Trino's");
      cancel(running);
      return engine_failed();
    }
    if (told != nullptr) *told = {page->id, page->fault};
    if (!page->fault.empty()) {
      say(log, page->words);
      if (page->fault == "EXCEEDED_TIME_LIMIT" || page->fault == "EXCEEDED_CPU_LIMIT") {
        note_time_limit(log);
      }
      return engine_failed();
    }
    if (!page->rows.empty()) take(page->rows);
    if (page->percent && log.progress) log.progress(*page->percent);
    if (page->next.empty()) return {};
    running = page->next;
    if (stop_ || steady_clock::now() >= deadline) {
      cancel(running);
      if (stop_) return interrupted();
      note_time_limit(log);
      say(log, "no full answer within " + std::to_string(server_.timeout_s) + " s");
      return engine_failed();
    }
    next = request("GET", page->next, "");
  }
}

Result<void> Client::query(const std::string& sql, const OwnerLog& log, const Take& take,
                           Told* told) {
  return follow(sql, std::numeric_limits<std::size_t>::max(), log, take, told);
}

Result<std::vector<Row>> Client::ask(const std::string& sql, const OwnerLog& log, Told* told) {
  std::vector<Row> rows;
  DISCREET_TRY(follow(
      sql, static_cast<std::size_t>(server_.result_mb) << 20, log,
      [&](std::span<const Row> page) { rows.insert(rows.end(), page.begin(), page.end()); }, told));
  return rows;
}

Result<Json> Client::about(const std::string& id, const OwnerLog& log) {
  const bool plain = !id.empty() && std::all_of(id.begin(), id.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '_';
  });
  if (!plain) {
    say(log, "a statement without a name");
    return engine_failed();
  }
  Result<std::string> body = persist(request("GET", "/v1/query/" + id + "?pruned=true", ""),
                                     steady_clock::now() + kPatience, log);
  if (!body) return body.error().code == Code::kNotFound ? engine_failed() : body.error();
  std::optional<Json> told = Json::parse(*body);
  if (!told) {
    say(log, "what it tells of a statement is no JSON");
    return engine_failed();
  }
  return *std::move(told);
}

}  // namespace discreet::engine::trino
