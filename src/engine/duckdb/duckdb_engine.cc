// SPDX-License-Identifier: Apache-2.0
#include "engine/duckdb/duckdb_engine.h"

#include <algorithm>

#include "engine/duckdb/dialect.h"
#include "engine/duckdb/functions.h"
#include "engine/duckdb/moments.h"
#include "engine/duckdb/run.h"
#include "engine/keyed_hash.h"
#include "engine/lowering/plan.h"
#include "engine/lowering/sql.h"
#include "engine/lowering/stored.h"
#include "engine/lowering/unique_keys.h"
#include "plan/training.h"

namespace discreet::engine::duckdb {
namespace {

using lowering::find_column;
using lowering::lower_plan;
using lowering::Select;
using lowering::Sql;
using policy::Type;

/// Whether a column of the file can be read as what the policy declares.
bool can_read(const StoredColumn& column, Type to) {
  const auto from = static_cast<duckdb_type>(column.type);
  switch (to) {
    case Type::kText:
      return has_text(column);
    case Type::kInteger:
    case Type::kDecimal:
      return on_grid_reads(from) && !is_moment(from);
    case Type::kBoolean:
      return from == DUCKDB_TYPE_BOOLEAN || from == DUCKDB_TYPE_VARCHAR ||
             from == DUCKDB_TYPE_TINYINT || from == DUCKDB_TYPE_INTEGER ||
             from == DUCKDB_TYPE_BIGINT;
    case Type::kDate:
    case Type::kTimestamp:
      return from == DUCKDB_TYPE_VARCHAR || is_moment(from);
  }
  return false;
}

Error cannot_read(const std::string& table, const StoredColumn& column, Type as) {
  return invalid_input("column " + in_quotes(column.name) + " of table " + in_quotes(table) +
                       " is " + column.type_name + " in its source and cannot be read as " +
                       policy::to_string(as) +
                       (has_text(column) ? "; declare another type"
                                         : " by this version; store it as text, or leave it out"));
}

Result<void> check_columns(const policy::Table& table, const Schemas& schemas) {
  for (const policy::Column& column : table.columns) {
    DISCREET_ASSIGN(const StoredColumn* raw, find_column(schemas, table.name, column.name));
    if (!can_read(*raw, column.type)) return cannot_read(table.name, *raw, column.type);
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<DuckDbEngine>> DuckDbEngine::open(const policy::Policy& policy,
                                                         const OwnerLog& log, std::size_t threads) {
  DISCREET_ASSIGN(Limits limits, parse_limits(policy.engine));
  DISCREET_ASSIGN(std::unique_ptr<Connection> connection,
                  Connection::open(threads, log, std::move(limits)));
  DISCREET_ASSIGN(Schemas schemas, open_sources(*connection, policy, log));
  for (const auto& [name, table] : policy.tables) DISCREET_TRY(check_columns(table, schemas));
  DISCREET_TRY(lowering::check_identifiers(policy, schemas, has_text));
  return std::unique_ptr<DuckDbEngine>(new DuckDbEngine(std::move(connection), std::move(schemas)));
}

Result<std::int64_t> DuckDbEngine::number_of(const lowering::Select& select, const OwnerLog& log) {
  std::int64_t number = 0;
  DISCREET_TRY(connection_->query(select.print(), log, [&](const Chunk& chunk) {
    if (duckdb_data_chunk_get_size(chunk.get()) > 0) {
      number = column(chunk, 0).values<std::int64_t>()[0];
    }
  }));
  return number;
}

Result<DuckDbEngine::OfUnits> DuckDbEngine::of_units(const policy::Policy& policy,
                                                     const std::string& table,
                                                     const OwnerLog& log) {
  const auto known = of_units_.find(table);
  if (known != of_units_.end()) return known->second;
  OfUnits out;
  const Select select = lowering::most_and_nobody(table, policy, dialect(), schemas_);
  DISCREET_TRY(connection_->query(select.print(), log, [&](const Chunk& chunk) {
    if (duckdb_data_chunk_get_size(chunk.get()) == 0) return;
    out.most = column(chunk, 0).values<std::int64_t>()[0];
    out.all_owned = column(chunk, 1).values<std::int64_t>()[0] == 0;
  }));
  return of_units_[table] = out;
}

Result<std::optional<std::vector<std::string>>> DuckDbEngine::units_above(
    const policy::Policy& policy, const std::string& table, std::int64_t rows,
    const OwnerLog& log) {
  constexpr std::size_t kKnownMost = 16;  // an analyst can ask for many numbers of rows
  const auto known = units_above_.find({table, rows});
  if (known != units_above_.end()) return known->second;
  std::vector<std::string> units;
  const lowering::Select select = lowering::units_above(table, rows, policy, dialect(), schemas_);
  DISCREET_TRY(connection_->query(select.print(), log, [&](const Chunk& chunk) {
    for (idx_t row = 0; row < duckdb_data_chunk_get_size(chunk.get()); ++row) {
      if (units.size() <= lowering::kUnitsAboveMost) {
        units.emplace_back(column(chunk, 0).text(row));
      }
    }
  }));
  std::optional<std::vector<std::string>> above;
  if (units.size() <= lowering::kUnitsAboveMost) above = std::move(units);
  if (units_above_.size() >= kKnownMost) units_above_.clear();
  return units_above_[{table, rows}] = std::move(above);
}

Result<lowering::CutFacts> DuckDbEngine::facts(const plan::Checked& checked, const OwnerLog& log) {
  std::lock_guard lock(mutex_);
  connection_->resume();
  return unchanged(log, [&] { return learn(checked, log); });
}

Result<lowering::CutFacts> DuckDbEngine::learn(const plan::Checked& checked, const OwnerLog& log) {
  const policy::Policy& policy = checked.policy();
  const auto& cuts = checked.joined_rows().cuts;
  const std::set<std::string> tables = tables_read_by(checked);
  lowering::CutFacts facts;
  if (tables.size() == 1 && cuts.empty()) return facts;
  std::map<std::string, std::int64_t> most;
  bool all_known = !checked.members();
  for (const std::string& table : tables) {
    if (!policy.find(table)->unit) continue;
    // To learn it takes as long as some joins that are spread: who asks once does without.
    const bool asked_before = !asked_.insert(table).second;
    if (cuts.empty() && !asked_before) {
      all_known = false;
      continue;
    }
    DISCREET_ASSIGN(const OfUnits known, of_units(policy, table, log));
    most[table] = known.most;
    if (!cuts.contains(table)) continue;
    lowering::ScanFacts& scan = facts.scans[table];
    scan.all_owned = known.all_owned;
    scan.above.emplace();
    const std::int64_t rows = cuts.at(table).rows;
    if (known.most <= rows) continue;
    DISCREET_ASSIGN(scan.above, units_above(policy, table, rows, log));
  }
  if (!all_known) return facts;
  const auto multiplicity = [&](const std::string& table, const std::vector<std::string>& columns) {
    std::lock_guard lock(facts_mutex_);
    const auto known = multiplicities_.find({table, columns});
    return Result<std::int64_t>(known == multiplicities_.end() ? lowering::kFewRows + 1
                                                               : known->second);
  };
  DISCREET_ASSIGN(std::int64_t largest,
                  plan::most_joined_rows(checked.plan(), policy, multiplicity,
                                         [&](const std::string& table) { return most[table]; }));
  for (const auto& [table, rows] : most) largest = std::max(largest, rows);
  facts.few_rows = largest <= lowering::kFewRows;
  return facts;
}

Result<void> DuckDbEngine::ready(const plan::Checked& checked, const OwnerLog& log) {
  const policy::Policy& policy = checked.policy();
  for (const std::string& name : tables_read_by(checked)) {
    DISCREET_ASSIGN(const SourceName source,
                    parse_source(policy.find(name)->source, policy.directory));
    const Result<void> readable = check_readable(source.path);
    if (readable) continue;
    if (log.say) log.say("duckdb: table " + in_quotes(name) + ": " + readable.error().message);
    return Error{Code::kEngine, "the source of table " + in_quotes(name) +
                                    " cannot be read; the owner's log has the reason"};
  }
  std::lock_guard lock(mutex_);
  return connection_->files().check(log);
}

Result<Sensitive<mechanism::Groups>> DuckDbEngine::run(const plan::Checked& checked,
                                                       const OwnerLog& log) {
  std::lock_guard lock(mutex_);
  connection_->resume();
  return unchanged(log, [&]() -> Result<Sensitive<mechanism::Groups>> {
    DISCREET_TRY(readable_.check(*connection_, checked, schemas_, log));
    DISCREET_ASSIGN(const lowering::CutFacts facts, learn(checked, log));
    DISCREET_ASSIGN(Secret secret, Secret::fresh());
    DISCREET_ASSIGN(mechanism::Groups groups,
                    run_lowered(*connection_, lower_plan(checked, facts, dialect(), schemas_),
                                checked.steps().size(), secret, log));
    return Sensitive<mechanism::Groups>(std::move(groups));
  });
}

Result<Sensitive<mechanism::UnitRows>> DuckDbEngine::read_rows(const plan::CheckedRows& question,
                                                               const random::Secret* names,
                                                               const OwnerLog& log) {
  std::lock_guard lock(mutex_);
  connection_->resume();
  return unchanged(log, [&]() -> Result<Sensitive<mechanism::UnitRows>> {
    DISCREET_TRY(readable_.check(*connection_, question.rows, schemas_, log));
    DISCREET_ASSIGN(const Secret secret,
                    names != nullptr ? Result<Secret>(*names) : Secret::fresh());
    DISCREET_ASSIGN(const lowering::CutFacts facts, learn(question.rows, log));
    DISCREET_ASSIGN(
        mechanism::UnitRows rows,
        run_rows(*connection_, lowering::lower_rows(question.rows, dialect(), schemas_, facts),
                 secret, names != nullptr, log));
    return Sensitive<mechanism::UnitRows>(std::move(rows));
  });
}

Result<std::vector<std::string>> DuckDbEngine::repeated_keys(const policy::Policy& policy,
                                                             const OwnerLog& log) {
  std::lock_guard lock(mutex_);
  connection_->resume();
  return unchanged(log, [&]() -> Result<std::vector<std::string>> {
    std::vector<std::string> repeated;
    for (const lowering::UniqueKey& key : lowering::unique_keys(policy, dialect(), schemas_)) {
      DISCREET_TRY(connection_->query(key.most.print(), log, [&](const Chunk& chunk) {
        for (idx_t i = 0; i < duckdb_data_chunk_get_size(chunk.get()); ++i) {
          if (column(chunk, 0).values<std::int64_t>()[i] > 1) repeated.push_back(key.name);
        }
      }));
    }
    return repeated;
  });
}

std::string DuckDbEngine::explain(const plan::Checked& checked) const {
  return lower_plan(checked, dialect(), schemas_).print();
}

Result<std::vector<std::string>> DuckDbEngine::public_values(const policy::Policy& policy,
                                                             const std::string& table,
                                                             const std::string& column_name,
                                                             std::size_t most,
                                                             const OwnerLog& log) {
  DISCREET_TRY(check_public(policy, table));
  DISCREET_ASSIGN(const StoredColumn* stored, find_column(schemas_, table, column_name));
  if (!has_text(*stored)) return cannot_read(table, *stored, Type::kText);
  std::lock_guard lock(mutex_);
  connection_->resume();
  Select select;
  select.outputs = {as_text(*stored, Sql::name({"t0", column_name}))};
  select.from.push_back({Sql::name({table}), "t0", {}});
  select.where = {Sql::postfix(Sql::name({"t0", column_name}), "IS NOT NULL")};
  select.group_by = 1;
  std::vector<std::string> values;
  DISCREET_TRY(unchanged(log, [&] {
    return connection_->query(select.print(), log, [&](const Chunk& chunk) {
      for (idx_t i = 0; i < duckdb_data_chunk_get_size(chunk.get()); ++i) {
        values.emplace_back(column(chunk, 0).text(i));
      }
    });
  }));
  DISCREET_TRY(check_listed(values.size(), table, column_name, most));
  std::sort(values.begin(), values.end());
  return values;
}

Result<std::int64_t> DuckDbEngine::multiplicity(const policy::Policy& policy,
                                                const std::string& table,
                                                const std::vector<std::string>& columns,
                                                const OwnerLog& log) {
  DISCREET_TRY(check_public(policy, table));
  for (const std::string& name : columns) DISCREET_TRY(find_column(schemas_, table, name));
  const auto key = std::make_pair(table, columns);
  {
    std::lock_guard lock(facts_mutex_);
    const auto known = multiplicities_.find(key);
    if (known != multiplicities_.end()) return known->second;
  }
  std::int64_t most = 0;
  {
    std::lock_guard lock(mutex_);
    connection_->resume();
    DISCREET_ASSIGN(most, unchanged(log, [&]() -> Result<std::int64_t> {
                      return number_of(lowering::most_equal(table, columns, dialect(), schemas_),
                                       log);
                    }));
  }
  std::lock_guard lock(facts_mutex_);
  return multiplicities_[key] = most;
}

}  // namespace discreet::engine::duckdb
