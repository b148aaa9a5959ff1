// SPDX-License-Identifier: Apache-2.0
#include "report/table.h"

#include <algorithm>
#include <cstddef>

#include "base/check.h"
#include "base/json.h"

namespace discreet::report {
namespace {

using Row = std::vector<Cell>;

/// A control character could move the cursor or recolour what stands above it.
std::string printable(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) c = '?';
  }
  return out;
}

std::string padded(std::string_view text, std::size_t columns, bool right) {
  const std::string shown = printable(text);
  const std::string blanks(columns - std::min(columns, width(shown)), ' ');
  return right ? blanks + shown : shown + blanks;
}

void trim_line(std::string& out) {
  while (!out.empty() && out.back() == ' ') out.pop_back();
  out += '\n';
}

std::string csv_cell(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string out = "\"";
  for (char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

std::string markdown_cell(std::string_view text) {
  std::string out;
  for (char c : printable(text)) {
    if (c == '|' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

bool is_json_number(std::string_view text) {
  const std::optional<Json> parsed = Json::parse(text);
  return parsed && parsed->is_number() && text.front() != ' ' && text.back() != ' ';
}

std::string json_cell(const Cell& cell) {
  return cell.is_number && is_json_number(cell.text) ? cell.text : json_string(cell.text);
}

std::string json_object(const std::vector<std::string>& names, const Row& row) {
  std::string out = "{";
  for (std::size_t i = 0; i < row.size(); ++i) {
    out += (i == 0 ? "" : ", ") + json_string(names[i]) + ": " + json_cell(row[i]);
  }
  return out + "}";
}

std::string aligned(const std::vector<std::string>& names, const std::vector<Row>& rows) {
  std::vector<std::size_t> widths;
  std::vector<bool> right;
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::size_t widest = width(names[i]);
    for (const Row& row : rows) widest = std::max(widest, width(row[i].text));
    widths.push_back(widest);
    right.push_back(!rows.empty() && std::all_of(rows.begin(), rows.end(),
                                                 [i](const Row& row) { return row[i].is_number; }));
  }
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    out += (i == 0 ? "" : "  ") + padded(names[i], widths[i], right[i]);
  }
  trim_line(out);
  for (std::size_t i = 0; i < names.size(); ++i) {
    out += (i == 0 ? "" : "  ") + std::string(widths[i], '-');
  }
  out += '\n';
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      out += (i == 0 ? "" : "  ") + padded(row[i].text, widths[i], right[i]);
    }
    trim_line(out);
  }
  return out;
}

std::string csv(const std::vector<std::string>& names, const std::vector<Row>& rows) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i) out += (i == 0 ? "" : ",") + csv_cell(names[i]);
  out += '\n';
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      out += (i == 0 ? "" : ",") + csv_cell(row[i].text);
    }
    out += '\n';
  }
  return out;
}

std::string markdown(const std::vector<std::string>& names, const std::vector<Row>& rows) {
  std::string out = "|";
  for (const std::string& name : names) out += ' ' + markdown_cell(name) + " |";
  out += "\n|";
  for (std::size_t i = 0; i < names.size(); ++i) out += "---|";
  out += '\n';
  for (const Row& row : rows) {
    out += '|';
    for (const Cell& cell : row) out += ' ' + markdown_cell(cell.text) + " |";
    out += '\n';
  }
  return out;
}

std::string json_array(const std::vector<std::string>& names, const std::vector<Row>& rows) {
  std::string out = "[";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    out += (i == 0 ? "\n  " : ",\n  ") + json_object(names, rows[i]);
  }
  return out + (rows.empty() ? "]\n" : "\n]\n");
}

}  // namespace

std::string json_string(std::string_view text) { return json_text(text); }

std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

void Table::add(std::vector<Cell> row) {
  DISCREET_CHECK(row.size() == columns_.size());
  rows_.push_back(std::move(row));
}

std::string Table::render(Format format) const {
  switch (format) {
    case Format::kTable:
      return aligned(columns_, rows_);
    case Format::kCsv:
      return csv(columns_, rows_);
    case Format::kJson:
      return json_array(columns_, rows_);
    case Format::kMarkdown:
      return markdown(columns_, rows_);
  }
  DISCREET_CHECK(false);
  return {};
}

Sheet& Sheet::line(std::string label, std::string text) {
  lines_.emplace_back(std::move(label), std::move(text));
  return *this;
}

Sheet& Sheet::field(std::string name, Cell cell) {
  fields_.emplace_back(std::move(name), std::move(cell));
  return *this;
}

std::string Sheet::render(Format format) const {
  if (format == Format::kTable) {
    std::size_t widest = 0;
    for (const auto& [label, text] : lines_) widest = std::max(widest, width(label));
    std::string out;
    for (const auto& [label, text] : lines_) {
      out += padded(label, widest, false) + "  " + printable(text) + '\n';
    }
    return out;
  }
  std::vector<std::string> names;
  Row row;
  for (const auto& [name, cell] : fields_) {
    names.push_back(name);
    row.push_back(cell);
  }
  if (format == Format::kJson) return json_object(names, row) + '\n';
  Table table(std::move(names));
  table.add(std::move(row));
  return table.render(format);
}

}  // namespace discreet::report
