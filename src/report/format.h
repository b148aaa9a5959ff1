// SPDX-License-Identifier: Apache-2.0
// The formats in which an answer can be shown.
#pragma once

#include <string_view>

#include "base/result.h"

namespace discreet::report {

enum class Format { kTable, kCsv, kJson, kMarkdown };

/// "table", "csv", "json" or "markdown".
/// Fails with: kInvalidInput, naming them.
Result<Format> parse_format(std::string_view text);

}  // namespace discreet::report
