// SPDX-License-Identifier: Apache-2.0
// The analyst's SQL text, with its limits checked, and errors that point into it:
//
//   line 1, column 12: there is no column agee in visits (did you mean age?)
//     SELECT AVG(agee) FROM visits
//                ^
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace discreet::sql {

/// A byte offset into the text; none where the parser knows none.
using Place = std::optional<std::size_t>;

class Text {
 public:
  static constexpr std::size_t kBytesMax = 64 * 1024;

  /// Fails with: kInvalidInput for more than kBytesMax bytes, a NUL byte, invalid UTF-8.
  static Result<Text> read(std::string_view sql);

  const std::string& bytes() const { return bytes_; }

  /// An error about `place`: its line and column (in characters, from 1), the message, the line
  /// itself and a caret below it.
  Error error(Code code, Place place, const std::string& message) const;

  /// The same for what PostgreSQL's own parser says. `character` is its cursor: from 1; 0: nowhere.
  Error parser_error(int character, std::string_view message) const;

 private:
  explicit Text(std::string bytes) : bytes_(std::move(bytes)) {}
  std::string bytes_;
};

}  // namespace discreet::sql
