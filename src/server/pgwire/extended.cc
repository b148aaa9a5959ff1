// SPDX-License-Identifier: Apache-2.0
// Parse, Bind, Describe, Execute, Close.
#include <algorithm>

#include "server/pgwire/conversation.h"

namespace discreet::server::pgwire {
namespace {

/// About what a thing in a map takes beside what it says of itself.
constexpr std::size_t kEntryBytes = 1024;

std::size_t bytes_of(const std::vector<Field>& fields) {
  std::size_t bytes = 0;
  for (const Field& field : fields) bytes += sizeof(Field) + field.name.size();
  return bytes;
}

std::size_t bytes_of(const Rows& rows) {
  return bytes_of(rows.fields) + rows.messages.size() + sizeof(std::size_t) * rows.ends.size();
}

std::size_t bytes_of(const Statement& statement) {
  std::size_t bytes = statement.text.size() + statement.name.size() + statement.value.size() +
                      sizeof(TypeId) * statement.parameters.size();
  for (const IntervalColumn& each : statement.intervals) {
    bytes += sizeof(each) + each.of.size() + each.name.size();
  }
  return bytes + (statement.tree ? statement.tree->bytes() : 0);
}

}  // namespace

/// Whether so many more bytes may be kept.
bool Conversation::take(Shelf::Place& place, std::size_t bytes) {
  return place.take(bytes) || refuse(Refusal::kTooMuchKept);
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
  prepared_.erase(name);
  if (prepared_.size() >= facts_.limits.prepared_max) return refuse(Refusal::kTooMuchKept);
  auto made = std::make_shared<Prepared>(Prepared{.place = shelf_.place()});
  if (!take(made->place, kEntryBytes + 2 * name.size() + bytes_of(*statement))) return false;
  made->statement = std::move(*statement);
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
    if (!take(portal.place, value->size())) return false;
    portal.values.emplace_back(std::move(*value));
  }
  return true;
}

bool Conversation::bind(Reader& in) {
  const std::string name = in.text();
  const std::string statement = in.text();
  const auto found = prepared_.find(statement);
  if (!in.is_sound()) return refuse(Refusal::kProtocol);
  if (!is_text(name)) return refuse(Refusal::kBadEncoding);
  if (found == prepared_.end()) return refuse(Refusal::kUnknownStatement);
  portals_.erase(name);
  if (portals_.size() >= facts_.limits.prepared_max) return refuse(Refusal::kTooMuchKept);
  Portal portal{.place = shelf_.place(), .prepared = found->second};
  const std::size_t values = portal.prepared->statement.parameters.size();
  const std::size_t own = kEntryBytes + 2 * name.size() + values * sizeof(Cells::value_type);
  if (!take(portal.place, own) || !read_values(in, portal)) return false;
  const std::int16_t formats = in.int16();
  for (std::int16_t i = 0; i < formats && in.is_sound(); ++i) {
    portal.formats.push_back(in.int16() == 1);
  }
  if (!in.is_done()) return refuse(Refusal::kProtocol);
  if (!may_run(portal.prepared->statement)) return false;
  if (!take(portal.place, portal.formats.size())) return false;
  portals_.insert_or_assign(name, std::move(portal));
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
    std::vector<Field> fields;
    if (!find_fields(statement, &portal.values, portal.formats, fields)) return false;
    portal.place.give_back(bytes_of(portal.fields));
    portal.fields.clear();
    if (!take(portal.place, bytes_of(fields))) return false;
    portal.fields = std::move(fields);
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
    prepared.place.give_back(bytes_of(prepared.fields));
    prepared.fields.clear();
    if (!take(prepared.place, bytes_of(fields))) return false;
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
  Outcome& outcome = *portal.outcome;
  const std::size_t all = outcome.rows ? outcome.rows->count() : 0;
  const std::size_t left = all - portal.next;
  const std::size_t shown = most > 0 ? std::min(left, static_cast<std::size_t>(most)) : left;
  // What stays for the next Execute is kept; what is sent whole is not.
  if (shown < left && portal.next == 0 && !take(portal.place, bytes_of(*outcome.rows))) {
    portal.outcome.reset();
    return false;
  }
  if (shown > 0 && !send_rows(*outcome.rows, portal.next, portal.next + shown)) return false;
  portal.next += shown;
  if (portal.next < all) {
    out_.begin('s').end();
    return true;
  }
  complete(outcome, shown);
  if (shown < all) portal.place.give_back(bytes_of(*outcome.rows));
  outcome.rows = nullptr;
  portal.next = 0;
  return true;
}

bool Conversation::close(Reader& in) {
  const std::uint8_t what = in.byte();
  const std::string name = in.text();
  if (!in.is_done() || (what != 'S' && what != 'P')) return refuse(Refusal::kProtocol);
  if (what == 'P') portals_.erase(name);
  const auto found = prepared_.find(name);
  if (what == 'S' && found != prepared_.end()) prepared_.erase(found);
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
  for (std::string_view rest = rows.between(from, to); !rest.empty();) {
    const std::string_view part = rest.substr(0, kFlushBytes);
    out_.bytes(part);
    rest.remove_prefix(part.size());
    if (!flush_much()) {
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
