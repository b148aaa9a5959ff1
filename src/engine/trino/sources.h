// SPDX-License-Identifier: Apache-2.0
// The policy's sources as tables of a cluster, named in full: "hive.clinic.visits".
//
// A source is a table. A view is refused, a materialized one too: what it runs on a row could fail
// on one (S1, S2), and it may look at who asks. What the catalog does not tell, inspection.h sees.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/lowering/dialect.h"
#include "engine/trino/client.h"
#include "engine/trino/whole_columns.h"
#include "policy/draft.h"
#include "policy/policy.h"

namespace discreet::engine::trino {

/// Catalog, schema and table, in lower case, as Trino keeps them.
/// Fails with: kInvalidInput.
Result<std::vector<std::string>> parse_source(const std::string& source);

/// Looks every table of the policy up and checks columns and types.
/// Fails with: kInvalidInput, kNotFound, kUnsupported, kEngine; from the policy and the catalog.
Result<lowering::Schemas> open_sources(Client& client, const policy::Policy& policy,
                                       const OwnerLog& log);

/// The columns of each of these tables as the cluster has them now, by name; asked once a catalog.
Result<std::map<std::vector<std::string>, std::vector<lowering::StoredColumn>>> columns_of(
    Client& client, const std::vector<std::vector<std::string>>& tables, const OwnerLog& log);

/// Every column that a question about this policy can read.
Reads declared_reads(const policy::Policy& policy, const lowering::Schemas& schemas);

/// One table. Fails with: kNotFound, kInvalidInput, kEngine.
Result<lowering::StoredTable> describe(Client& client, const std::string& source,
                                       const OwnerLog& log);

/// The same for a draft of a policy: "trino://user@host:port/catalog.schema.table?ca=FILE".
Result<std::vector<policy::SchemaColumn>> describe_source(const std::string& source,
                                                          const OwnerLog& log);
/// Whether a source is written so: the engine, and the table.
std::optional<std::pair<std::string, std::string>> split_url(const std::string& source);

}  // namespace discreet::engine::trino
