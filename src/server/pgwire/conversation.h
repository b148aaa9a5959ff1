// SPDX-License-Identifier: Apache-2.0
// One client's conversation, from its first byte to its last: start-up, login, simple and extended
// queries. It runs in the thread of its connection.
//
// W1  Whatever messages come, memory is bounded. From one to the next it keeps `kept_bytes` at most:
//     prepared statements, portals with their values and outcomes, savepoints; more is refused. What
//     is to be sent goes out when it passes kFlushBytes, also where no Sync comes. While it answers
//     a message, it needs kMessageNeeds for it at most, but for the answer to a question, which is
//     as long as it is. A message that is too large is read past and refused; one that has begun
//     must end in time.
// W2  Nothing is answered before a password was proved by SCRAM-SHA-256; a name that nobody has
//     meets the same messages as one that somebody has.
// W3  A question goes through Desk::ask, as over HTTP: caps, limits, deadlines, the audit log.
//     ROLLBACK and cancelling give nothing back.
// W4  Questions are described from their text and the policy; no data is read for it.
// W5  An error's SQLSTATE is that of base/error.h's table, or of the protocol's own (message.h).
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "server/pgcatalog/printer.h"
#include "server/pgwire/desk.h"
#include "server/pgwire/message.h"
#include "server/pgwire/settings.h"
#include "server/pgwire/shelf.h"
#include "server/pgwire/statement.h"
#include "server/pgwire/stream.h"

namespace discreet::server::pgwire {

struct ConversationLimits {
  int startup_ms = 10'000;               ///< from the first byte to the proof of the password
  int message_ms = 30'000;               ///< from a message's first byte to its last
  std::size_t message_bytes = 1 << 20;   ///< more is read past
  std::size_t past_bytes = 256U << 20U;  ///< more ends the connection
  std::size_t prepared_max = 1000;       ///< statements, portals, savepoints: so many of each
  std::size_t kept_bytes = 16U << 20U;   ///< by all of them together
};

inline constexpr std::size_t kFlushBytes = 64U << 10U;
/// The message, its parse tree, and the rows of the catalog, which come in several forms.
inline constexpr std::size_t kMessageNeeds = 96U << 20U;

struct ConversationFacts {
  std::string peer = {};
  std::int32_t process = 0;  ///< what a cancel request names
  std::int32_t secret = 0;
  bool needs_tls = false;
  ConversationLimits limits = {};
  Deprecations old_names = deprecations();  ///< of settings
  /// Whether this account, whose password was proved, may have one more connection; none: it may.
  std::function<bool(const std::string& account)> admit = {};
  /// Another connection's cancel request.
  std::function<void(std::int32_t process, std::int32_t secret)> cancel = {};
};

class Conversation {
 public:
  /// All must outlive it.
  Conversation(Stream& stream, Desk& desk, const Waiting& waiting, ConversationFacts facts);
  /// Until the client or the server ends it.
  void run();

 private:
  /// What a statement gave.
  struct Outcome {
    Formats formats = {};                   ///< that its rows are wanted in
    std::shared_ptr<const Rows> rows = {};  ///< null: it gives none, or all were sent
    std::string tag = {};
  };
  struct Prepared {
    Shelf::Place place;
    Statement statement = {};
    std::vector<Field> fields = {};
    bool is_described = false;
  };
  struct Portal {
    Shelf::Place place;
    std::shared_ptr<Prepared> prepared;
    Cells values = {};
    Formats formats = {};
    std::vector<Field> fields = {};  ///< as described with these values
    bool is_described = false;
    std::optional<Outcome> outcome = {};
    std::size_t next = 0;
  };
  struct Savepoint {
    Shelf::Place place;
    std::string name;
    Settings settings;
  };

  // startup.cc
  bool start();
  bool read_startup(std::string& body);
  bool negotiate(Reader& in, bool& goes_on);
  bool take_parameters(Reader& in, std::int32_t version);
  bool set_options(const std::string& text);
  bool authenticate();
  bool prove(const std::string& mechanism, const std::string& first);
  std::optional<std::string> read_password();
  void welcome();
  int startup_left_ms() const;
  bool fatal(const Fault& fault);

