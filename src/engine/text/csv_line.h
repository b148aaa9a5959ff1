// SPDX-License-Identifier: Apache-2.0
// The fields of one line of a CSV, whatever it holds. A field is what stands between two
// delimiters; or, after a quote, what stands up to the closing one, where a doubled quote is one.
// A quote that is not closed is closed by the last doubled one of the line, or else the field is
// empty. What follows a closing quote, or a quote inside of a field without them, is skipped up to
// the next delimiter. Linear in the line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace discreet::engine::text {

class CsvFields {
 public:
  CsvFields(std::string_view line, char delimiter) : line_(line), delimiter_(delimiter) {}

  /// Goes to the next field, the first time to the first. False: there is none left.
  bool next();
  /// Empty, without quotes.
  bool is_null() const { return !is_quoted_ && field_.empty(); }
  /// Without its quotes. It may be in `scratch`.
  std::string_view text(std::string& scratch) const;

 private:
  /// Where the text of a field that begins with a quote ends; none: nothing closes it.
  std::size_t closing_quote(std::size_t begin) const;

  std::string_view line_;
  char delimiter_;
  std::size_t at_ = 0;  // where the next field begins; npos: there is none
  std::string_view field_;
  bool is_quoted_ = false;
};

/// The texts of all fields of a line; "" for those that are NULL.
std::vector<std::string> csv_texts(std::string_view line, char delimiter);

}  // namespace discreet::engine::text
