// SPDX-License-Identifier: Apache-2.0
// First drafts of a policy: from a schema alone, or from SmartNoise's metadata. What only the owner
// can know is left as "?", and `discreet policy check` lists each of them with its line. No value
// of the data is looked at: not a minimum, not a maximum, not a list of what occurs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace discreet::policy {

/// A column as an engine describes it.
struct SchemaColumn {
  std::string name;
  std::string type;  ///< the engine's own word: BIGINT, DECIMAL(10,2), VARCHAR
};

struct SchemaTable {
  std::string name;
  std::string source;
  std::vector<SchemaColumn> columns;
};

/// YAML text with comments that say what to fill in.
std::string draft_policy(const std::vector<SchemaTable>& tables);

/// "data/Visits 2024.parquet" -> "visits_2024"
std::string table_name_of(std::string_view source);

/// What a policy can keep of SmartNoise's metadata; a comment says what it cannot, and why.
/// Fails with: kInvalidInput.
Result<std::string> import_smartnoise(std::string_view text);  // smartnoise.cc

/// The head of every draft, up to and with the line "tables:". `space` is the namespace.
std::string draft_head(const std::string& origin, const std::string& space);  // draft.cc

}  // namespace discreet::policy
