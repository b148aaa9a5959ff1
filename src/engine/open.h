// SPDX-License-Identifier: Apache-2.0
// The engine that a policy names: duckdb, postgres://user@host:port/database, or
// trino://user@host:port.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/engine.h"
#include "policy/draft.h"
#include "policy/policy.h"

namespace discreet::engine {

/// Fails with: kInvalidInput, kNotFound, kRefused, kEngine; kUnsupported for an engine that is not
/// there yet.
Result<std::unique_ptr<Engine>> open_engine(const policy::Policy& policy, const OwnerLog& log);

/// What is wrong with the words behind duckdb?, without opening anything. Fails with:
/// kInvalidInput.
Result<void> check_words(const policy::Policy& policy);

/// The columns of a source by itself, for a draft of a policy: a file, FILE.duckdb:TABLE, or
/// postgres://user@host:port/database/schema.table, or
/// trino://user@host:port/catalog.schema.table. Names and types, nothing of the data.
Result<std::vector<policy::SchemaColumn>> describe_source(const std::string& source,
                                                          const std::string& directory,
                                                          const OwnerLog& log);

/// The server and the table of such a name of a server's; nothing for a file.
std::optional<std::pair<std::string, std::string>> split_server(const std::string& source);

}  // namespace discreet::engine
