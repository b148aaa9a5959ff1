// SPDX-License-Identifier: Apache-2.0
#include "server/pgwire/message.h"

#include <array>

#include "base/check.h"
#include "server/http/message.h"

namespace discreet::server::pgwire {
namespace {

struct RefusalFacts {
  Refusal refusal;
  std::string_view sqlstate;
  std::string_view message;
};

constexpr std::array<RefusalFacts, 21> kRefusals = {{
    {Refusal::kProtocol, "08P01", "this is not a well-formed message of PostgreSQL's protocol"},
    {Refusal::kTooManyConnections, "53300", "there are too many connections; close some"},
    {Refusal::kWrongPassword, "28P01", "not this name and password"},
    {Refusal::kNotAllowed, "28000", "your role may not ask questions"},
    {Refusal::kNeedsTls, "28000", "this server wants TLS; connect with sslmode=require"},
    {Refusal::kTooLarge, "54000", "the message is larger than this server accepts"},
    {Refusal::kTooMuchKept, "54000",
     "this connection keeps too much; close statements, portals and savepoints, or fetch all rows "
     "at once"},
    {Refusal::kTooSlow, "57P05", "the message did not arrive in time"},
    {Refusal::kStopping, "57P01", "the server is stopping"},
    {Refusal::kCancelled, "57014",
     "cancelled; the question is charged, and its answer is free to ask for again"},
    {Refusal::kUnknownDatabase, "3D000", "there is one database here: discreet"},
    {Refusal::kUnknownStatement, "26000", "there is no prepared statement of this name"},
    {Refusal::kUnknownPortal, "34000", "there is no portal of this name"},
    {Refusal::kDuplicateStatement, "42P05", "there is a prepared statement of this name already"},
    {Refusal::kFailedTransaction, "25P02",
     "the transaction has failed; nothing is accepted until ROLLBACK"},
    {Refusal::kNoTransaction, "25P01",
     "there is no transaction for a savepoint; write BEGIN first"},
    {Refusal::kUntypedParameter, "42P18",
     "the type of a parameter cannot be told; write it as $1::bigint, say"},
    {Refusal::kParameterCount, "08P01", "the number of parameters is not the statement's"},
    {Refusal::kBadEncoding, "22021", "text must be UTF-8 without zero bytes"},
    {Refusal::kTooManyRequests, "53400", "too many requests; wait and try again"},
    {Refusal::kChangedColumns, "0A000",
     "the policy has changed since the statement was prepared; prepare it again"},
}};

}  // namespace

std::uint64_t Reader::number(std::size_t size) {
  if (rest_.size() < size) {
    is_sound_ = false;
    rest_ = {};
    return 0;
  }
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < size; ++i) {
    value = value << 8U | static_cast<unsigned char>(rest_[i]);
  }
  rest_.remove_prefix(size);
  return value;
}

std::uint8_t Reader::byte() { return static_cast<std::uint8_t>(number(1)); }
std::int16_t Reader::int16() { return static_cast<std::int16_t>(number(2)); }
std::int32_t Reader::int32() { return static_cast<std::int32_t>(number(4)); }
std::int64_t Reader::int64() { return static_cast<std::int64_t>(number(8)); }

std::string Reader::text() {
  const std::size_t end = rest_.find('\0');
  if (end == rest_.npos) {
    is_sound_ = false;
    rest_ = {};
    return "";
  }
  std::string out(rest_.substr(0, end));
  rest_.remove_prefix(end + 1);
  return out;
}

std::string_view Reader::bytes(std::size_t size) {
  if (rest_.size() < size) {
    is_sound_ = false;
    rest_ = {};
    return {};
  }
  const std::string_view out = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return out;
}

void Writer::big_endian(std::uint64_t value, std::size_t size) {
  for (std::size_t i = size; i > 0; --i) {
    out_ += static_cast<char>(value >> (8U * (i - 1)) & 0xFFU);
  }
}

Writer& Writer::begin(char type) {
  out_ += type;
  length_at_ = reserve();
  return *this;
}
Writer& Writer::byte(char value) {
  out_ += value;
  return *this;
}
Writer& Writer::int16(std::int64_t value) {
  big_endian(static_cast<std::uint64_t>(value), 2);
  return *this;
}
Writer& Writer::int32(std::int64_t value) {
  big_endian(static_cast<std::uint64_t>(value), 4);
  return *this;
}
Writer& Writer::int64(std::int64_t value) {
  big_endian(static_cast<std::uint64_t>(value), 8);
  return *this;
}
Writer& Writer::text(std::string_view value) {
  out_ += value.substr(0, value.find('\0'));
  out_ += '\0';
  return *this;
}
Writer& Writer::bytes(std::string_view value) {
  out_ += value;
  return *this;
}
void Writer::end() { fill(length_at_, static_cast<std::int64_t>(out_.size() - length_at_)); }

std::size_t Writer::reserve() {
  out_.append(4, '\0');
  return out_.size() - 4;
}
void Writer::fill(std::size_t place, std::int64_t value) {
  for (std::size_t i = 0; i < 4; ++i) {
    out_[place + i] =
        static_cast<char>(static_cast<std::uint64_t>(value) >> (24U - 8U * i) & 0xFFU);
  }
}

Fault fault_of(Refusal refusal) {
  const RefusalFacts& facts = kRefusals[static_cast<std::size_t>(refusal)];
  DISCREET_CHECK(facts.refusal == refusal);
  return {std::string(facts.sqlstate), std::string(facts.message)};
}

Fault fault_of(const Error& error) {
  return {std::string(describe(error.code).sqlstate), std::string(http::shown_message(error))};
}

void write_error(Writer& out, const Fault& fault, std::string_view severity) {
  out.begin('E');
  out.byte('S').text(severity).byte('V').text(severity);
  out.byte('C').text(fault.sqlstate).byte('M').text(fault.message);
  if (!fault.hint.empty()) out.byte('H').text(fault.hint);
  out.byte('\0').end();
}

void write_notice(Writer& out, std::string_view message, std::string_view detail) {
  out.begin('N');
  out.byte('S').text("NOTICE").byte('V').text("NOTICE");
  out.byte('C').text("00000").byte('M').text(message);
  if (!detail.empty()) out.byte('D').text(detail);
  out.byte('\0').end();
}

bool is_text(std::string_view bytes) {
  for (std::size_t i = 0; i < bytes.size();) {
    const auto first = static_cast<unsigned char>(bytes[i]);
    if (first == 0) return false;
    const std::size_t size = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    if ((first >= 0x80 && first < 0xC2) || first > 0xF4 || i + size > bytes.size()) return false;
    std::uint32_t code = size == 1 ? first : first & (0x7FU >> size);
    for (std::size_t k = 1; k < size; ++k) {
      const auto next = static_cast<unsigned char>(bytes[i + k]);
      if ((next & 0xC0U) != 0x80) return false;
      code = code << 6U | (next & 0x3FU);
    }
    constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
    if (code < kLeast[size] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return false;
    i += size;
  }
  return true;
}

}  // namespace discreet::server::pgwire
