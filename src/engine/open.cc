// SPDX-License-Identifier: Apache-2.0
#include "engine/open.h"

#include "base/suggest.h"
#include "engine/duckdb/duckdb_engine.h"
#include "engine/postgres/postgres_engine.h"
#include "engine/postgres/sources.h"

namespace discreet::engine {
namespace {

bool is_postgres(const std::string& name) {
  return name.starts_with("postgres://") || name.starts_with("postgresql://");
}

}  // namespace

Result<std::unique_ptr<Engine>> open_engine(const policy::Policy& policy, const OwnerLog& log) {
  if (is_postgres(policy.engine)) {
    DISCREET_ASSIGN(auto engine, postgres::PostgresEngine::open(policy, log));
    return std::unique_ptr<Engine>(std::move(engine));
  }
  if (policy.engine != "duckdb") {
    return Error{Code::kUnsupported,
                 "the policy's engine is not there yet; write duckdb or postgres://..."};
  }
  DISCREET_ASSIGN(auto engine, duckdb::DuckDbEngine::open(policy, log));
  return std::unique_ptr<Engine>(std::move(engine));
}

Result<std::vector<policy::SchemaColumn>> describe_source(const std::string& source,
                                                          const std::string& directory,
                                                          const OwnerLog& log) {
  if (is_postgres(source)) return postgres::describe_source(source, log);
  return duckdb::describe_source(source, directory, log);
}

std::optional<std::pair<std::string, std::string>> split_server(const std::string& source) {
  return postgres::split_url(source);
}

}  // namespace discreet::engine
