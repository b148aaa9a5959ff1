// SPDX-License-Identifier: Apache-2.0
#include "report/format.h"

#include <string>

namespace discreet::report {

Result<Format> parse_format(std::string_view text) {
  if (text == "table") return Format::kTable;
  if (text == "csv") return Format::kCsv;
  if (text == "json") return Format::kJson;
  if (text == "markdown") return Format::kMarkdown;
  return invalid_input("format must be table, csv, json or markdown; got " + in_quotes(text));
}

}  // namespace discreet::report
