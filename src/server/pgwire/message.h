// SPDX-License-Identifier: Apache-2.0
// The bytes of PostgreSQL's protocol, version 3: reading what a client sent, writing messages.
//
//   message = type (1 byte, absent at start-up) length (int32, itself included) body
//   Integers have the most significant byte first; texts end with a zero byte.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"

namespace discreet::server::pgwire {

/// Reads a body from its beginning. What is not there reads as 0 or "", and is_sound() is false
/// from then on.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  std::uint8_t byte();
  std::int16_t int16();
  std::int32_t int32();
  std::int64_t int64();
  /// Up to the zero byte, without it.
  std::string text();
  std::string_view bytes(std::size_t size);

  /// Whether all was there.
  bool is_sound() const { return is_sound_; }
  /// Whether all was there and nothing is left.
  bool is_done() const { return is_sound_ && rest_.empty(); }
  std::size_t left() const { return rest_.size(); }

 private:
  std::uint64_t number(std::size_t size);
  std::string_view rest_;
  bool is_sound_ = true;
};

/// Gathers messages until they are sent.
class Writer {
 public:
  /// Between begin() and end() the body is added.
  Writer& begin(char type);
  Writer& byte(char value);
  Writer& int16(std::int64_t value);
  Writer& int32(std::int64_t value);
  Writer& int64(std::int64_t value);
  /// With a zero byte after it; a zero byte inside ends it.
  Writer& text(std::string_view value);
  Writer& bytes(std::string_view value);
  void end();

  /// A place for an int32 that is known later.
  std::size_t reserve();
  void fill(std::size_t place, std::int64_t value);

  const std::string& gathered() const { return out_; }
  void clear() { out_.clear(); }
  std::string take() { return std::move(out_); }

 private:
  void big_endian(std::uint64_t value, std::size_t size);
  std::string out_;
  std::size_t length_at_ = 0;
};

/// What the protocol itself refuses; all else is in base/error.h's table.
enum class Refusal {
  kProtocol,
  kTooManyConnections,
  kWrongPassword,
  kNotAllowed,
  kNeedsTls,
  kTooLarge,
  kTooMuchKept,
  kTooSlow,
  kStopping,
  kCancelled,
  kUnknownDatabase,
  kUnknownStatement,
  kUnknownPortal,
  kDuplicateStatement,
  kFailedTransaction,
  kNoTransaction,
  kUntypedParameter,
  kParameterCount,
  kBadEncoding,
  kTooManyRequests,
  kChangedColumns,
};

/// An error as a client is told it.
struct Fault {
  std::string sqlstate;
  std::string message;
  std::string hint = {};
};

Fault fault_of(Refusal refusal);
/// The world's faults and our own have constant texts, as over HTTP.
Fault fault_of(const Error& error);

/// ErrorResponse. `severity`: ERROR, or FATAL when the connection ends.
void write_error(Writer& out, const Fault& fault, std::string_view severity = "ERROR");
void write_notice(Writer& out, std::string_view message, std::string_view detail = {});

/// Whether these are whole UTF-8 characters without a zero byte.
bool is_text(std::string_view bytes);

}  // namespace discreet::server::pgwire
