// SPDX-License-Identifier: Apache-2.0
#include "engine/text/csv_line.h"

#include <algorithm>

namespace discreet::engine::text {

std::size_t CsvFields::closing_quote(std::size_t begin) const {
  std::size_t doubled = line_.npos;
  std::size_t quote = line_.find('"', begin);
  while (quote != line_.npos) {
    if (quote + 1 == line_.size() || line_[quote + 1] != '"') return quote;
    doubled = quote;
    quote = line_.find('"', quote + 2);
  }
  return doubled;
}

bool CsvFields::next() {
  if (at_ == line_.npos) return false;
  const bool begins = at_ < line_.size() && line_[at_] == '"';
  const std::size_t closing = begins ? closing_quote(at_ + 1) : line_.npos;
  is_quoted_ = closing != line_.npos;
  std::size_t end = at_;
  if (is_quoted_) {
    field_ = line_.substr(at_ + 1, closing - at_ - 1);
    end = closing + 1;
  } else {
    while (end < line_.size() && line_[end] != '"' && line_[end] != delimiter_) ++end;
    field_ = line_.substr(at_, end - at_);
  }
  const std::size_t delimiter = line_.find(delimiter_, end);
  at_ = delimiter == line_.npos ? line_.npos : delimiter + 1;
  return true;
}

std::string_view CsvFields::text(std::string& scratch) const {
  if (!is_quoted_ || field_.find('"') == field_.npos) return field_;
  scratch.clear();
  for (std::size_t i = 0; i < field_.size(); ++i) {
    scratch += field_[i];
    if (field_[i] == '"') ++i;  // the second of two
  }
  return scratch;
}

std::vector<std::string> csv_texts(std::string_view line, char delimiter) {
  std::vector<std::string> texts;
  std::string scratch;
  for (CsvFields fields(line, delimiter); fields.next();) {
    texts.emplace_back(fields.text(scratch));
  }
  return texts;
}

}  // namespace discreet::engine::text
