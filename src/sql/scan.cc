// SPDX-License-Identifier: Apache-2.0
#include "sql/scan.h"

#include <pg_query.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <optional>
#include <string>

namespace discreet::sql {
namespace {

// The numbers of pg_query.proto's enum Token and its fields, for PostgreSQL 15's libpg_query.
constexpr std::uint64_t kIdent = 258;
constexpr std::uint64_t kUnicodeIdent = 259;
constexpr std::uint64_t kFloat = 260;
constexpr std::uint64_t kText = 261;
constexpr std::uint64_t kUnicodeText = 262;
constexpr std::uint64_t kInteger = 266;
constexpr std::uint64_t kEqualsGreater = 271;
constexpr std::uint64_t kSqlComment = 275;
constexpr std::uint64_t kBlockComment = 276;

// Just enough of the protobuf wire format for ScanResult{repeated ScanToken tokens = 2} and
// ScanToken{start = 1, end = 2, token = 4, keyword_kind = 5}.
class Wire {
 public:
  explicit Wire(std::string_view bytes) : bytes_(bytes) {}
  bool done() const { return at_ >= bytes_.size(); }

  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && !done(); shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes_[at_++]);
      value |= std::uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) break;
    }
    return value;
  }

  Wire message() {
    const std::size_t size = std::min<std::size_t>(varint(), bytes_.size() - at_);
    at_ += size;
    return Wire(bytes_.substr(at_ - size, size));
  }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
};

struct RawToken {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::uint64_t kind = 0;
  std::uint64_t keyword = 0;
};

RawToken read_token(Wire wire) {
  RawToken token;
  while (!wire.done()) {
    const std::uint64_t field = wire.varint() >> 3U;
    const std::uint64_t value = wire.varint();
    if (field == 1) token.start = value;
    if (field == 2) token.end = value;
    if (field == 4) token.kind = value;
    if (field == 5) token.keyword = value;
  }
  return token;
}

Token classify(const RawToken& raw) {
  Token token{.start = raw.start, .end = raw.end};
  if (raw.kind == kIdent || raw.kind == kUnicodeIdent || raw.keyword != 0) {
    token.kind = TokenKind::kName;
  } else if (raw.kind == kFloat || raw.kind == kInteger) {
    token.kind = TokenKind::kNumber;
  } else if (raw.kind == kText || raw.kind == kUnicodeText) {
    token.kind = TokenKind::kString;
  } else if (raw.kind == kEqualsGreater) {
    token.kind = TokenKind::kArrow;
  } else if (raw.kind < 128) {
    token.kind = TokenKind::kSymbol;
    token.symbol = static_cast<char>(raw.kind);
  }
  return token;
}

// Owns what pg_query_scan allocated.
class Scan {
 public:
  explicit Scan(const char* text) : result_(pg_query_scan(text)) {}
  Scan(const Scan&) = delete;
  Scan& operator=(const Scan&) = delete;
  ~Scan() { pg_query_free_scan_result(result_); }
  const PgQueryError* error() const { return result_.error; }
  std::string_view bytes() const { return {result_.pbuf.data, result_.pbuf.len}; }

 private:
  PgQueryScanResult result_;
};

Result<void> check_nesting(const Text& text, const std::vector<Token>& tokens) {
  std::size_t depth = 0;
  for (const Token& token : tokens) {
    const bool opens = token.symbol == '(' || token.symbol == '[' || is_word(text, token, "case");
    const bool closes = token.symbol == ')' || token.symbol == ']' || is_word(text, token, "end");
    if (opens && ++depth > kNestingMax) {
      return text.error(Code::kInvalidInput, token.start,
                        "the question is nested more than " + std::to_string(kNestingMax) +
                            " levels deep here; write it flatter");
    }
    if (closes && depth > 0) --depth;
  }
  return {};
}

}  // namespace

Result<std::vector<Token>> scan(const Text& text) {
  const Scan scan(text.bytes().c_str());
  if (scan.error() != nullptr) {
    return text.parser_error(scan.error()->cursorpos, scan.error()->message);
  }
  std::vector<Token> tokens;
  for (Wire wire(scan.bytes()); !wire.done();) {
    const std::uint64_t tag = wire.varint();
    if (tag >> 3U != 2) {
      wire.varint();
      continue;
    }
    const RawToken raw = read_token(wire.message());
    if (raw.kind == kSqlComment || raw.kind == kBlockComment) continue;
    DISCREET_CHECK(raw.start <= raw.end && raw.end <= text.bytes().size());
    if (tokens.size() == kTokensMax) {
      return text.error(Code::kInvalidInput, raw.start,
                        "the question has more than 10,000 words and signs; shorten it");
    }
    tokens.push_back(classify(raw));
  }
  DISCREET_TRY(check_nesting(text, tokens));
  return tokens;
}

std::string_view spelling(const Text& text, const Token& token) {
  return std::string_view(text.bytes()).substr(token.start, token.end - token.start);
}

bool is_word(const Text& text, const Token& token, std::string_view word) {
  if (token.kind != TokenKind::kName) return false;
  return std::ranges::equal(spelling(text, token), word, [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == b;
  });
}

}  // namespace discreet::sql
