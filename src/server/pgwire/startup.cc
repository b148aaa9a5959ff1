// SPDX-License-Identifier: Apache-2.0
// From the first byte to the first ReadyForQuery.
#include <algorithm>

#include "server/identity/password.h"
#include "server/pgcatalog/tables.h"
#include "server/pgwire/conversation.h"

namespace discreet::server::pgwire {
namespace {

constexpr std::int32_t kVersion = 3 << 16;
constexpr std::int32_t kCancel = 80'877'102;
constexpr std::int32_t kTls = 80'877'103;
constexpr std::int32_t kGss = 80'877'104;
constexpr std::size_t kStartupBytes = 10'000;
constexpr std::size_t kPasswordBytes = 4'096;

constexpr const char* kScram = "SCRAM-SHA-256";
constexpr const char* kScramPlus = "SCRAM-SHA-256-PLUS";

/// The value of "x=value" at the front of `rest`, which moves behind the comma after it.
std::optional<std::string> attribute(char name, std::string_view& rest) {
  if (rest.size() < 2 || rest[0] != name || rest[1] != '=') return std::nullopt;
  const std::size_t comma = std::min(rest.find(','), rest.size());
  std::string value(rest.substr(2, comma - 2));
  rest.remove_prefix(std::min(comma + 1, rest.size()));
  return value;
}

}  // namespace

int Conversation::startup_left_ms() const {
  const auto spent = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - began_);
  return std::max(0, facts_.limits.startup_ms - static_cast<int>(spent.count()));
}

bool Conversation::fatal(const Fault& fault) {
  write_error(out_, fault, "FATAL");
  flush();
  return false;
}

bool Conversation::read_startup(std::string& body) {
  char length[4];
  if (!stream_.read(length, 4, startup_left_ms())) return false;
  Reader in({length, 4});
  const auto size = static_cast<std::size_t>(static_cast<std::uint32_t>(in.int32()));
  if (size < 8 || size > kStartupBytes) return fatal(fault_of(Refusal::kProtocol));
  body.resize(size - 4);
  return stream_.read(body.data(), body.size(), startup_left_ms());
}

bool Conversation::start() {
  // TLS, GSS and the start-up message itself: no client sends more.
  for (int i = 0; i < 3; ++i) {
    std::string body;
    if (!read_startup(body)) return false;
    Reader in(body);
    bool goes_on = false;
    if (!negotiate(in, goes_on)) return false;
    if (!goes_on) return authenticate();
  }
  return fatal(fault_of(Refusal::kProtocol));
}

bool Conversation::negotiate(Reader& in, bool& goes_on) {
  const std::int32_t code = in.int32();
  if (code == kTls || code == kGss) {
    const bool is_offered = code == kTls && stream_.can_do_tls() && !stream_.is_secure();
    if (!in.is_done() || !stream_.write(is_offered ? "S" : "N")) return false;
    goes_on = true;
    return !is_offered || stream_.start_tls(startup_left_ms());
  }
  if (code == kCancel) {
    const std::int32_t process = in.int32();
    const std::int32_t secret = in.int32();
    if (in.is_done() && facts_.cancel) facts_.cancel(process, secret);
    return false;
  }
  if (code >> 16 != 3) return fatal(fault_of(Refusal::kProtocol));
  if (facts_.needs_tls && !stream_.is_secure()) return fatal(fault_of(Refusal::kNeedsTls));
  return take_parameters(in, code);
}

bool Conversation::take_parameters(Reader& in, std::int32_t version) {
  std::vector<std::pair<std::string, std::string>> given;
  std::vector<std::string> unknown;  // extensions of the protocol
  for (std::string name = in.text(); !name.empty(); name = in.text()) {
    std::string value = in.text();
    if (!is_text(name) || !is_text(value)) return fatal(fault_of(Refusal::kBadEncoding));
    if (name.starts_with("_pq_.")) {
      unknown.push_back(name);
    } else {
      given.emplace_back(std::move(name), std::move(value));
    }
  }
  if (!in.is_done()) return fatal(fault_of(Refusal::kProtocol));
  if (version != kVersion || !unknown.empty()) {
    out_.begin('v').int32(0).int32(static_cast<std::int64_t>(unknown.size()));
    for (const std::string& name : unknown) out_.text(name);
    out_.end();
  }
  for (const auto& [name, value] : given) {
    if (name == "user") {
      user_ = value;
    } else if (name == "database") {
      database_ = value;
    } else if (name == "options") {
      if (!set_options(value)) return fatal(fault_);
    } else if (const auto set = settings_.set(name, value); !set) {
      return fatal(fault_of(set.error()));
    }
  }
  if (user_.empty()) return fatal(fault_of(Refusal::kProtocol));
  return true;
}

/// "-c name=value --name=value", with \ before spaces that do not separate.
bool Conversation::set_options(const std::string& text) {
  std::vector<std::string> words(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) {
      words.back() += text[++i];
    } else if (text[i] != ' ') {
      words.back() += text[i];
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string word = words[i];
    if (word.empty()) continue;
    if (word == "-c" && i + 1 < words.size()) {
      word = words[++i];
    } else if (word.starts_with("-c") || word.starts_with("--")) {
      word = word.substr(2);
    } else {
      return refuse(invalid_input("options are written -c name=value"));
    }
    const std::size_t equals = word.find('=');
    if (equals == word.npos) return refuse(invalid_input("options are written -c name=value"));
    const auto set = settings_.set(word.substr(0, equals), word.substr(equals + 1));
    if (!set) return refuse(set.error());
  }
  return true;
}

