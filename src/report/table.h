// SPDX-License-Identifier: Apache-2.0
// Answers as aligned text, CSV, JSON or markdown.
//
//   Sheet sheet;
//   sheet.line("answer", "43").field("answer", Cell::number("43"));
//   std::string text = sheet.render(Format::kJson);   // {"answer": 43}
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/format.h"

namespace discreet::report {

/// A piece of text. A number is aligned to the right, and stands bare in JSON if it is written as
/// JSON writes numbers (1/3 is not: it becomes a string, which loses nothing).
struct Cell {
  std::string text;
  bool is_number = false;

  static Cell number(std::string text) { return {std::move(text), true}; }
  static Cell words(std::string text) { return {std::move(text), false}; }
};

/// Many rows under the same columns.
class Table {
 public:
  explicit Table(std::vector<std::string> columns) : columns_(std::move(columns)) {}

  /// Requires: as many cells as columns.
  void add(std::vector<Cell> row);
  std::size_t columns() const { return columns_.size(); }

  std::string render(Format format) const;

 private:
  std::vector<std::string> columns_;
  std::vector<std::vector<Cell>> rows_;
};

/// One answer: lines for people, fields for programs.
class Sheet {
 public:
  Sheet& line(std::string label, std::string text);
  Sheet& field(std::string name, Cell cell);

  /// kTable shows the lines; the other formats show the fields.
  std::string render(Format format) const;

 private:
  std::vector<std::pair<std::string, std::string>> lines_;
  std::vector<std::pair<std::string, Cell>> fields_;
};

/// `text` in JSON's quotes.
std::string json_string(std::string_view text);

/// How many columns `text` takes on a terminal; one for each UTF-8 character.
std::size_t width(std::string_view text);

}  // namespace discreet::report
