// SPDX-License-Identifier: Apache-2.0
// First drafts of a policy: from a schema alone, or from SmartNoise's metadata. What only the owner
// can know is left as "?", and `discreet policy check` lists each of them with its line. No value
// of the data is looked at: not a minimum, not a maximum, not a list of what occurs.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "policy/policy.h"

namespace discreet::policy {

/// A column as an engine describes it.
struct SchemaColumn {
  std::string name;
  std::string type;  ///< the engine's own word: BIGINT, DECIMAL(10,2), VARCHAR
};

/// What a draft says of a column: the type that the engine's word stands for, and whether its name
/// says that it points at one person (then a draft leaves it out). None: it has no privacy domain.
struct DraftedColumn {
  Type type;
  bool points_at_one = false;
  std::optional<Rational> step;  ///< that the schema itself declares: DECIMAL(10,2) has 0.01
};
std::optional<DraftedColumn> drafted(const SchemaColumn& column);

struct SchemaTable {
  std::string name;
  std::string source;
  std::vector<SchemaColumn> columns;
};

/// What is known beyond the schema when a draft is made; what is not stays a "?".
struct DraftFacts {
  std::string engine = "duckdb";
  std::string snapshot;
  std::string ledger;
  std::optional<Units> units;            ///< the namespace, as a ledger has it
  std::string unit;                      ///< the column that says whose a row is
  std::map<std::string, Column> bought;  ///< by name
};

/// YAML text with comments that say what to fill in.
std::string draft_policy(const std::vector<SchemaTable>& tables, const DraftFacts& facts = {});

/// "data/Visits 2024.parquet" -> "visits_2024"
std::string table_name_of(std::string_view source);

/// What a policy can keep of SmartNoise's metadata; a comment says what it cannot, and why.
/// Fails with: kInvalidInput.
Result<std::string> import_smartnoise(std::string_view text);  // smartnoise.cc

/// The head of every draft, up to and with the line "tables:". `space` is the namespace.
std::string draft_head(const std::string& origin, const std::string& space,
                       const DraftFacts& facts = {});  // draft.cc

}  // namespace discreet::policy
