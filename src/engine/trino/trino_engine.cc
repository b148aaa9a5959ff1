// SPDX-License-Identifier: Apache-2.0
#include "engine/trino/trino_engine.h"

#include <algorithm>

#include "base/suggest.h"
#include "engine/keyed_hash.h"
#include "engine/lowering/stored.h"
#include "engine/lowering/unique_keys.h"
#include "engine/trino/dialect.h"
#include "engine/trino/run.h"
#include "engine/trino/sources.h"
#include "engine/trino/statement.h"
#include "engine/trino/types.h"

namespace discreet::engine::trino {

using lowering::Select;
using lowering::Sql;
using lowering::StoredColumn;

namespace {

/// The same words behind every reason, whatever it is.
Error after_charge(Error error) {
  constexpr const char* kStays = "what was charged stays charged";
  if (error.code == Code::kInterrupted) return error;
  if (error.message.find(kStays) == std::string::npos) error.message += std::string("; ") + kStays;
  return {Code::kEngine, std::move(error.message)};
}

/// No shorter statement than this was seen that Trino could not compile: it makes one method of at
/// most 64 KB of each filter and each list of outputs. One that is missed fails after its charge.
constexpr std::size_t kSurelyCompiled = 6'000;

/// The same statement about one row of each table at most.
std::string about_one_row(std::string sql, const std::vector<TableName>& tables) {
  for (const TableName& table : tables) {
    const std::string name = Sql::name(table).print();
    const std::string one = "(SELECT * FROM " + name + " LIMIT 1)";
    for (std::size_t at = sql.find(name); at != sql.npos; at = sql.find(name, at + one.size())) {
      sql.replace(at, name.size(), one);
    }
  }
  return sql;
}

}  // namespace

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
  DISCREET_ASSIGN(auto stored, look_at_storage(*client, declared_reads(policy, schemas), log));
  return std::unique_ptr<TrinoEngine>(
      new TrinoEngine(std::move(client), std::move(schemas), std::move(stored)));
}

Reads TrinoEngine::reads_of(const std::string& sql) const {
  Reads reads;
  for (const auto& [table, stored] : schemas_) {
    if (sql.find(Sql::name(stored.name).print()) == sql.npos) continue;
    std::set<std::string>& columns = reads[stored.name];
    for (const StoredColumn& column : stored.columns) {
      // No statement of ours reads other types; a name of theirs may be one of its own words.
      const bool is_read = can_identify(type_of(column.type));
      if (is_read && sql.find(lowering::quote_name(column.name)) != sql.npos) {
        columns.insert(column.name);
      }
    }
  }
  return reads;
}

Result<void> TrinoEngine::check_schemas(const Reads& reads, const OwnerLog& log) {
  DISCREET_ASSIGN(const auto now, columns_of(*client_, tables_of(reads), log));
  for (const auto& [name, stored] : schemas_) {
    const auto found = now.find(stored.name);
    if (found == now.end()) continue;
    const bool same = std::equal(found->second.begin(), found->second.end(), stored.columns.begin(),
                                 stored.columns.end(), [](const auto& a, const auto& b) {
                                   return a.name == b.name && a.type_name == b.type_name;
                                 });
    if (same) continue;
    return Error{Code::kEngine, "the columns of table " + in_quotes(name) +
                                    " changed since it was opened; check the policy and start "
                                    "again"};
  }
  return {};
}

Result<void> TrinoEngine::check(const Reads& reads, const OwnerLog& log) {
  DISCREET_TRY(check_schemas(reads, log));
  return whole_.pass(*client_, reads, log);
}

Result<void> TrinoEngine::ready(const plan::Checked& checked, const OwnerLog& log) {
  std::lock_guard lock(mutex_);
  client_->resume();
  DISCREET_TRY(client_->pulse(log));
  const std::string sql = lower_statement(checked, schemas_, Secret{}).select.print();
  const Reads reads = reads_of(sql);
  DISCREET_TRY(check(reads, log));
  return try_to_compile(sql, tables_of(reads), log);
}

Result<void> TrinoEngine::try_to_compile(const std::string& sql,
                                         const std::vector<TableName>& tables,
                                         const OwnerLog& log) {
  if (sql.size() < kSurelyCompiled) return {};
  Told told;
  const Result<void> tried =
      client_->query(about_one_row(sql, tables), log, [](std::span<const Row>) {}, &told);
  if (tried || told.fault.empty()) return tried;
  return Error{
      Code::kUnsupported,
      "the question becomes a statement that is too long for Trino to compile; ask less in "
      "one question, and write x IN (1, 2, 3) for x = 1 OR x = 2 OR x = 3; the owner's log "
      "has Trino's words"};
}

Result<Sensitive<mechanism::Groups>> TrinoEngine::run(const plan::Checked& checked,
                                                      const OwnerLog& log) {
  std::lock_guard lock(mutex_);
  client_->resume();
  DISCREET_ASSIGN(Secret secret, Secret::fresh());
  const Statement statement = lower_statement(checked, schemas_, secret);
  const Reads reads = reads_of(statement.select.print());
  if (const Result<void> checks = check(reads, log); !checks) return after_charge(checks.error());
  Told told;
  Result<mechanism::Groups> groups =
      run_statement(*client_, statement, checked.steps().size(), log, &told);
  if (!groups && groups.error().code == Code::kInterrupted) return groups.error();
  // Whether it failed or not: what nobody is to be answered about has one text, and rows that came
  // meanwhile are such as were read whole.
  if (!told.id.empty()) {
    const auto stored = inspect_statement(*client_, told.id, tables_of(reads), log);
    if (!stored) return after_charge(stored.error());
    if (const auto same = whole_.check_same(*stored); !same) return after_charge(same.error());
  }
  if (const auto whole = whole_.pass(*client_, reads, log); !whole) {
    return after_charge(whole.error());
  }
  if (!groups) return groups.error();
  return Sensitive<mechanism::Groups>(*std::move(groups));
}

Result<std::vector<std::string>> TrinoEngine::repeated_keys(const policy::Policy& policy,
                                                            const OwnerLog& log) {
  std::lock_guard lock(mutex_);
  client_->resume();
  DISCREET_TRY(check(declared_reads(policy, schemas_), log));
  std::vector<std::string> repeated;
  for (const lowering::UniqueKey& key : lowering::unique_keys(policy, dialect(), schemas_)) {
    DISCREET_ASSIGN(const std::vector<Row> rows, client_->ask(key.most.print(), log));
    const auto* const most = rows.size() == 1 && rows[0].size() == 1
                                 ? std::get_if<std::int64_t>(rows[0].data())
                                 : nullptr;
    if (most == nullptr) return engine_failed();
    if (*most > 1) repeated.push_back(key.name);
  }
  return repeated;
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
