// SPDX-License-Identifier: Apache-2.0
// A text file as a table: each of its lines is a row (text_file.h), each cell a text or NULL.
//
//   .csv, .tsv              the first line has the names of the columns, and is not a row
//   .json, .ndjson, .jsonl  a line is an object; the names are those that are asked for
//
// A row is a function of its line alone (E2), and there is one for every line (E1), but for a line
// that is not UTF-8, longer than kLineMax, or not an object where it should be one: that is no row.
// How a file is read is decided by its name and, of a CSV, by its header; no byte of a row does.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/text/json_line.h"
#include "engine/text/text_file.h"

namespace discreet::engine::text {

struct TextTable {
  std::shared_ptr<const TextFile> file;
  std::vector<std::string> names;   ///< of the columns
  std::vector<std::size_t> fields;  ///< CSV: which field of a line each of them is
  char delimiter = '\0';            ///< '\0': JSON
  std::uint64_t rows_from = 0;      ///< where the header ends
};

/// A CSV. Its delimiter is the tab of a .tsv, or the mark that its header has most of. Columns
/// without a name are not read.
/// Fails with: kInvalidInput for a header without names, that is not UTF-8, too long, or has a name
/// twice, whatever the case; kNotFound; kStorage.
Result<TextTable> open_csv(const std::string& path);

/// A JSON file with an object on each line, of which `names` are read.
Result<TextTable> open_json(const std::string& path, std::vector<std::string> names);

/// The names of a JSON's first line, for a draft of a policy. None: that line is not an object.
std::optional<std::vector<std::string>> first_names(const TextFile& file);

/// Some columns of the rows of a table.
class TextRows {
 public:
  /// `columns`: places in table.names.
  TextRows(const TextTable& table, std::vector<std::size_t> columns);

  /// Turns to the rows whose lines begin in [begin, end); false: the file could not be read.
  bool go_to(std::uint64_t begin, std::uint64_t end) { return lines_.go_to(begin, end); }
  /// Goes to the next row; false: there is none left.
  bool next();
  /// Of the i-th column that was asked for, until the next call of next(); none: NULL.
  const std::optional<std::string_view>& value(std::size_t i) const { return values_[i]; }
  std::size_t line_bytes() const { return line_bytes_; }

 private:
  bool read(std::string_view line);
  void read_csv(std::string_view line);
  bool read_json(std::string_view line);

  const TextTable& table_;
  std::vector<std::size_t> columns_;
  std::vector<std::size_t> place_of_field_;  // CSV: of the columns, or their number for none
  LineReader lines_;
  std::size_t line_bytes_ = 0;
  std::vector<std::optional<std::string_view>> values_;
  std::vector<std::string> scratch_;  // for each column
  std::vector<JsonField> members_;
  std::string name_;
};

}  // namespace discreet::engine::text
