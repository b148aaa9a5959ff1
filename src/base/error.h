// SPDX-License-Identifier: Apache-2.0
// What went wrong, as few codes as callers can act on, and the one table that turns a code into an
// exit status, an HTTP status, an SQLSTATE and a Python exception.
//
// An error is an output: its code, its text and whether it happens must not depend on protected
// data. So an Error is built from text only, and nothing turns a Sensitive into text.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace discreet {

enum class Code {
  kInvalidInput,  ///< the caller's words are off: a number, a flag, a file's contents
  kNotFound,      ///< the caller named something that does not exist
  kUnsupported,   ///< a well-formed request for something that this version does not do
  kConflict,     ///< the request contradicts an earlier one (an id used again for another question)
  kRefused,      ///< the policy does not allow it
  kBudget,       ///< it would cost more than what is left
  kNoEntropy,    ///< the random source failed or looks sick; nothing was drawn
  kStorage,      ///< disk: missing, full, read only, failed sync
  kCorrupt,      ///< stored bytes are not what was written
  kEngine,       ///< the database failed; its own words are in the owner's log only
  kInterrupted,  ///< stopped by a signal or a closed pipe
  kBug,          ///< our fault
};

/// One row of the table of codes.
struct CodeFacts {
  Code code;
  std::string_view name;
  int exit_status;  ///< 2 bad input, 3 policy, 4 budget, 5 the world, 70 our bug, 130 Ctrl-C
  int http_status;
  std::string_view sqlstate;
  std::string_view python_exception;
};

/// The row for `code`.
const CodeFacts& describe(Code code);

/// All rows, in the order of the enum.
std::span<const CodeFacts> all_codes();

struct Error {
  Code code;
  std::string message;  ///< says what is wrong and names the fix
};

inline Error invalid_input(std::string message) {
  return {Code::kInvalidInput, std::move(message)};
}

/// `text` in quotes, shortened and with control characters replaced: for showing a caller's own
/// words back.
std::string in_quotes(std::string_view text);

}  // namespace discreet
