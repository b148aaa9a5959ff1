// SPDX-License-Identifier: Apache-2.0
#include "engine/text/text_table.h"

#include <algorithm>
#include <set>

#include "engine/text/csv_line.h"
#include "engine/text/utf8.h"

namespace discreet::engine::text {
namespace {

constexpr std::string_view kDelimiters = ",;\t|";
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

std::string lower(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
  return text;
}

/// The mark that its header has most of. Names of columns are no secret; rows are not looked at.
char delimiter_of(const std::string& path, const std::string& header) {
  if (lower(path).ends_with(".tsv")) return '\t';
  return *std::max_element(kDelimiters.begin(), kDelimiters.end(), [&](char a, char b) {
    return std::count(header.begin(), header.end(), a) <
           std::count(header.begin(), header.end(), b);
  });
}

Result<void> check_header(const std::string& path, const std::string& header) {
  if (header.size() > kLineMax) {
    return invalid_input("the first line of " + in_quotes(path) +
                         " is longer than 64 KiB; a CSV file must begin with a line of column "
                         "names");
  }
  if (!is_utf8(header) || header.find('\0') != header.npos) {
    return invalid_input("the column names of " + in_quotes(path) +
                         " are not UTF-8; write the file in UTF-8");
  }
  return {};
}

/// In DuckDB names that differ in case are one.
Result<void> check_names(const std::string& path, const std::vector<std::string>& names) {
  if (names.empty()) {
    return invalid_input("a CSV file must begin with a line of column names; " + in_quotes(path) +
                         " does not");
  }
  std::set<std::string> seen;
  for (const std::string& name : names) {
    if (seen.insert(lower(name)).second) continue;
    return invalid_input("the file " + in_quotes(path) + " has two columns " + in_quotes(name) +
                         ", whatever their case; rename one in it");
  }
  return {};
}

}  // namespace

Result<TextTable> open_csv(const std::string& path) {
  DISCREET_ASSIGN(std::unique_ptr<TextFile> file, TextFile::open(path));
  std::string header = file->header();
  DISCREET_TRY(check_header(path, header));
  TextTable table;
  table.rows_from = header.size();
  if (header.starts_with(kByteOrderMark)) header.erase(0, kByteOrderMark.size());
  table.delimiter = delimiter_of(path, header);
  const std::vector<std::string> names = csv_texts(header, table.delimiter);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty()) continue;
    table.names.push_back(names[i]);
    table.fields.push_back(i);
  }
  DISCREET_TRY(check_names(path, table.names));
  table.file = std::move(file);
  return table;
}

Result<TextTable> open_json(const std::string& path, std::vector<std::string> names) {
  DISCREET_ASSIGN(std::unique_ptr<TextFile> file, TextFile::open(path));
  TextTable table;
  table.file = std::move(file);
  table.names = std::move(names);
  return table;
}

std::optional<std::vector<std::string>> first_names(const TextFile& file) {
  std::vector<JsonField> fields;
  if (!is_utf8(file.header()) || !json_fields(file.header(), fields)) return std::nullopt;
  std::vector<std::string> names;
  std::string scratch;
  for (const JsonField& field : fields) {
    std::string name(json_text(field.name, scratch));
    const bool is_new = std::find(names.begin(), names.end(), name) == names.end();
    if (is_new && !name.empty() && name.find('\0') == name.npos) names.push_back(std::move(name));
  }
  return names;
}

TextRows::TextRows(const TextTable& table, std::vector<std::size_t> columns)
    : table_(table),
      columns_(std::move(columns)),
      lines_(*table.file),
      values_(columns_.size()),
      scratch_(columns_.size()) {
  for (std::size_t i = 0; i < columns_.size() && table.delimiter != '\0'; ++i) {
    const std::size_t field = table.fields[columns_[i]];
    if (field >= place_of_field_.size()) place_of_field_.resize(field + 1, columns_.size());
    place_of_field_[field] = i;
  }
}

bool TextRows::next() {
  for (std::string_view line = lines_.next(); !line.empty(); line = lines_.next()) {
    if (read(line)) return true;
  }
  return false;
}

bool TextRows::read(std::string_view line) {
  if (!is_utf8(line)) return false;
  line_bytes_ = line.size();
  std::fill(values_.begin(), values_.end(), std::nullopt);
  if (table_.delimiter == '\0') return read_json(line);
  read_csv(line);
  return true;
}

void TextRows::read_csv(std::string_view line) {
  CsvFields fields(line, table_.delimiter);
  for (const std::size_t place : place_of_field_) {
    if (!fields.next()) return;
    if (place == columns_.size() || fields.is_null()) continue;
    values_[place] = fields.text(scratch_[place]);
  }
}

bool TextRows::read_json(std::string_view line) {
  if (!json_fields(line, members_)) return false;
  for (const JsonField& member : members_) {
    const std::string_view name = json_text(member.name, name_);
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (table_.names[columns_[i]] != name) continue;
      const bool is_null = !member.value.is_text && member.value.raw == "null";
      values_[i].reset();
      if (!is_null) values_[i] = json_text(member.value, scratch_[i]);
    }
  }
  return true;
}

}  // namespace discreet::engine::text
