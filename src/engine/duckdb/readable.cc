// SPDX-License-Identifier: Apache-2.0
#include "engine/duckdb/readable.h"

#include <vector>

#include "base/error.h"
#include "engine/duckdb/sources.h"
#include "engine/lowering/sql.h"

namespace discreet::engine::duckdb {
namespace {

using lowering::Select;
using lowering::Sql;

/// Tables that a question reads, and names of columns: of which table does not matter, a few more
/// columns may be read.
struct Read {
  std::set<std::string> tables;
  std::set<std::string> columns;

  void add(const plan::Expr& expr) {
    if (expr.op == plan::Op::kColumn) columns.insert(expr.name);
    for (const plan::Expr& arg : expr.args) add(arg);
  }

  void add(const std::optional<plan::Expr>& expr) {
    if (expr) add(*expr);
  }

  void add(const plan::Source& source, const policy::Policy& policy) {
    for (const plan::TableUse& use : source.tables) {
      for (const plan::JoinOn& on : use.on) columns.insert({on.left, on.right});
      add(use.condition);
      for (const plan::Part& part : use.parts) {
        add(part.source, policy);
        add(part.filter);
        for (const plan::Field& field : part.fields) add(field.expr);
      }
      if (!use.is_subquery()) add_table(*policy.find(use.table));
    }
  }

  void add_table(const policy::Table& table) {
    tables.insert(table.name);
    if (!table.unit) return;
    columns.insert(table.unit->column);
    for (const policy::UnitPath::Step& step : table.unit->steps) {
      tables.insert(step.table);
      columns.insert({step.column, step.key});
    }
  }
};

Read read_by(const plan::Checked& checked) {
  Read read;
  const plan::Plan& plan = checked.plan();
  read.add(plan.source, checked.policy());
  read.add(plan.filter);
  for (const plan::Key& key : plan.keys) read.add(key.expr);
  for (const plan::Measurement& measurement : plan.measurements) read.add(measurement.argument);
  if (const auto& members = checked.members()) {
    read.tables.insert(members->table);
    read.columns.insert({members->unit, members->larger});
  }
  return read;
}

/// Takes every value of these columns into account, so that none can be passed over.
Select all_of(const std::string& table, const std::vector<std::string>& columns) {
  Select select;
  for (const std::string& column : columns) {
    select.outputs.push_back(
        Sql::call("bit_xor", {Sql::call("hash", {Sql::name({"t0", column})})}));
  }
  select.from = {{Sql::name({table}), "t0", {}}};
  return select;
}

}  // namespace

std::set<std::string> tables_read_by(const plan::Checked& checked) {
  return read_by(checked).tables;
}

Result<void> ReadableColumns::check(Connection& connection, const plan::Checked& checked,
                                    const lowering::Schemas& schemas, const OwnerLog& log) {
  const Read read = read_by(checked);
  for (const std::string& name : read.tables) {
    const policy::Policy& policy = checked.policy();
    DISCREET_ASSIGN(const SourceName source,
                    parse_source(policy.find(name)->source, policy.directory));
    const bool is_text =
        source.kind == SourceName::Kind::kCsv || source.kind == SourceName::Kind::kJson;
    if (is_text) continue;
    std::vector<std::string> columns;
    for (const lowering::StoredColumn& column : schemas.at(name).columns) {
      if (!read.columns.contains(column.name) || read_.contains({name, column.name})) continue;
      columns.push_back(column.name);
    }
    if (columns.empty()) continue;
    const Result<void> done = connection.query(all_of(name, columns).print(), log);
    if (!done && done.error().code == Code::kEngine) {
      return Error{Code::kEngine, "the source of table " + in_quotes(name) +
                                      " cannot be read; the owner's log has the database's words"};
    }
    DISCREET_TRY(done);
    for (const std::string& column : columns) read_.insert({name, column});
  }
  return {};
}

}  // namespace discreet::engine::duckdb
