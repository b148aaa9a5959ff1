// SPDX-License-Identifier: Apache-2.0
// BigQuery's clauses for differential privacy, which PostgreSQL's grammar does not know:
//
//   SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 1, privacy_unit_column = patient_id)
//          COUNT(*, contribution_bounds_per_group => (0, 4)) FROM visits
//
// They are found among the scanner's tokens, never by searching the text, and replaced by blanks,
// so that every place in the rest stays where the analyst wrote it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "numeric/rational.h"
#include "sql/scan.h"
#include "sql/text.h"

namespace discreet::sql {

/// A pair of contribution bounds and where it is written.
struct BoundsPair {
  Rational low;
  Rational high;
  Place place;
};

struct Dialect {
  struct Option {
    std::string value;  ///< a number's text or a name as PostgreSQL would fold it, a.b for two
    Place place;
  };
  std::string sql;                        ///< without the clauses
  std::map<std::string, Option> options;  ///< by name in lower case; only names that are known
  /// The bounds inside COUNT(*, ...), by the place of the word COUNT.
  std::map<std::size_t, BoundsPair> count_bounds;
  /// Likewise: the COUNT(*, ...) whose bound is to be chosen privately.
  std::set<std::size_t> count_races;
};

/// Fails with: kInvalidInput (a clause that is not well formed, an option unknown or given twice),
/// kUnsupported (an option of BigQuery that has no meaning here).
Result<Dialect> read_dialect(const Text& text, const std::vector<Token>& tokens);

}  // namespace discreet::sql