std::optional<std::string> Conversation::read_password() {
  char head[5];
  if (!flush() || !stream_.read(head, 5, startup_left_ms())) return std::nullopt;
  Reader in({head, 5});
  const bool is_password = in.byte() == 'p';
  const auto size = static_cast<std::size_t>(static_cast<std::uint32_t>(in.int32()));
  if (!is_password || size < 4 || size > kPasswordBytes) {
    fatal(fault_of(Refusal::kProtocol));
    return std::nullopt;
  }
  std::string body(size - 4, '\0');
  if (!stream_.read(body.data(), body.size(), startup_left_ms())) return std::nullopt;
  return body;
}

bool Conversation::authenticate() {
  if (!waits_its_turn([this] { return desk_.may_log_in(facts_.peer); })) return fatal(fault_);
  fault_ = {};
  out_.begin('R').int32(10);
  if (stream_.is_secure()) out_.text(kScramPlus);
  out_.text(kScram).text("").end();
  const auto body = read_password();
  if (!body) return false;
  Reader in(*body);
  const std::string mechanism = in.text();
  const std::int32_t size = in.int32();
  const bool is_known = mechanism == kScram || (mechanism == kScramPlus && stream_.is_secure());
  if (!is_known || size < 0 || static_cast<std::size_t>(size) != in.left()) {
    return fatal(fault_of(Refusal::kProtocol));
  }
  const std::string first(in.bytes(in.left()));
  if (!is_text(first)) return fatal(fault_of(Refusal::kProtocol));
  if (!prove(mechanism, first)) return fatal(fault_);
  if (account_.role == identity::Role::kAuditor) return fatal(fault_of(Refusal::kNotAllowed));
  const bool is_here = database_.empty() || database_ == user_ || database_ == "postgres" ||
                       database_ == pgcatalog::kDatabaseName;
  if (!is_here) return fatal(fault_of(Refusal::kUnknownDatabase));
  if (facts_.admit && !facts_.admit(account_.name)) {
    return fatal(fault_of(Refusal::kTooManyConnections));
  }
  welcome();
  return true;
}

/// RFC 5802. False: fault_ says why.
bool Conversation::prove(const std::string& mechanism, const std::string& first) {
  const auto broken = [this] { return refuse(Refusal::kProtocol); };
  const bool binds = mechanism == kScramPlus;
  std::string_view rest = first;
  const std::size_t header_end = rest.find(',', rest.find(',') + 1);
  if (rest.find(',') == rest.npos || header_end == rest.npos) return broken();
  const std::string header(rest.substr(0, header_end + 1));
  rest.remove_prefix(header_end + 1);
  // 'y': the client could bind and believes that the server cannot; if it can, somebody in between
  // took the offer away.
  const bool header_fits = binds ? header == "p=tls-server-end-point,,"
                                 : header == "n,," || (header == "y,," && !stream_.is_secure());
  const std::string bare(rest);
  if (!header_fits || !attribute('n', rest)) return broken();
  const auto client_nonce = attribute('r', rest);
  if (!client_nonce || client_nonce->empty()) return broken();
  const auto fresh = identity::fresh_secret();
  const auto verifier = desk_.verifier(user_);
  if (!fresh || !verifier) return refuse(!fresh ? fresh.error() : verifier.error());
  verifier_ = *verifier;
  const std::string nonce = *client_nonce + *fresh;
  const std::string server_first = "r=" + nonce + ",s=" + identity::to_base64(verifier_.salt) +
                                   ",i=" + std::to_string(verifier_.rounds);
  out_.begin('R').int32(11).bytes(server_first).end();
  const auto last = read_password();
  if (!last) return refuse(Refusal::kProtocol);
  std::string_view final_rest = *last;
  const auto binding = attribute('c', final_rest);
  const auto echoed = attribute('r', final_rest);
  const auto proof_text = attribute('p', final_rest);
  if (!binding || !echoed || !proof_text) return broken();
  const std::size_t proof_at = last->rfind(",p=");
  const std::string expected =
      identity::to_base64(header + (binds ? stream_.channel_binding() : ""));
  if (*binding != expected || *echoed != nonce) return broken();
  const auto proof = identity::from_base64(*proof_text);
  const std::string messages = bare + "," + server_first + "," + last->substr(0, proof_at);
  const auto account =
      desk_.prove({user_, facts_.peer, verifier_, messages, proof.value_or(std::string())});
  if (!account) return refuse(account.error());
  if (!*account) return refuse(Refusal::kWrongPassword);
  account_ = **account;
  out_.begin('R').int32(12);
  out_.bytes("v=" + identity::to_base64(identity::server_signature(verifier_, messages))).end();
  return true;
}

void Conversation::welcome() {
  settings_.keep_as_defaults();
  out_.begin('R').int32(0).end();
  report_settings();
  out_.begin('K').int32(facts_.process).int32(facts_.secret).end();
  ready();
}

}  // namespace discreet::server::pgwire
