// SPDX-License-Identifier: Apache-2.0
// A client that says what it was told to, after logging in, to a desk that makes answers up. For
// the tests and the fuzzer: no sockets, no ledger, no data.
#pragma once

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ledger/seal.h"
#include "server/pgwire/conversation.h"
#include "sql/clinic_for_tests.h"
#include "sql/query.h"

namespace discreet::server::pgwire {

/// A message of a client, or one that begins a conversation when `type` is 0.
inline std::string message(char type, const std::string& body) {
  Writer out;
  if (type != 0) out.byte(type);
  out.int32(static_cast<std::int64_t>(body.size()) + 4).bytes(body);
  return out.gathered();
}

inline std::string zero_ended(const std::string& text) { return text + '\0'; }

inline std::string startup(const std::string& user, const std::string& more = {}) {
  return message(0,
                 std::string("\0\3\0\0", 4) + zero_ended("user") + zero_ended(user) + more + '\0');
}

/// Everybody's password is the key itself, so that no password needs to be hashed.
inline std::string client_key() { return std::string(32, 'k'); }

inline identity::ScramVerifier test_verifier() {
  const Hash stored = ledger::sha256(client_key());
  return {.salt = std::string(16, 's'),
          .rounds = 1,
          .stored_key = std::string(stored.begin(), stored.end()),
          .server_key = std::string(32, 'v')};
}

/// RFC 5802's ClientKey of a password.
inline std::string client_key(const std::string& password, const std::string& salt, int rounds) {
  std::string salted(32, '\0');
  std::string key(32, '\0');
  const auto bytes = [](std::string& text) {
    return reinterpret_cast<unsigned char*>(text.data());
  };
  std::string copy = salt;
  PKCS5_PBKDF2_HMAC(password.data(), static_cast<int>(password.size()), bytes(copy),
                    static_cast<int>(copy.size()), rounds, EVP_sha256(), 32, bytes(salted));
  unsigned size = 0;
  HMAC(EVP_sha256(), salted.data(), 32, reinterpret_cast<const unsigned char*>("Client Key"), 10,
       bytes(key), &size);
  return key;
}

/// Answers each question with two made-up rows for each of its columns.
class MadeUpDesk final : public Desk {
 public:
  explicit MadeUpDesk(std::shared_ptr<pgcatalog::Catalog> catalog) : catalog_(std::move(catalog)) {}

  bool may_log_in(const std::string&) override { return true; }
  Result<identity::ScramVerifier> verifier(const std::string& name) override {
    if (name == "ann") return test_verifier();
    return identity::mock_verifier("secret", name, 1);
  }
  Result<std::optional<identity::Account>> prove(const identity::ScramTry& given) override {
    logins.push_back(identity::is_proof(given.verifier, given.messages, given.proof));
    if (!logins.back()) return std::optional<identity::Account>{};
    return account(given.name, given.verifier);
  }
  Result<std::optional<identity::Account>> account(const std::string& name,
                                                   const identity::ScramVerifier&) override {
    if (name != "ann" || is_removed) return std::optional<identity::Account>{};
    return std::optional(identity::Account{name, identity::Role::kAnalyst});
  }
  bool may_ask(const std::string&) override { return true; }
  bool may_look_up(const std::string&) override { return true; }
  Result<Reading> reading() override {
    return Reading{nullptr, &sql::clinic(), catalog_, repeats_};
  }
  Result<std::string> left(const std::string&, const std::string&) override {
    return std::string("epsilon 9");
  }
  void note_repeat() override { ++repeats; }
  Result<session::Explanation> explain(const session::Request& request) override {
    DISCREET_TRY(sql::bind(request.sql, request.options, sql::clinic()));
    session::Explanation explanation;
    explanation.price = "epsilon 1";
    return explanation;
  }
  Result<std::optional<Asked>> ask(const session::Request& request, const Waiting&,
                                   const std::function<bool()>&) override {
    DISCREET_ASSIGN(const sql::Query query, sql::bind(request.sql, request.options, sql::clinic()));
    asked.push_back(request.sql);
    Asked out;
    for (const sql::Output& output : query.outputs) {
      out.sheet.columns.push_back({output.name, output.is_key, !output.is_key, output.type});
    }
    static const std::map<policy::Type, std::string> kValues = {
        {policy::Type::kBoolean, "true"},    {policy::Type::kInteger, "42"},
        {policy::Type::kDecimal, "-1.25"},   {policy::Type::kText, "north"},
        {policy::Type::kDate, "2024-01-02"}, {policy::Type::kTimestamp, "2024-01-02 03:04:05"}};
    for (int row = 0; row < 3; ++row) {
      std::vector<session::AnswerCell> cells;
      for (const session::AnswerColumn& column : out.sheet.columns) {
        const std::string& value = kValues.at(column.type);
        cells.push_back({value, true, row == 0 ? std::nullopt : std::optional(value), value});
      }
      out.sheet.rows.push_back(std::move(cells));
    }
    out.sheet.epsilon = "1";
    out.sheet.delta = "0";
    out.sheet.units = "patients";
    out.repeated = std::ranges::count(asked, request.sql) > 1;
    if (out.repeated) out.repeats = repeats_;
    return std::optional(std::move(out));
  }

