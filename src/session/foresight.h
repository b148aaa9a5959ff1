// SPDX-License-Identifier: Apache-2.0
// How wide the interval of a question's first value will be, before it is asked. The noise of a
// count or a sum tells it alone. An average's depends on how many rows there are, so somebody must
// suppose something: a public guess, or what an earlier answer released.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/result.h"
#include "plan/checker.h"
#include "sql/query.h"

namespace discreet::session {

/// What the measurements of one group come to, in their own units: public guesses or released
/// values.
using Supposed = std::vector<double>;

/// How the error of a value can be told.
enum class ErrorKind {
  kNoise,   ///< by the noise alone: counts, sums, their sums and differences
  kRanks,   ///< a quantile: by how many rows its rank may be off
  kValues,  ///< by the noise and by what is measured: averages, variances, ratios
};

/// The first output that is no key. Fails with: kInvalidInput when there is none.
Result<std::size_t> first_value(const sql::Query& query);
ErrorKind error_kind(const sql::Post& post);

/// About `rows` rows in a group, values a quarter of their range from its middle.
Supposed suppose_rows(const plan::Checked& checked, double rows);

/// Half the width of an output's interval, if the measurements are what is supposed. For kNoise
/// nothing need be; for kRanks it is in rows. Infinite where the interval is unbounded, or NULL.
double foreseen_half_width(const sql::Output& output, const plan::Checked& checked,
                           const Supposed& supposed, const Confidence& confidence);

}  // namespace discreet::session
