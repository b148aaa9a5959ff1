// SPDX-License-Identifier: Apache-2.0
// What was learned as a page, from the bytes that were stored: released values alone.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "report/html.h"

namespace discreet::report {

/// The first value of one of so many bins of a column.
using BinText = std::function<std::string(std::size_t column, std::size_t bin, std::size_t bins)>;

/// A synthetic table's marginals beside the released ones. `bytes`: of the task "synthesize";
/// `names`: of its columns. Fails with: kCorrupt when the bytes are not such.
Result<Exhibit> synthetic_page(const std::string& bytes, const std::vector<std::string>& names,
                               const BinText& begins);

}  // namespace discreet::report
