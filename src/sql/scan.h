// SPDX-License-Identifier: Apache-2.0
// The tokens of a text, by PostgreSQL's own scanner, and the limits that are checked on them before
// the grammar sees the text: a parser that recurses meets no text that could exhaust its stack.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sql/text.h"

namespace discreet::sql {

/// What the rest of the layer tells apart; everything else is kOther.
enum class TokenKind {
  kName,    ///< an identifier, quoted or not, or a word that the grammar knows
  kNumber,  ///< without a sign
  kString,
  kSymbol,  ///< a single character, see Token::symbol
  kArrow,   ///< =>
  kOther,
};

struct Token {
  std::size_t start = 0;  ///< bytes [start, end)
  std::size_t end = 0;
  TokenKind kind = TokenKind::kOther;
  char symbol = '\0';
};

inline constexpr std::size_t kTokensMax = 10'000;
inline constexpr std::size_t kNestingMax = 100;  ///< of ( [ and CASE

/// Without comments. Fails with: kInvalidInput for what no token starts with, more than kTokensMax
/// tokens, nesting deeper than kNestingMax.
Result<std::vector<Token>> scan(const Text& text);

/// The bytes of a token.
std::string_view spelling(const Text& text, const Token& token);

/// Whether the token is this word, in any letter case. `word` is in lower case.
bool is_word(const Text& text, const Token& token, std::string_view word);

}  // namespace discreet::sql