  std::vector<bool> logins;
  std::vector<std::string> asked;
  bool is_removed = false;
  int repeats = 0;  ///< that were ready

 private:
  std::shared_ptr<Kept<Told>> repeats_ = std::make_shared<Kept<Told>>(1 << 20);
  std::shared_ptr<pgcatalog::Catalog> catalog_;
};

/// Logs in as `user`, then sends `rest`.
class Script final : public Stream {
 public:
  Script(std::string user, std::string rest, bool is_right = true)
      : user_(std::move(user)), rest_(std::move(rest)), is_right_(is_right) {}
  /// Logs in with a real password, sends `rest` and hangs up.
  static Script with_password(std::string user, std::string password, std::string rest = {}) {
    Script script(std::move(user), std::move(rest));
    script.password_ = std::move(password);
    return script;
  }
  /// Sends just these bytes.
  static Script raw(std::string bytes) {
    Script script("", std::move(bytes));
    script.step_ = 3;
    return script;
  }

  bool read(char* to, std::size_t size, int) override {
    while (to_read_.size() < size) {
      const std::string more = next();
      if (more.empty()) return false;
      to_read_ += more;
    }
    std::memcpy(to, to_read_.data(), size);
    to_read_.erase(0, size);
    return true;
  }
  bool write(std::string_view bytes) override {
    written += bytes;
    return true;
  }
  bool start_tls(int) override { return false; }
  bool can_do_tls() const override { return false; }
  bool is_secure() const override { return false; }
  std::string channel_binding() const override { return ""; }
  bool is_gone() override { return false; }

  std::string written;

 private:
  std::string next() {
    switch (step_++) {
      case 0:
        return startup(user_);
      case 1: {
        Writer body;
        body.text("SCRAM-SHA-256").int32(static_cast<std::int64_t>(3 + bare_.size()));
        body.bytes("n,," + bare_);
        return message('p', body.gathered());
      }
      case 2: {
        const std::size_t at = written.find("r=abc");
        if (at == std::string::npos) return "";
        const std::string server_first = written.substr(at);  // the last that was written
        const std::string end = "c=biws," + server_first.substr(0, server_first.find(','));
        std::string proof = is_right_ ? client_key() : std::string(32, 'x');
        if (password_) {
          const std::size_t salt_at = server_first.find(",s=") + 3;
          const std::size_t rounds_at = server_first.find(",i=");
          proof = client_key(
              *password_,
              identity::from_base64(server_first.substr(salt_at, rounds_at - salt_at)).value(),
              std::stoi(server_first.substr(rounds_at + 3)));
        }
        identity::ScramVerifier keyed;  // by the stored key, as the server's is by its own
        const Hash stored = ledger::sha256(password_ ? proof : client_key());
        keyed.server_key = std::string(stored.begin(), stored.end());
        const std::string signature =
            identity::server_signature(keyed, bare_ + "," + server_first + "," + end);
        for (std::size_t i = 0; i < proof.size(); ++i) {
          proof[i] = static_cast<char>(proof[i] ^ signature[i]);
        }
        return message('p', end + ",p=" + identity::to_base64(proof));
      }
      case 3:
        return rest_;
      default:
        return "";
    }
  }

  std::string user_;
  std::string rest_;
  bool is_right_;
  std::optional<std::string> password_;
  const std::string bare_ = "n=,r=abc";
  int step_ = 0;
  std::string to_read_;
};

/// The types of the server's messages, in order, and the SQLSTATEs of the errors among them:
/// "R R S S K Z E(42704) Z".
inline std::string outline(const std::string& bytes, std::size_t skip = 0) {
  std::string out;
  std::size_t count = 0;
  for (std::size_t at = 0; at + 5 <= bytes.size();) {
    const char type = bytes[at];
    Reader in(std::string_view(bytes).substr(at + 1));
    const auto size = static_cast<std::size_t>(in.int32());
    if (++count > skip) {
      out += (out.empty() ? "" : " ") + std::string(1, type);
      const std::string_view body = std::string_view(bytes).substr(at + 5, size - 4);
      if (type == 'E') {
        const std::size_t code = body.find(std::string("\0C", 2));
        out += "(" + std::string(body.substr(code + 2, 5)) + ")";
      }
      if (type == 'Z') out += body;
      if (type == 'C') out += "(" + std::string(body.substr(0, body.size() - 1)) + ")";
    }
    at += size + 1;
  }
  return out;
}

}  // namespace discreet::server::pgwire
