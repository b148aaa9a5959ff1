// SPDX-License-Identifier: Apache-2.0
// Pieces of a policy as YAML.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace discreet::policy {

/// Plain where every YAML reader takes it for this text, else in double quotes.
std::string yaml_text(std::string_view text);

struct Column;
struct Units;
/// A namespace, as it stands under `units:`.
std::string units_text(const Units& units);

/// A column in one line: "age: {type: integer, range: [0, 120]}".
std::string column_text(const Column& column);

/// What may be done with a column, as `may:` lists it.
std::vector<std::string> may_words(const Column& column);

/// Stands behind a column whose domain was bought.
inline constexpr const char* kBoughtComment = "   # bought privately, not read off the data";

/// Stands behind a ledger's id that the program wrote into the owner's text.
inline constexpr const char* kLedgerComment = "   # the only ledger that may pay";

}  // namespace discreet::policy
