// SPDX-License-Identifier: Apache-2.0
// Parse, Bind, Describe, Execute, Close.
#include <algorithm>

#include "server/pgwire/conversation.h"

namespace discreet::server::pgwire {

/// Whether so many more bytes may be kept.
bool Conversation::make_room(std::size_t bytes) {
  const ConversationLimits& limits = facts_.limits;
  if (prepared_.size() < limits.prepared_max && portals_.size() < limits.prepared_max &&
      prepared_bytes_ + bytes <= limits.prepared_bytes) {
    return true;
  }
  return refuse(Refusal::kTooLarge);
}

void Conversation::attempt(bool (Conversation::*step)(Reader&), Reader& in) {
  fault_ = {};
  if ((this->*step)(in)) return;
  fail(fault_);
  skips_ = true;
}

bool Conversation::parse(Reader& in) {
  const std::string name = in.text();
  const std::string text = in.text();
  const std::int16_t count = in.int16();
  std::vector<TypeId> types;
  for (std::int16_t i = 0; i < count && in.is_sound(); ++i) {
    types.push_back(static_cast<TypeId>(in.int32()));
  }
  if (!in.is_done()) return refuse(Refusal::kProtocol);
  if (!is_text(text) || !is_text(name)) return refuse(Refusal::kBadEncoding);
  if (!name.empty() && prepared_.contains(name)) return refuse(Refusal::kDuplicateStatement);
  const auto statements = split(text);
  if (!statements) return refuse(statements.error());
  if (statements->size() > 1) {
    return refuse(invalid_input("a prepared statement is one statement; send them one by one"));
  }
  const auto reading = desk_.reading();
  if (!reading) return refuse(reading.error());
  auto statement =
      read_statement(statements->empty() ? "" : statements->front(), *reading->policy, types);
  if (!statement) return refuse(statement.error());
  if (std::ranges::count(statement->parameters, TypeId{0}) > 0) {
    return refuse(Refusal::kUntypedParameter);
  }
  if (!may_run(*statement)) return false;
  // A parse tree is some ten times its text.
  const std::size_t bytes = 16 * text.size() + 1024;
  if (const auto old = prepared_.find(name); old != prepared_.end()) {
    prepared_bytes_ -= old->second->bytes;
    prepared_.erase(old);
  }
  if (!make_room(bytes)) return false;
  auto made = std::make_shared<Prepared>();
  made->statement = std::move(*statement);
  made->bytes = bytes;
  prepared_bytes_ += bytes;
  prepared_[name] = std::move(made);
  out_.begin('1').end();
  return true;
}

bool Conversation::read_values(Reader& in, Portal& portal) {
  const std::vector<TypeId>& types = portal.prepared->statement.parameters;
  std::vector<bool> is_binary;
  const std::int16_t formats = in.int16();
  for (std::int16_t i = 0; i < formats && in.is_sound(); ++i) is_binary.push_back(in.int16() == 1);
  const std::int16_t count = in.int16();
  if (!in.is_sound() || count < 0 || formats < 0 || (formats > 1 && formats != count)) {
    return refuse(Refusal::kProtocol);
  }
  if (static_cast<std::size_t>(count) != types.size()) return refuse(Refusal::kParameterCount);
  is_binary.resize(types.size(), formats == 1 && is_binary[0]);
  for (std::size_t i = 0; i < types.size(); ++i) {
    const std::int32_t size = in.int32();
    if (size == -1) {
      portal.values.emplace_back();
      continue;
    }
    const std::string_view bytes =
        size < 0 ? std::string_view{} : in.bytes(static_cast<std::size_t>(size));
    if (size < 0 || !in.is_sound()) return refuse(Refusal::kProtocol);
    if (!is_binary[i] && !is_text(bytes)) return refuse(Refusal::kBadEncoding);
    auto value = read_value(types[i], is_binary[i], bytes);
    if (!value) return refuse(value.error());
    portal.values.emplace_back(std::move(*value));
  }
  return true;
}

bool Conversation::bind(Reader& in) {
  const std::string name = in.text();
  const std::string statement = in.text();
  const std::size_t bytes = in.left();
  const auto found = prepared_.find(statement);
  if (!in.is_sound()) return refuse(Refusal::kProtocol);
  if (found == prepared_.end()) return refuse(Refusal::kUnknownStatement);
  Portal portal{.prepared = found->second};
  if (!read_values(in, portal)) return false;
  const std::int16_t formats = in.int16();
  for (std::int16_t i = 0; i < formats && in.is_sound(); ++i) {
    portal.formats.push_back(in.int16() == 1);
  }
  if (!in.is_done()) return refuse(Refusal::kProtocol);
  if (!may_run(portal.prepared->statement) || !make_room(bytes)) return false;
  portals_[name] = std::move(portal);
  out_.begin('2').end();
  return true;
}

bool Conversation::describe(Reader& in) {
  const std::uint8_t what = in.byte();
  const std::string name = in.text();
  if (!in.is_done() || (what != 'S' && what != 'P')) return refuse(Refusal::kProtocol);
  if (what == 'P') {
    const auto found = portals_.find(name);
    if (found == portals_.end()) return refuse(Refusal::kUnknownPortal);
    Portal& portal = found->second;
    const Statement& statement = portal.prepared->statement;
    if (!statement.gives_rows()) {
      out_.begin('n').end();
      return true;
    }
    if (!find_fields(statement, &portal.values, portal.formats, portal.fields)) return false;
    portal.is_described = true;
    send_fields(portal.fields, portal.formats);
    return true;
  }
  const auto found = prepared_.find(name);
  if (found == prepared_.end()) return refuse(Refusal::kUnknownStatement);
  Prepared& prepared = *found->second;
  const Statement& statement = prepared.statement;
  std::vector<Field> fields;
  if (statement.gives_rows() && !find_fields(statement, nullptr, {}, fields)) return false;
  out_.begin('t').int16(static_cast<std::int64_t>(statement.parameters.size()));
  for (const TypeId type : statement.parameters) out_.int32(type);
  out_.end();
  if (statement.gives_rows()) {
    prepared.fields = fields;
    prepared.is_described = true;
    send_fields(fields, {});
  } else {
    out_.begin('n').end();
  }
  return true;
}

bool Conversation::execute(Reader& in) {
  const std::string name = in.text();
  const std::int32_t most = in.int32();
  if (!in.is_done()) return refuse(Refusal::kProtocol);
  const auto found = portals_.find(name);
  if (found == portals_.end()) return refuse(Refusal::kUnknownPortal);
  Portal& portal = found->second;
  if (!portal.outcome) {
    Outcome outcome{.formats = portal.formats};
    if (!may_run(portal.prepared->statement) ||
        !carry_out(portal.prepared->statement, portal.values, outcome)) {
      return false;
    }
    // What the client was told of the columns must hold.
    const Prepared& prepared = *portal.prepared;
    if (outcome.rows && ((portal.is_described && portal.fields != outcome.rows->fields) ||
                         (prepared.is_described && prepared.fields != outcome.rows->fields))) {
      return refuse(Refusal::kChangedColumns);
    }
    portal.outcome = std::move(outcome);
  }
  const Outcome& outcome = *portal.outcome;
  const std::size_t all = outcome.rows ? outcome.rows->count() : 0;
  const std::size_t left = all - portal.next;
  const std::size_t shown = most > 0 ? std::min(left, static_cast<std::size_t>(most)) : left;
  if (shown > 0 && !send_rows(*outcome.rows, portal.next, portal.next + shown)) return false;
  portal.next += shown;
  if (portal.next < all) {
    out_.begin('s').end();
  } else {
    complete(outcome, shown);
  }
  return true;
}

bool Conversation::close(Reader& in) {
  const std::uint8_t what = in.byte();
  const std::string name = in.text();
  if (!in.is_done() || (what != 'S' && what != 'P')) return refuse(Refusal::kProtocol);
  if (what == 'P') portals_.erase(name);
  const auto found = prepared_.find(name);
  if (what == 'S' && found != prepared_.end()) {
    prepared_bytes_ -= found->second->bytes;
    prepared_.erase(found);
  }
  out_.begin('3').end();
  return true;
}

void Conversation::send_fields(const std::vector<Field>& fields, const Formats& formats) {
  out_.begin('T').int16(static_cast<std::int64_t>(fields.size()));
  for (std::size_t i = 0; i < fields.size(); ++i) {
    out_.text(fields[i].name).int32(0).int16(0).int32(fields[i].type);
    out_.int16(size_of(fields[i].type)).int32(-1).int16(is_binary(formats, i) ? 1 : 0);
  }
  out_.end();
}

bool Conversation::send_rows(const Rows& rows, std::size_t from, std::size_t to) {
  constexpr std::size_t kFlushBytes = 64 << 10;
  for (std::string_view rest = rows.between(from, to); !rest.empty();) {
    const std::string_view part = rest.substr(0, kFlushBytes);
    out_.bytes(part);
    rest.remove_prefix(part.size());
    if (out_.gathered().size() > kFlushBytes && !flush()) {
      ends_ = true;
      return refuse(Refusal::kTooSlow);
    }
  }
  return true;
}

void Conversation::complete(const Outcome& outcome, std::size_t shown) {
  if (outcome.tag.empty()) {
    out_.begin('I').end();
    return;
  }
  const bool counts = outcome.tag == "SELECT";
  out_.begin('C').text(counts ? "SELECT " + std::to_string(shown) : outcome.tag).end();
}

}  // namespace discreet::server::pgwire
