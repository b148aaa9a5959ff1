// SPDX-License-Identifier: Apache-2.0
#include "server/pgwire/conversation.h"

#include <algorithm>
#include <array>

namespace discreet::server::pgwire {

Conversation::Conversation(Stream& stream, Desk& desk, const Waiting& waiting,
                           ConversationFacts facts)
    : stream_(stream),
      desk_(desk),
      waiting_(waiting),
      facts_(std::move(facts)),
      shelf_(facts_.limits.kept_bytes),
      settings_(facts_.old_names) {}

void Conversation::run() {
  if (!start() || !flush()) return;
  char type = 0;
  std::string body;
  while (!ends_ && next_message(type, body)) {
    if (!dispatch(type, body)) break;
  }
  flush();
}

bool Conversation::flush() {
  const bool is_sent = out_.gathered().empty() || stream_.write(out_.gathered());
  out_.clear();
  return is_sent;
}

/// Messages that are refused for their size count as dispatched.
bool Conversation::next_message(char& type, std::string& body) {
  while (true) {
    if (!stream_.read(&type, 1, -1)) return false;
    char length[4];
    if (!stream_.read(length, 4, facts_.limits.message_ms)) return false;
    Reader in({length, 4});
    const std::int32_t size = in.int32();
    if (size < 4) return fatal(fault_of(Refusal::kProtocol));
    const auto rest = static_cast<std::size_t>(size) - 4;
    if (rest <= facts_.limits.message_bytes) {
      body.resize(rest);
      if (stream_.read(body.data(), rest, facts_.limits.message_ms)) return true;
      return fatal(fault_of(Refusal::kTooSlow));
    }
    if (!read_past(type, rest)) return false;
  }
}

/// What is too large is not kept, and the conversation goes on behind it.
bool Conversation::read_past(char type, std::size_t size) {
  if (size > facts_.limits.past_bytes) return fatal(fault_of(Refusal::kTooLarge));
  const auto end =
      std::chrono::steady_clock::now() + std::chrono::milliseconds(facts_.limits.message_ms);
  std::array<char, 16 << 10> dropped{};
  while (size > 0) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - std::chrono::steady_clock::now());
    const std::size_t part = std::min(size, dropped.size());
    if (!stream_.read(dropped.data(), part,
                      static_cast<int>(std::max<std::int64_t>(left.count(), 0)))) {
      return fatal(fault_of(Refusal::kTooSlow));
    }
    size -= part;
  }
  if (skips_) return true;
  fail(fault_of(Refusal::kTooLarge));
  if (type == 'Q') {
    ready();
    return flush();
  }
  skips_ = true;
  return flush();
}

bool Conversation::dispatch(char type, const std::string& body) {
  Reader in(body);
  if (skips_ && type != 'S' && type != 'X') return true;
  switch (type) {
    case 'Q':
      simple_query(body);
      return flush();
    case 'P':
      attempt(&Conversation::parse, in);
      break;
    case 'B':
      attempt(&Conversation::bind, in);
      break;
    case 'D':
      attempt(&Conversation::describe, in);
      break;
    case 'E':
      attempt(&Conversation::execute, in);
      break;
    case 'C':
      attempt(&Conversation::close, in);
      break;
    case 'H':
      return flush();
    case 'S':
      skips_ = false;
      if (transaction_ == 'I') portals_.clear();
      ready();
      return flush();
    case 'X':
      return false;
    case 'F':
      fail(fault_of(Error{Code::kUnsupported, "function calls are not accepted; write a SELECT"}));
      ready();
      return flush();
    case 'd':
    case 'c':
    case 'f':
      return true;  // of a COPY that was refused
    default:
      return fatal(fault_of(Refusal::kProtocol));
  }
  return skips_ ? flush() : flush_much();  // a client may wait for the error before it sends Sync
}

void Conversation::ready() {
  report_settings();
  for (const std::string& text : settings_.take_warnings()) {
    if (settings_.shows_notices()) write_notice(out_, "setting " + text);
  }
  out_.begin('Z').byte(transaction_).end();
}

void Conversation::fail(const Fault& fault) {
  write_error(out_, fault, ends_ ? "FATAL" : "ERROR");
  if (transaction_ == 'T') transaction_ = 'E';
}

void Conversation::report_settings() {
  auto now = settings_.reported();
  for (auto& [name, value] : now) {
    if (name == "session_authorization") value = user_;
  }
  for (const auto& entry : now) {
    if (std::ranges::count(reported_, entry) > 0) continue;
    out_.begin('S').text(entry.first).text(entry.second).end();
  }
  reported_ = std::move(now);
}

void Conversation::simple_query(const std::string& body) {
  Reader in(body);
  const std::string text = in.text();
  portals_.erase("");
  const auto run = [&]() -> bool {
    if (!in.is_done()) return refuse(Refusal::kProtocol);
    if (!is_text(text)) return refuse(Refusal::kBadEncoding);
    const auto statements = split(text);
    if (!statements) return refuse(statements.error());
    if (statements->empty()) out_.begin('I').end();
    for (const std::string& each : *statements) {
      const auto reading = desk_.reading();
      if (!reading) return refuse(reading.error());
      const auto statement = read_statement(each, *reading->policy);
      if (!statement) return refuse(statement.error());
      Outcome outcome;
      if (!may_run(*statement) || !carry_out(*statement, {}, outcome)) return false;
      if (outcome.rows) {
        send_fields(outcome.rows->fields, {});
        if (!send_rows(*outcome.rows, 0, outcome.rows->count())) return false;
      }
      complete(outcome, outcome.rows ? outcome.rows->count() : 0);
      if (!flush_much()) {
        ends_ = true;
        return refuse(Refusal::kTooSlow);
      }
    }
    return true;
  };
  fault_ = {};
  if (!run()) fail(fault_);
  ready();
}

}  // namespace discreet::server::pgwire
