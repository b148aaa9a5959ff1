// SPDX-License-Identifier: Apache-2.0
#include "engine/postgres/postgres_engine.h"

#include <algorithm>
#include <charconv>

#include "base/suggest.h"
#include "engine/keyed_hash.h"
#include "engine/lowering/plan.h"
#include "engine/lowering/stored.h"
#include "engine/lowering/unique_keys.h"
#include "engine/postgres/dialect.h"
#include "engine/postgres/run.h"
#include "engine/postgres/sources.h"
#include "plan/training.h"

namespace discreet::engine::postgres {
namespace {

using lowering::lower_plan;
using lowering::Select;
using lowering::Sql;
using lowering::StoredColumn;

bool same(const StoredColumn& a, const StoredColumn& b) {
  return a.name == b.name && a.type == b.type && a.type_name == b.type_name;
}

}  // namespace

Result<std::unique_ptr<PostgresEngine>> PostgresEngine::open(const policy::Policy& policy,
                                                             const OwnerLog& log) {
  DISCREET_ASSIGN(std::unique_ptr<Connection> connection, Connection::open(policy.engine, log));
  DISCREET_ASSIGN(lowering::Schemas schemas, open_sources(*connection, policy, log));
  DISCREET_ASSIGN(auto views, materialized_views(*connection, schemas, log));
  return std::unique_ptr<PostgresEngine>(
      new PostgresEngine(std::move(connection), std::move(schemas), std::move(views)));
}

// LOCK comes before the snapshot, so that the snapshot sees what the lock protects. It does not
// take materialized views: these are held by reading no row of them.
Result<void> PostgresEngine::hold_tables(const OwnerLog& log) {
  std::string tables;
  std::string views;
  for (const auto& [name, stored] : schemas_) {
    const std::string table = Sql::name(stored.name).print();
    if (views_.contains(stored.name)) {
      views += (views.empty() ? "" : "; ") + ("SELECT FROM " + table + " WHERE false");
    } else {
      tables += (tables.empty() ? "" : ", ") + table;
    }
  }
  if (!tables.empty()) {
    DISCREET_TRY(connection_->query("LOCK TABLE " + tables + " IN ACCESS SHARE MODE", log));
  }
  if (!views.empty()) DISCREET_TRY(connection_->query(views, log));
  return schemas_.empty() ? Result<void>() : check_tables_again(log);
}

Result<void> PostgresEngine::check_tables_again(const OwnerLog& log) {
  const std::string charged = "; what was charged stays charged";
  std::vector<std::vector<std::string>> names;
  for (const auto& [name, stored] : schemas_) names.push_back(stored.name);
  if (const Result<void> fine = check_tables(*connection_, names, log); !fine) {
    const Error& error = fine.error();
    if (error.code == Code::kEngine || error.code == Code::kInterrupted) return error;
    return Error{Code::kEngine,
                 "the database changed since the policy was opened: " + error.message + charged};
  }
  DISCREET_ASSIGN(const std::vector<lowering::StoredTable> now, describe(*connection_, names, log));
  std::size_t at = 0;
  for (const auto& [name, stored] : schemas_) {
    const std::vector<StoredColumn>& columns = now[at++].columns;
    if (!std::equal(columns.begin(), columns.end(), stored.columns.begin(), stored.columns.end(),
                    same)) {
      return Error{Code::kEngine, "the columns of table " + in_quotes(name) +
                                      " changed since it was opened; check the policy and start "
                                      "again" +
                                      charged};
    }
  }
  return {};
}

// What a transaction that reads one snapshot cannot see is what changed meanwhile and does not wait
// for its lock: a partition that was attached, a schema that got another's name.
Result<void> PostgresEngine::close_tables(const OwnerLog& log) {
  connection_->end();
  DISCREET_TRY(connection_->begin(log));
  return check_tables_again(log);
}

Result<std::int64_t> PostgresEngine::number_of(const Select& select, const OwnerLog& log) {
  DISCREET_ASSIGN(const std::vector<TextRow> rows, connection_->query(select.print(), log));
  std::int64_t number = 0;
  const std::string text = rows.empty() || rows[0].empty() ? "" : rows[0][0].value_or("");
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return engine_failed();
  return number;
}

Result<lowering::CutFacts> PostgresEngine::cut_facts(const plan::Checked& checked,
                                                     const OwnerLog& log) {
  const policy::Policy& policy = checked.policy();
  lowering::CutFacts facts;
  for (const auto& [table, cut] : checked.joined_rows().cuts) {
    lowering::ScanFacts& of_table = facts.scans[table];
    DISCREET_ASSIGN(const std::int64_t others,
                    number_of(lowering::rows_of_nobody(table, policy, dialect(), schemas_), log));
    of_table.all_owned = others == 0;
    const Select above = lowering::units_above(table, cut.rows, policy, dialect(), schemas_);
    DISCREET_ASSIGN(const std::vector<TextRow> rows, connection_->query(above.print(), log));
    if (rows.size() > lowering::kUnitsAboveMost) continue;
    of_table.above.emplace();
    for (const TextRow& row : rows) of_table.above->push_back(row[0].value_or(""));
  }
  return facts;
}

Result<void> PostgresEngine::ready(const plan::Checked&, const OwnerLog& log) {
  std::lock_guard lock(mutex_);
  connection_->resume();
  const Transaction transaction(*connection_);
  DISCREET_TRY(connection_->begin(log));
  return hold_tables(log);
}

Result<Sensitive<mechanism::Groups>> PostgresEngine::run(const plan::Checked& checked,
                                                         const OwnerLog& log) {
  std::lock_guard lock(mutex_);
  connection_->resume();
  DISCREET_ASSIGN(Secret secret, Secret::fresh());
  const Transaction transaction(*connection_);
  DISCREET_TRY(connection_->begin(log));
  DISCREET_TRY(hold_tables(log));
  DISCREET_ASSIGN(const lowering::CutFacts facts, cut_facts(checked, log));
  DISCREET_ASSIGN(mechanism::Groups groups,
                  run_lowered(*connection_, lower_plan(checked, facts, dialect(), schemas_),
                              checked.steps().size(), secret, log));
  DISCREET_TRY(close_tables(log));
  return Sensitive<mechanism::Groups>(std::move(groups));
}

Result<Sensitive<mechanism::UnitRows>> PostgresEngine::read_rows(const plan::CheckedRows& question,
                                                                 const random::Secret* names,
                                                                 const OwnerLog& log) {
  std::lock_guard lock(mutex_);
  connection_->resume();
  DISCREET_ASSIGN(const Secret secret, names != nullptr ? Result<Secret>(*names) : Secret::fresh());
  const Transaction transaction(*connection_);
  DISCREET_TRY(connection_->begin(log));
  DISCREET_TRY(hold_tables(log));
  DISCREET_ASSIGN(mechanism::UnitRows rows,
                  run_rows(*connection_, lowering::lower_rows(question.rows, dialect(), schemas_),
                           secret, names != nullptr, log));
  DISCREET_TRY(close_tables(log));
  return Sensitive<mechanism::UnitRows>(std::move(rows));
}

Result<std::vector<std::string>> PostgresEngine::repeated_keys(const policy::Policy& policy,
                                                               const OwnerLog& log) {
  std::lock_guard lock(mutex_);
  connection_->resume();
  const Transaction transaction(*connection_);
  DISCREET_TRY(connection_->begin(log));
  DISCREET_TRY(hold_tables(log));
  std::vector<std::string> repeated;
  for (const lowering::UniqueKey& key : lowering::unique_keys(policy, dialect(), schemas_)) {
    DISCREET_ASSIGN(const std::vector<TextRow> rows, connection_->query(key.most.print(), log));
    const std::string most = rows.empty() ? "0" : rows[0][0].value_or("0");
    if (most != "0" && most != "1") repeated.push_back(key.name);
  }
  return repeated;
}

std::string PostgresEngine::explain(const plan::Checked& checked) const {
  return lower_plan(checked, dialect(), schemas_).print();
}

Result<std::vector<std::string>> PostgresEngine::public_values(const policy::Policy& policy,
                                                               const std::string& table,
                                                               const std::string& column,
                                                               std::size_t most,
                                                               const OwnerLog& log) {
  DISCREET_TRY(check_public(policy, table));
  const auto& columns = schemas_.at(table).columns;
  const auto stored = std::find_if(columns.begin(), columns.end(),
                                   [&](const StoredColumn& c) { return c.name == column; });
  if (stored == columns.end()) {
    return invalid_input("the source of table " + in_quotes(table) + " has no column " +
                         in_quotes(column) + "; correct the policy or its source");
  }
  std::lock_guard lock(mutex_);
  connection_->resume();
  Select select;
  const Sql raw = Sql::name({"t0", column});
  select.outputs = {Sql::postfix(Sql::cast(raw, "text"), "COLLATE \"C\"")};
  select.from.push_back({Sql::name(schemas_.at(table).name), "t0", {}});
  select.where = {Sql::postfix(raw, "IS NOT NULL")};
  select.group_by = 1;
  const Transaction transaction(*connection_);
  DISCREET_TRY(connection_->begin(log));
  DISCREET_TRY(hold_tables(log));
  DISCREET_ASSIGN(const std::vector<TextRow> rows, connection_->query(select.print(), log));
  std::vector<std::string> values;
  for (const TextRow& row : rows) values.push_back(row[0].value_or(""));
  DISCREET_TRY(check_listed(values.size(), table, column, most));
  std::sort(values.begin(), values.end());
  return values;
}

Result<std::int64_t> PostgresEngine::multiplicity(const policy::Policy& policy,
                                                  const std::string& table,
                                                  const std::vector<std::string>& columns,
                                                  const OwnerLog& log) {
  DISCREET_TRY(check_public(policy, table));
  for (const std::string& name : columns) {
    DISCREET_TRY(lowering::find_column(schemas_, table, name));
  }
  std::lock_guard lock(mutex_);
  connection_->resume();
  const Transaction transaction(*connection_);
  DISCREET_TRY(connection_->begin(log));
  DISCREET_TRY(hold_tables(log));
  return number_of(lowering::most_equal(table, columns, dialect(), schemas_), log);
}

}  // namespace discreet::engine::postgres
