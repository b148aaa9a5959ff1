// SPDX-License-Identifier: Apache-2.0
// Candidates to choose from, read from `name,score` lines.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "numeric/rational.h"

namespace discreet::cli {

struct Candidates {
  std::vector<std::string> names;
  std::vector<std::int64_t> scores;  ///< times unit, exactly
  Integer unit = 1;                  ///< the least common denominator of the scores
};

/// A name is all that stands before the last comma; a score is a number such as 42, -1.5 or 1/3.
/// Line ends may be LF or CRLF, the last may be missing, and empty lines may follow it.
/// Fails with: kInvalidInput, naming the line: no comma, no name, a name that was there before, no
/// number, or scores that do not fit 64 bits once they are brought to one denominator.
Result<Candidates> read_candidates(std::string_view text);

}  // namespace discreet::cli
