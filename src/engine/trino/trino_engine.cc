// SPDX-License-Identifier: Apache-2.0
#include "engine/trino/trino_engine.h"

#include <algorithm>

#include "base/suggest.h"
#include "engine/keyed_hash.h"
#include "engine/lowering/stored.h"
#include "engine/lowering/unique_keys.h"
#include "engine/trino/run.h"
#include "engine/trino/sources.h"
#include "engine/trino/statement.h"

namespace discreet::engine::trino {

using lowering::Select;
using lowering::Sql;
using lowering::StoredColumn;

Result<std::unique_ptr<TrinoEngine>> TrinoEngine::open(const policy::Policy& policy,
                                                       const OwnerLog& log) {
  for (const auto& [name, units] : policy.units) {
    if (!units.within) continue;
    return Error{Code::kUnsupported, "namespace " + in_quotes(name) +
                                         " is within another, which is not offered on Trino; use "
                                         "DuckDB or PostgreSQL, or leave `within` out"};
  }
  DISCREET_ASSIGN(std::unique_ptr<Client> client, Client::open(policy.engine, log));
  DISCREET_ASSIGN(lowering::Schemas schemas, open_sources(*client, policy, log));
  return std::unique_ptr<TrinoEngine>(new TrinoEngine(std::move(client), std::move(schemas)));
}

Result<void> TrinoEngine::check_schemas(const std::string& sql, const OwnerLog& log) {
  std::vector<std::vector<std::string>> read;
  for (const auto& [name, stored] : schemas_) {
    if (sql.find(Sql::name(stored.name).print()) != sql.npos) read.push_back(stored.name);
  }
  const auto now = columns_of(*client_, read, log);
  if (!now && now.error().code == Code::kInvalidInput) {
    return Error{Code::kEngine, now.error().message + "; what was charged stays charged"};
  }
  if (!now) return now.error();
  for (const auto& [name, stored] : schemas_) {
    const auto found = now->find(stored.name);
    if (found == now->end()) continue;
    const bool same = std::equal(found->second.begin(), found->second.end(), stored.columns.begin(),
                                 stored.columns.end(), [](const auto& a, const auto& b) {
                                   return a.name == b.name && a.type_name == b.type_name;
                                 });
    if (same) continue;
    return Error{Code::kEngine, "the columns of table " + in_quotes(name) +
                                    " changed since it was opened; check the policy and start "
                                    "again; what was charged stays charged"};
  }
  return {};
}

Result<Sensitive<mechanism::Groups>> TrinoEngine::run(const plan::Checked& checked,
                                                      const OwnerLog& log) {
  std::lock_guard lock(mutex_);
  client_->resume();
  DISCREET_ASSIGN(Secret secret, Secret::fresh());
  const Statement statement = lower_statement(checked, schemas_, secret);
  DISCREET_TRY(check_schemas(statement.select.print(), log));
  DISCREET_ASSIGN(mechanism::Groups groups,
                  run_statement(*client_, statement, checked.steps().size(), log));
  return Sensitive<mechanism::Groups>(std::move(groups));
}

std::string TrinoEngine::explain(const plan::Checked& checked) const {
  const std::string sql = lower_statement(checked, schemas_, Secret{}).print();
  if (sql.find("xxhash64") == sql.npos) return sql;  // nothing is chosen
  return "-- X'00...' is drawn anew for every question: by it rows and groups are chosen.\n" + sql;
}

Result<std::vector<std::string>> TrinoEngine::public_values(const policy::Policy& policy,
                                                            const std::string& table,
                                                            const std::string& column,
                                                            std::size_t most, const OwnerLog& log) {
  DISCREET_TRY(check_public(policy, table));
  const auto& columns = schemas_.at(table).columns;
  const auto stored = std::find_if(columns.begin(), columns.end(),
                                   [&](const StoredColumn& c) { return c.name == column; });
  if (stored == columns.end()) {
    return invalid_input("the source of table " + in_quotes(table) + " has no column " +
                         in_quotes(column) + "; correct the policy or its source");
  }
  std::lock_guard lock(mutex_);
  client_->resume();
  Select select;
  const Sql raw = Sql::name({"t0", column});
  select.outputs = {Sql::cast(raw, "VARCHAR")};
  select.from.push_back({Sql::name(schemas_.at(table).name), "t0", {}});
  select.where = {Sql::postfix(raw, "IS NOT NULL")};
  select.group_by = 1;
  DISCREET_ASSIGN(const std::vector<Row> rows, client_->ask(select.print(), log));
  std::vector<std::string> values;
  for (const Row& row : rows) {
    const std::string* const value = row.size() == 1 ? std::get_if<std::string>(&row[0]) : nullptr;
    if (value == nullptr) return engine_failed();
    values.push_back(*value);
  }
  DISCREET_TRY(check_listed(values.size(), table, column, most));
  std::sort(values.begin(), values.end());
  return values;
}

Result<std::int64_t> TrinoEngine::multiplicity(const policy::Policy& policy,
                                               const std::string& table,
                                               const std::vector<std::string>& columns,
                                               const OwnerLog& log) {
  DISCREET_TRY(check_public(policy, table));
  for (const std::string& name : columns) {
    DISCREET_TRY(lowering::find_column(schemas_, table, name));
  }
  std::lock_guard lock(mutex_);
  client_->resume();
  const Select select = lowering::most_equal(table, columns, dialect(), schemas_);
  DISCREET_ASSIGN(const std::vector<Row> rows, client_->ask(select.print(), log));
  if (rows.size() != 1 || rows[0].size() != 1) return engine_failed();
  if (const auto* const most = std::get_if<std::int64_t>(&rows[0][0])) return *most;
  return engine_failed();
}

}  // namespace discreet::engine::trino