  // conversation.cc
  bool next_message(char& type, std::string& body);
  bool read_past(char type, std::size_t size);
  bool dispatch(char type, const std::string& body);
  void simple_query(const std::string& body);
  void ready();
  void fail(const Fault& fault);
  bool flush();
  /// As W1 says. False: the client is gone.
  bool flush_much() { return out_.gathered().size() <= kFlushBytes || flush(); }
  void report_settings();

  // extended.cc
  /// After a step that fails everything is skipped until Sync.
  void attempt(bool (Conversation::*step)(Reader&), Reader& in);
  // Steps; false: fault_ says why.
  bool parse(Reader& in);
  bool bind(Reader& in);
  bool describe(Reader& in);
  bool execute(Reader& in);
  bool close(Reader& in);
  bool read_values(Reader& in, Portal& portal);
  bool take(Shelf::Place& place, std::size_t bytes);
  void send_fields(const std::vector<Field>& fields, const Formats& formats);
  bool send_rows(const Rows& rows, std::size_t from, std::size_t to);
  void complete(const Outcome& outcome, std::size_t shown);

  // execute.cc: false: fault_ says why.
  bool refuse(const Fault& fault);
  bool refuse(Refusal refusal) { return refuse(fault_of(refusal)); }
  bool refuse(const Error& error) { return refuse(fault_of(error)); }
  bool may_run(const Statement& statement);
  bool carry_out(const Statement& statement, const Cells& values, Outcome& out);
  bool carry_out_setting(const Statement& statement, Outcome& out);
  bool carry_out_transaction(const Statement& statement);
  bool show(const Statement& statement, Outcome& out);
  bool ask(const Statement& statement, const Cells& values, Outcome& out);
  bool tell(const Statement& statement, const Asked& asked, Told& told, const Formats& formats);
  bool encode_rows(std::vector<Field> fields, const std::vector<Cells>& rows,
                   const Formats& formats, Rows& out);
  bool give(std::vector<Field> fields, const std::vector<Cells>& rows, Outcome& out);
  bool explain(const Statement& statement, const Cells& values, Outcome& out);
  bool look_up(const Statement& statement, const Cells& values, Outcome& out);
  bool find_fields(const Statement& statement, const Cells* values, const Formats& formats,
                   std::vector<Field>& fields);
  bool is_still_welcome();
  bool may_ask_now();
  bool waits_its_turn(const std::function<bool()>& may);
  /// A question with its settings, as api::request_of() reads them.
  std::map<std::string, std::string> question_fields(const std::string& sql) const;
  /// Under which it is found in Reading::repeats; none: it is never kept.
  std::optional<std::string> told_key(const Statement& statement,
                                      const std::map<std::string, std::string>& fields,
                                      const Formats& formats) const;
  pgcatalog::Asker asker(const Statement& statement, const Cells& values) const;
  Result<std::string> question_sql(const Statement& statement, const Cells* values) const;
  bool notice(const Told& told, bool is_repeat);

  Stream& stream_;
  Desk& desk_;
  const Waiting waiting_;
  const ConversationFacts facts_;
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  Shelf shelf_;  // outlives what stands on it
  Writer out_;
  Fault fault_;
  Settings settings_;
  std::vector<std::pair<std::string, std::string>> reported_;
  identity::Account account_;
  identity::ScramVerifier verifier_;
  std::string user_;
  std::string database_;
  bool ends_ = false;               ///< after what is being answered
  bool skips_ = false;              ///< until Sync
  char transaction_ = 'I';          ///< I, T or E, as ReadyForQuery says
  std::optional<Settings> before_;  ///< to go back to when the transaction does not commit
  std::vector<Savepoint> savepoints_;
  std::map<std::string, std::string> local_;  ///< what SET LOCAL changed, as it was before
  std::map<std::string, std::shared_ptr<Prepared>> prepared_;
  std::map<std::string, Portal> portals_;
};

}  // namespace discreet::server::pgwire
