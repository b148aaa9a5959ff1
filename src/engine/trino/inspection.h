// SPDX-License-Identifier: Apache-2.0
// What the cluster tells of a statement that it has planned (GET /v1/query/ID): which tables it
// reads, as what they are stored, and what it runs on their rows besides what was asked.
//
// A row filter, a column mask and a view are run on every row: they can fail on one, hide one, or
// let one person's row decide about another's. A file format that reads on from a bad line, or
// fails on it, does the same. So a statement counts only if there are none.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "engine/trino/client.h"

namespace discreet::engine::trino {

/// Catalog, schema and table.
using TableName = std::vector<std::string>;

/// hive.clinic.visits
std::string dotted(const TableName& name);

struct Stored {
  std::string connector;  ///< hive, memory
  std::string format;     ///< PARQUET; "" where there are no files

  /// Whether values are read from files that others write: these may hold what the connector cannot
  /// convert.
  bool is_files() const { return !format.empty(); }
  friend bool operator==(const Stored&, const Stored&) = default;
};

/// The tables that it scans. One that a plan does without is not among them.
/// `tables`: those that it may read.
/// Fails with: kUnsupported: a filter, a mask, a view, or a connector or format that is not
/// offered; kEngine: it is not what a cluster says. Names come from the policy and the catalog.
Result<std::map<TableName, Stored>> inspect(const Json& told, const std::vector<TableName>& tables);

/// The same of a statement that ran, or failed to.
Result<std::map<TableName, Stored>> inspect_statement(Client& client, const std::string& id,
                                                      const std::vector<TableName>& tables,
                                                      const OwnerLog& log);

}  // namespace discreet::engine::trino
