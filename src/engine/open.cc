// SPDX-License-Identifier: Apache-2.0
#include "engine/open.h"

#include "base/suggest.h"
#include "engine/duckdb/duckdb_engine.h"
#include "engine/duckdb/limits.h"
#include "engine/postgres/postgres_engine.h"
#include "engine/postgres/sources.h"
#include "engine/trino/sources.h"
#include "engine/trino/trino_engine.h"
#include "policy/embedded.h"

namespace discreet::engine {
namespace {

bool is_postgres(const std::string& name) {
  return name.starts_with("postgres://") || name.starts_with("postgresql://");
}

bool is_trino(const std::string& name) { return name.starts_with("trino://"); }

}  // namespace

Result<std::unique_ptr<Engine>> open_engine(const policy::Policy& policy, const OwnerLog& log) {
  if (is_postgres(policy.engine)) {
    DISCREET_ASSIGN(auto engine, postgres::PostgresEngine::open(policy, log));
    return std::unique_ptr<Engine>(std::move(engine));
  }
  if (is_trino(policy.engine)) {
    DISCREET_ASSIGN(auto engine, trino::TrinoEngine::open(policy, log));
    return std::unique_ptr<Engine>(std::move(engine));
  }
  if (!policy::is_embedded(policy.engine)) {
    return Error{
        Code::kUnsupported,
        "the policy's engine is not there yet; write duckdb, postgres://... or trino://..."};
  }
  DISCREET_ASSIGN(auto engine, duckdb::DuckDbEngine::open(policy, log));
  return std::unique_ptr<Engine>(std::move(engine));
}

Result<void> check_words(const policy::Policy& policy) {
  if (!policy::is_embedded(policy.engine)) return {};
  DISCREET_TRY(duckdb::parse_limits(policy.engine));
  return {};
}

Result<std::vector<policy::SchemaColumn>> describe_source(const std::string& source,
                                                          const std::string& directory,
                                                          const OwnerLog& log) {
  if (is_postgres(source)) return postgres::describe_source(source, log);
  if (is_trino(source)) return trino::describe_source(source, log);
  return duckdb::describe_source(source, directory, log);
}

std::optional<std::pair<std::string, std::string>> split_server(const std::string& source) {
  return is_trino(source) ? trino::split_url(source) : postgres::split_url(source);
}

}  // namespace discreet::engine
