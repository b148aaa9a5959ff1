// SPDX-License-Identifier: Apache-2.0
#include "learn/csv.h"

#include <utility>

namespace discreet::learn {

Result<Csv> parse_csv(std::string_view text) {
  std::vector<std::vector<std::string>> lines;
  std::vector<std::string> line;
  std::string cell;
  bool quoted = false;
  bool any = false;
  const auto end_cell = [&] {
    line.push_back(std::move(cell));
    cell.clear();
  };
  const auto end_line = [&] {
    end_cell();
    lines.push_back(std::move(line));
    line.clear();
    any = false;
  };
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // a mark that spreadsheets write
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c != '"') {
        cell += c;
      } else if (i + 1 < text.size() && text[i + 1] == '"') {
        cell += '"';
        ++i;
      } else {
        quoted = false;
      }
      continue;
    }
    if (c == '"' && cell.empty()) {
      quoted = any = true;
    } else if (c == ',') {
      end_cell();
      any = true;
    } else if (c == '\n') {
      if (any || !line.empty()) end_line();
    } else if (c != '\r') {
      cell += c;
      any = true;
    }
  }
  if (quoted) return invalid_input("a quote is opened and never closed");
  if (any || !line.empty()) end_line();
  if (lines.empty()) return invalid_input("there is no header line");
  Csv out;
  out.header = std::move(lines.front());
  for (std::size_t i = 1; i < lines.size(); ++i) {
    if (lines[i].size() != out.header.size()) {
      return invalid_input("line " + std::to_string(i + 1) + " has " +
                           std::to_string(lines[i].size()) + " cells, the header " +
                           std::to_string(out.header.size()));
    }
    out.rows.push_back(std::move(lines[i]));
  }
  return out;
}

std::string csv_line(const std::vector<std::string>& cells) {
  std::string out;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) out += ',';
    if (cells[i].find_first_of(",\"\r\n") == std::string::npos) {
      out += cells[i];
      continue;
    }
    out += '"';
    for (const char c : cells[i]) out += c == '"' ? "\"\"" : std::string(1, c);
    out += '"';
  }
  return out + "\n";
}

}  // namespace discreet::learn
