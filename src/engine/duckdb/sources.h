// SPDX-License-Identifier: Apache-2.0
// The policy's sources as views of a connection: Parquet, CSV, JSON, or a table of a DuckDB file.
//
//   visits.parquet        read_parquet, of one file that is held open; its statistics are not used
//   visits.csv, .tsv,     our own reader (engine/text): a line is a row, a cell a text or NULL; what
//   .json, .ndjson,       cannot be read loses its own line. An array of JSON is not read
//   .jsonl
//   clinic.duckdb:visits  attached read-only; texts are compared by their bytes
//
// No type is guessed from the data: where a file does not declare types everything is text, and
// what a cell does not hold in the declared type is NULL. So whether a question succeeds never
// depends on a row (S2).
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "engine/duckdb/connection.h"
#include "engine/lowering/dialect.h"
#include "policy/draft.h"
#include "policy/policy.h"

namespace discreet::engine::duckdb {

using lowering::Schemas;
using lowering::StoredColumn;

/// What a source is, by its name.
struct SourceName {
  enum class Kind { kParquet, kCsv, kJson, kTable };
  Kind kind;
  std::string path;   ///< of the file, absolute or relative to where the program runs
  std::string table;  ///< kTable only: name, or schema.name
};

/// Fails with: kInvalidInput for a name of no known kind, naming those.
Result<SourceName> parse_source(const std::string& source, const std::string& directory);

/// Makes a view for each table of the policy, named like it, and locks the connection to their
/// files.
/// Fails with: kInvalidInput, kNotFound, kEngine; the texts name tables and files, never contents.
Result<Schemas> open_sources(Connection& connection, const policy::Policy& policy,
                             const OwnerLog& log);

/// The columns of one source, for a draft of a policy: names and types, no values. A JSON's names
/// are those of its first line; in text files everything is text.
Result<std::vector<policy::SchemaColumn>> describe_source(const std::string& source,
                                                          const std::string& directory,
                                                          const OwnerLog& log);

}  // namespace discreet::engine::duckdb
