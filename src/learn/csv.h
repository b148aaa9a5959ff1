// SPDX-License-Identifier: Apache-2.0
// Comma-separated values with a header line, as RFC 4180 writes them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace discreet::learn {

struct Csv {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
};

/// Fails with: kInvalidInput for no header, a row of another length, or a quote that is not closed.
Result<Csv> parse_csv(std::string_view text);
/// One line, quoted where it must be.
std::string csv_line(const std::vector<std::string>& cells);

}  // namespace discreet::learn
