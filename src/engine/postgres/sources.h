// SPDX-License-Identifier: Apache-2.0
// The policy's sources as tables of a database: "visits" (of schema public) or "clinic.visits".
//
// A source is a table, a partitioned table or a materialized view. A plain view or a foreign table
// is refused: what it runs on a row could fail on one (S1, S2). The role must be able to read it
// and unable to write.
#pragma once

#include <set>

#include "engine/lowering/dialect.h"
#include "engine/postgres/connection.h"
#include "policy/draft.h"
#include "policy/policy.h"

namespace discreet::engine::postgres {

/// Schema and table.
std::vector<std::string> parse_source(const std::string& source);

/// Looks every table of the policy up and checks columns, types and the role's rights, in a
/// transaction. Fails with: kInvalidInput, kNotFound, kRefused (rights), kEngine; from the policy
/// and the catalog alone.
Result<lowering::Schemas> open_sources(Connection& connection, const policy::Policy& policy,
                                       const OwnerLog& log);

/// Looks whether these, each named by schema and table, are tables that the role can read whole and
/// cannot write to. By one statement: it is asked again in every question.
/// Fails with: kInvalidInput, kNotFound, kRefused, kEngine.
Result<void> check_tables(Connection& connection,
                          const std::vector<std::vector<std::string>>& names, const OwnerLog& log);

/// Which of the tables are materialized views, by schema and name; in a transaction.
/// Fails with: kEngine.
Result<std::set<std::vector<std::string>>> materialized_views(Connection& connection,
                                                              const lowering::Schemas& schemas,
                                                              const OwnerLog& log);

/// The columns of tables, by one statement. None of a table that is not there. Fails with: kEngine.
Result<std::vector<lowering::StoredTable>> describe(
    Connection& connection, const std::vector<std::vector<std::string>>& names,
    const OwnerLog& log);

/// The same for a draft of a policy: "postgres://user@host/database/schema.table".
Result<std::vector<policy::SchemaColumn>> describe_source(const std::string& source,
                                                          const OwnerLog& log);
/// Whether a source is written so, and its two halves.
std::optional<std::pair<std::string, std::string>> split_url(const std::string& source);

}  // namespace discreet::engine::postgres
