// SPDX-License-Identifier: Apache-2.0
#include "engine/lowering/relation.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <set>

#include "base/check.h"
#include "engine/lowering/expression.h"
#include "engine/lowering/fold.h"
#include "plan/identity.h"

namespace discreet::engine::lowering {
namespace {

using plan::Expr;
using plan::Field;
using plan::Fold;
using plan::JoinKind;
using plan::Part;
using plan::Source;
using plan::TableUse;

std::string alias(std::size_t table) { return ExpressionLowering::alias(table); }

/// Whether a question reads a table, at any depth.
bool reads(const Source& source, const std::string& table) {
  return std::any_of(source.tables.begin(), source.tables.end(), [&](const TableUse& use) {
    if (!use.is_subquery()) return use.table == table;
    return std::any_of(use.parts.begin(), use.parts.end(),
                       [&](const Part& part) { return reads(part.source, table); });
  });
}

Word how(JoinKind join) {
  switch (join) {
    case JoinKind::kInner:
      return "JOIN";
    case JoinKind::kLeft:
      return "LEFT JOIN";
    case JoinKind::kSemi:
      return "SEMI JOIN";
    case JoinKind::kAnti:
      return "ANTI JOIN";
  }
  DISCREET_CHECK(false);
}

/// Adds the AND-ed conditions that look at nothing but table `index`.
void conditions_on(const Expr& filter, std::size_t index, std::vector<const Expr*>& out) {
  if (filter.op == plan::Op::kAnd) {
    for (const Expr& arg : filter.args) conditions_on(arg, index, out);
    return;
  }
  bool some = false;
  const std::function<bool(const Expr&)> only_here = [&](const Expr& expr) {
    if (expr.op == plan::Op::kColumn) {
      some = true;
      if (expr.table != index) return false;
    }
    return std::all_of(expr.args.begin(), expr.args.end(), only_here);
  };
  if (only_here(filter) && some) out.push_back(&filter);
}

/// The stored columns that are read of a scan that is cut.
std::set<std::string> columns_of(const plan::ScanCut& cut) {
  std::set<std::string> columns(cut.names.begin(), cut.names.end());
  columns.insert(cut.values.begin(), cut.values.end());
  return columns;
}

// A key that says whose the group is, in every row.
bool tells_unit(const Part& part, const Field& field) {
  return field.fold == Fold::kIdentifier &&
         part.source.tables[field.expr->table].join == JoinKind::kInner;
}

}  // namespace

const StoredColumn& RelationLowering::stored(const std::string& table,
                                             const std::string& column) const {
  const auto& columns = schemas_.at(table).columns;
  const auto found = std::find_if(columns.begin(), columns.end(),
                                  [&](const StoredColumn& one) { return one.name == column; });
  DISCREET_CHECK(found != columns.end());
  return *found;
}

bool RelationLowering::unit_is_whole(const Source& source) const {
  const TableUse& use = source.tables[*plan::unit_table_of(source, policy_)];
  if (use.is_subquery()) return is_whole(use, plan::kUnitField);
  const policy::UnitPath& path = *policy_.find(use.table)->unit;
  const std::string& last = path.steps.empty() ? use.table : path.steps.back().table;
  return dialect_.is_whole(stored(last, path.column));
}

bool RelationLowering::is_whole(const TableUse& use, const std::string& column) const {
  if (!use.is_subquery()) return dialect_.is_whole(stored(use.table, column));
  return std::all_of(use.parts.begin(), use.parts.end(), [&](const Part& part) {
    if (column == plan::kUnitField) return unit_is_whole(part.source);
    const Field& field = *plan::find_field(part, column);
    return is_whole(part.source.tables[field.expr->table], field.expr->name);
  });
}

RelationLowering::Named RelationLowering::named(const Source& source, std::size_t table,
                                                const std::string& column) const {
  const TableUse& use = source.tables[table];
  Named out{Sql::name({alias(table), sql_name(use, column)}), nullptr, is_whole(use, column),
            !plan::is_private(use, policy_) || is_unit(use, column)};
  if (!use.is_subquery()) out.stored = &stored(use.table, column);
  return out;
}

RelationLowering::Named RelationLowering::named(const std::string& table, const std::string& called,
                                                const std::string& column) const {
  TableUse use;
  use.table = table;
  const StoredColumn& as_stored = stored(table, column);
  return {Sql::name({called, column}), &as_stored, dialect_.is_whole(as_stored),
          is_unit(use, column)};
}

bool RelationLowering::is_unit(const TableUse& use, const std::string& column) const {
  if (use.is_subquery()) {
    if (column == plan::kUnitField) return true;
    return std::all_of(use.parts.begin(), use.parts.end(), [&](const Part& part) {
      const Field& field = *plan::find_field(part, column);
      return field.fold == Fold::kIdentifier &&
             is_unit(part.source.tables[field.expr->table], field.expr->name);
    });
  }
  const auto& path = policy_.find(use.table)->unit;
  if (!path || !path->steps.empty() || path->column != column) return false;
  const auto units = policy_.units.find(path->space);  // a household's rows have several
  return units == policy_.units.end() || !units->second.within;
}

Sql RelationLowering::identifier(const Named& name) const {
  return name.stored != nullptr ? dialect_.identifier(*name.stored, name.sql) : name.sql;
}

std::vector<Sql> RelationLowering::equal(const Named& a, const Named& b) const {
  const bool whole = a.whole && b.whole;
  std::vector<Sql> sides;
  for (const Named* side : {&a, &b}) {
    Sql sql = identifier(*side);
    const bool as_text = side->whole && !whole;
    sides.push_back(as_text ? dialect_.cast(std::move(sql), SqlType::kText) : std::move(sql));
  }
  std::vector<Sql> all;
  if (!a.is_unit || !b.is_unit) all = spread(sides[0], sides[1], !whole);
  const bool stored = a.stored != nullptr && b.stored != nullptr;
  all.insert(all.begin(), stored ? dialect_.equal_stored(*a.stored, a.sql, *b.stored, b.sql)
                                 : Sql::infix("=", std::move(sides)));
  return all;
}

// The comparison itself stays: hashes may agree, and what a table's numbers are compared with is
// known before it is read. A hash table's place is of both.
std::vector<Sql> RelationLowering::spread(const Sql& a, const Sql& b, bool texts) const {
  if (facts_.few_rows) return {};
  std::vector<Sql> sides;
  for (const Sql* side : {&a, &b}) {
    std::optional<Sql> hash = texts ? dialect_.named(*side) : dialect_.keyed({*side});
    if (!hash) return {};
    sides.push_back(*std::move(hash));
  }
  return {Sql::infix("=", std::move(sides))};
}

std::vector<Sql> RelationLowering::spread(const Source& source, const Expr& condition) const {
  std::vector<Sql> all;
  if (condition.op == plan::Op::kAnd) {
    for (const Expr& arg : condition.args) {
      std::vector<Sql> more = spread(source, arg);
      all.insert(all.end(), more.begin(), more.end());
    }
  }
  if (condition.op != plan::Op::kEqual) return all;
  std::set<std::size_t> tables[2];
  const std::function<void(const Expr&, std::size_t)> look = [&](const Expr& expr, std::size_t at) {
    if (expr.op == plan::Op::kColumn) tables[at].insert(expr.table);
    for (const Expr& arg : expr.args) look(arg, at);
  };
  for (const std::size_t side : {0, 1}) look(condition.args[side], side);
  if (tables[0].empty() || tables[1].empty() || tables[0] == tables[1]) return all;
  const ExpressionLowering expressions(dialect_, source, policy_, schemas_);
  const plan::Shape& a = expressions.shape(condition.args[0]);
  const plan::Shape& b = expressions.shape(condition.args[1]);
  std::vector<Sql> sides;
  for (const Expr& side : condition.args) {
    std::optional<Sql> hash;
    if (a.grid && b.grid) {
      const Rational step = plan::join(*a.grid, *b.grid).step;
      hash = dialect_.keyed({dialect_.cast(expressions.in_steps(side, step), SqlType::kWide)});
    } else if (a.type == policy::Type::kText && b.type == policy::Type::kText) {
      hash = dialect_.named(expressions.lower(side));
    }
    if (!hash) return all;
    sides.push_back(*std::move(hash));
  }
  all.push_back(Sql::infix("=", std::move(sides)));
  return all;
}

std::vector<Sql> RelationLowering::conditions(const Source& source, std::size_t index) const {
  const TableUse& use = source.tables[index];
  std::vector<Sql> all;
  for (const plan::JoinOn& on : use.on) {
    const bool fields = use.is_subquery() && plan::identities_of(use, on.right, policy_).empty();
    std::vector<Sql> both;
    if (fields) {
      const TableUse& left = source.tables[on.left_table];
      const Sql a = Sql::name({alias(on.left_table), sql_name(left, on.left)});
      const Sql b = Sql::name({alias(index), sql_name(use, on.right)});
      both = spread(a, b, is_text(use, on.right));
      both.insert(both.begin(), Sql::infix("=", {a, b}));
    } else {
      both = equal(named(source, on.left_table, on.left), named(source, index, on.right));
    }
    all.insert(all.end(), both.begin(), both.end());
  }
  if (use.condition) {
    const std::vector<Sql> more = spread(source, *use.condition);
    all.insert(all.end(), more.begin(), more.end());
    all.push_back(ExpressionLowering(dialect_, source, policy_, schemas_).lower(*use.condition));
  }
  return all;
}

Sql RelationLowering::scan(const Source& source, std::size_t index,
                           const std::optional<Expr>& filter) const {
  const TableUse& use = source.tables[index];
  Sql table = Sql::name(schemas_.at(use.table).name);
  const auto cut = joined_.cuts.find(use.table);
  if (cut == joined_.cuts.end()) return table;
  const auto known = facts_.scans.find(use.table);
  const ScanFacts facts = known == facts_.scans.end() ? ScanFacts() : known->second;
  if (facts.all_owned && facts.above && facts.above->empty()) return table;

  Select rows;
  rows.from = {{std::move(table), alias(index), {}}};
  const Identifier unit = this->unit(source, index, plan::unit_column_of(use, policy_), rows);
  if (filter) {
    std::vector<const Expr*> conditions;
    conditions_on(*filter, index, conditions);
    const ExpressionLowering expressions(dialect_, source, policy_, schemas_);
    std::int64_t room = plan::kPartsBeforeCut;
    for (const Expr* one : conditions) {
      if (plan::asked_before_cut(*one, room)) rows.where.push_back(expressions.lower(*one));
    }
  }
  if (!facts.above) return first_rows(source, index, cut->second, unit, std::move(rows));

  Select whole = rows;  // of units that have no more
  for (const std::string& column : columns_of(cut->second)) {
    whole.outputs.push_back(Sql::as(Sql::name({alias(index), column}), column));
  }
  if (facts.above->empty()) return Sql::subquery(whole);
  const Sql above = among(unit, *facts.above);
  whole.where.push_back(Sql::prefix("NOT", above));
  rows.where.push_back(above);
  Select first;
  for (const std::string& column : columns_of(cut->second)) {
    first.outputs.push_back(Sql::as(Sql::name({"f", column}), column));
  }
  first.from = {{first_rows(source, index, cut->second, unit, std::move(rows)), "f", {}}};
  return Sql::union_all({whole, first});
}

Sql RelationLowering::among(const Identifier& unit, const std::vector<std::string>& units) const {
  if (!unit.whole) return dialect_.among(unit.sql, units);
  std::vector<Sql> numbers;
  for (const std::string& one : units) {
    std::int64_t number = 0;  // as the database printed it
    std::from_chars(one.data(), one.data() + one.size(), number);
    numbers.push_back(dialect_.number(number));
  }
  return Sql::in(unit.sql, std::move(numbers));
}

// Columns are handed on under names of ours, so that no stored name can be one of these.
Sql RelationLowering::first_rows(const Source& source, std::size_t index, const plan::ScanCut& cut,
                                 const Identifier& unit, Select rows) const {
  const ExpressionLowering expressions(dialect_, source, policy_, schemas_);
  const std::string& table = source.tables[index].table;
  const auto raw = [&](const std::string& column) { return Sql::name({alias(index), column}); };
  std::vector<Sql> contents;  // all that the question can tell rows apart by
  std::vector<Sql> ordered;   // of each, a number to order by, which no secret is in
  const auto add = [&](const Sql& value, bool is_text) {
    const std::optional<Sql> named = is_text ? dialect_.named(value) : std::nullopt;
    contents.push_back(named.value_or(value));
    ordered.push_back(named ? dialect_.order_hash({value}, 0) : value);
  };
  for (const std::string& column : cut.names) {
    const StoredColumn& name = stored(table, column);
    add(dialect_.identifier(name, raw(column)), !dialect_.is_whole(name));
  }
  for (const std::string& column : cut.values) {
    const policy::Column& declared = *policy_.find(table)->find(column);
    add(expressions.lower(Expr::column(index, column)), declared.type == policy::Type::kText);
  }
  Select numbered;
  Select kept;
  const auto hand_on = [&](const Sql& value) {
    const std::string name = "c" + std::to_string(rows.outputs.size());
    rows.outputs.push_back(Sql::as(value, name));
    return name;
  };
  for (const std::string& column : columns_of(cut)) {
    const std::string name = hand_on(raw(column));
    numbered.outputs.push_back(Sql::as(Sql::name({"r", name}), name));
    kept.outputs.push_back(Sql::as(Sql::name({"s", name}), column));
  }
  const Sql whose = unit.whole ? unit.sql : dialect_.named(unit.sql).value_or(unit.sql);
  std::vector<Sql> same = {whose};  // rows with equal contents are numbered, as bounding.md does
  same.insert(same.end(), contents.begin(), contents.end());
  const Sql of_unit = Sql::name({"r", hand_on(whose)});
  std::vector<Sql> order;
  std::vector<Sql> hashed;
  for (std::size_t i = 0; i < contents.size(); ++i) {
    order.push_back(Sql::name({"r", hand_on(contents[i])}));
    const bool same_number = contents[i].print() == ordered[i].print();
    hashed.push_back(same_number ? order.back() : Sql::name({"r", hand_on(ordered[i])}));
  }
  order.push_back(Sql::name({"r", hand_on(Sql::row_number(same, {}))}));
  hashed.push_back(order.back());
  order.insert(order.begin(), dialect_.order_hash(hashed, 0));  // fixed before any row is seen
  numbered.outputs.push_back(Sql::as(Sql::row_number({of_unit}, order), "n"));
  numbered.from = {{Sql::subquery(rows), "r", {}}};
  kept.from = {{Sql::subquery(numbered), "s", {}}};
  kept.where = {Sql::infix("<=", {Sql::name({"s", "n"}), dialect_.number(cut.rows)})};
  return Sql::subquery(kept);
}

void RelationLowering::filter_by(FromTable met, bool has_words, Select& select) const {
  if (has_words) return select.from.push_back(std::move(met));
  const bool semi = met.how.text == "SEMI JOIN";
  Select rows;
  rows.outputs = {dialect_.number(1)};
  rows.where = std::move(met.on);
  rows.from = {{std::move(met.table), std::move(met.alias), {}}};
  const Sql exists = Sql::exists(rows);
  select.where.push_back(semi ? exists : Sql::prefix("NOT", exists));
}

Select RelationLowering::source(const Source& source, const std::optional<std::size_t>& unit_table,
                                const std::optional<Expr>& filter) const {
  Select select;
  for (std::size_t i = 0; i < source.tables.size(); ++i) {
    const TableUse& use = source.tables[i];
    Sql table = !use.is_subquery() ? scan(source, i, filter)
                : use.limits       ? limited(source, i)
                                   : subquery(use, unit_table == i);
    FromTable from{std::move(table), alias(i), conditions(source, i), how(use.join)};
    if (use.join == JoinKind::kInner || use.join == JoinKind::kLeft) {
      select.from.push_back(std::move(from));
      continue;
    }
    // An EXISTS is quicker, where it is safe.
    filter_by(std::move(from), dialect_.has_semi_joins() && !facts_.few_rows, select);
  }
  if (filter && source.tables.size() > 1) {
    const std::vector<Sql> more = spread(source, *filter);
    select.where.insert(select.where.end(), more.begin(), more.end());
  }
  return select;
}

Identifier RelationLowering::unit(const Source& source, std::size_t table,
                                  const std::string& column, Select& select) const {
  const TableUse& use = source.tables[table];
  if (use.is_subquery()) {
    const Sql name = Sql::name({alias(table), plan::kUnitField});
    return {name, is_whole(use, plan::kUnitField)};
  }
  std::string at = use.table;
  std::string called = alias(table);
  const policy::UnitPath& path = *policy_.find(at)->unit;
  for (std::size_t i = 0; i < path.steps.size(); ++i) {
    const policy::UnitPath::Step& step = path.steps[i];
    const std::string next = "u" + std::to_string(i);
    const bool is_last = i + 1 == path.steps.size();
    select.from.push_back(
        {path_table(step, is_last ? column : ""), next,
         equal(named(at, called, step.column), named(step.table, next, step.key))});
    at = step.table;
    called = next;
  }
  const StoredColumn& last = stored(at, column);
  const Sql raw = Sql::name({called, column});
  select.where.push_back(Sql::postfix(raw, "IS NOT NULL"));
  return {dialect_.identifier(last, raw), dialect_.is_whole(last)};
}

// Where the key is the unit itself a unit may have several rows: that there is one is all that
// counts.
Sql RelationLowering::path_table(const policy::UnitPath::Step& step,
                                 const std::string& unit_column) const {
  Sql table = Sql::name(schemas_.at(step.table).name);
  if (step.key != unit_column) return table;
  Select keys;
  keys.outputs = {Sql::as(Sql::name({"k", step.key}), step.key)};
  keys.from = {{std::move(table), "k", {}}};
  keys.group_by = 1;
  return Sql::subquery(keys);
}

bool RelationLowering::is_still(const Source& source) const {
  return std::all_of(source.tables.begin(), source.tables.end(), [&](const TableUse& use) {
    if (!use.is_subquery()) return schemas_.at(use.table).is_still;
    return std::all_of(use.parts.begin(), use.parts.end(),
                       [&](const Part& part) { return is_still(part.source); });
  });
}

std::optional<Owners> RelationLowering::owners(const Source& source, std::size_t table,
                                               const std::string& column) const {
  const TableUse& use = source.tables[table];
  if (use.is_subquery() || use.join != JoinKind::kInner || !is_still(source)) return std::nullopt;
  const policy::UnitPath& path = *policy_.find(use.table)->unit;
  if (path.steps.empty()) return std::nullopt;
  for (const policy::UnitPath::Step& step : path.steps) {
    if (reads(source, step.table) || !schemas_.at(step.table).is_still) return std::nullopt;
  }
  const policy::UnitPath::Step& first = path.steps.front();
  const StoredColumn& foreign = stored(use.table, first.column);
  const StoredColumn& key = stored(first.table, first.key);
  const StoredColumn& unit = stored(path.steps.back().table, column);
  if (!dialect_.is_whole(foreign) || !dialect_.is_whole(key) || !dialect_.is_whole(unit)) {
    return std::nullopt;
  }
  Select pairs;
  for (std::size_t i = 0; i < path.steps.size(); ++i) {
    const policy::UnitPath::Step& step = path.steps[i];
    const std::string name = "u" + std::to_string(i);
    const bool is_last = i + 1 == path.steps.size();
    FromTable from{path_table(step, is_last ? column : ""), name, {}};
    if (i > 0) {
      const std::string before = "u" + std::to_string(i - 1);
      from.on = equal(named(path.steps[i - 1].table, before, step.column),
                      named(step.table, name, step.key));
    }
    pairs.from.push_back(std::move(from));
  }
  const Sql raw_key = Sql::name({"u0", first.key});
  const Sql raw_unit = Sql::name({"u" + std::to_string(path.steps.size() - 1), column});
  pairs.outputs =
      dialect_.owners(dialect_.identifier(key, raw_key), dialect_.identifier(unit, raw_unit));
  pairs.where = {Sql::postfix(raw_key, "IS NOT NULL"), Sql::postfix(raw_unit, "IS NOT NULL")};
  return Owners{std::move(pairs),
                dialect_.identifier(foreign, Sql::name({alias(table), first.column}))};
}

void RelationLowering::counts(const Identifier& unit, const plan::Members& members,
                              Select& select) const {
  const StoredColumn& stored_unit = stored(members.table, members.unit);
  const StoredColumn& stored_larger = stored(members.table, members.larger);
  const Sql raw_unit = Sql::name({"m", members.unit});
  const Sql raw_larger = Sql::name({"m", members.larger});
  const Sql inner = dialect_.identifier(stored_unit, raw_unit);
  const Sql larger = dialect_.identifier(stored_larger, raw_larger);
  Select rows;  // of each unit the least larger one
  rows.outputs = {Sql::as(inner, "unit"), Sql::as(larger, "larger"),
                  Sql::as(Sql::row_number({inner}, {larger}), "~n")};
  rows.from = {{Sql::name(schemas_.at(members.table).name), "m", {}}};
  rows.where = {Sql::postfix(raw_unit, "IS NOT NULL"), Sql::postfix(raw_larger, "IS NOT NULL")};
  Select numbered;  // 1, 2, ... within the larger one
  numbered.outputs = {
      Sql::name({"a", "unit"}),
      Sql::as(Sql::row_number({Sql::name({"a", "larger"})}, {Sql::name({"a", "unit"})}), "~n")};
  numbered.from = {{Sql::subquery(rows), "a", {}}};
  numbered.where = {Sql::infix("=", {Sql::name({"a", "~n"}), dialect_.number(1)})};
  const bool whole = dialect_.is_whole(stored_unit);
  FromTable met{Sql::subquery(numbered), "b",
                equal({unit.sql, nullptr, unit.whole, false},
                      {Sql::name({"b", "unit"}), nullptr, whole, false}),
                "SEMI JOIN"};
  met.on.push_back(Sql::infix("<=", {Sql::name({"b", "~n"}), dialect_.number(members.most)}));
  filter_by(std::move(met), dialect_.has_semi_joins(), select);
}

Select RelationLowering::part(const TableUse& use, const Part& part, bool with_unit) const {
  const std::optional<std::size_t> owner = plan::unit_table_of(part.source, policy_);
  const bool told = std::any_of(part.fields.begin(), part.fields.end(),
                                [&](const Field& field) { return tells_unit(part, field); });
  // Groups are within a unit: by the unit, or by a key that tells it.
  const bool needs_unit = owner && (with_unit || (part.grouped && !told));
  const ExpressionLowering expressions(dialect_, part.source, policy_, schemas_);
  Select select = source(part.source, needs_unit ? owner : std::nullopt, part.filter);
  if (part.filter) select.where.push_back(expressions.lower(*part.filter));

  using Kind = GroupKey::Kind;
  std::vector<GroupKey> keys;
  if (needs_unit) {
    const TableUse& whose = part.source.tables[*owner];
    Identifier unit = this->unit(part.source, *owner, plan::unit_column_of(whose, policy_), select);
    const bool whole = is_whole(use, plan::kUnitField);
    if (unit.whole && !whole) unit.sql = dialect_.cast(std::move(unit.sql), SqlType::kText);
    keys.push_back({std::move(unit.sql), plan::kUnitField, whole ? Kind::kUnit : Kind::kText});
  }
  Source one;  // the shapes of the subquery's fields
  one.tables = {use};
  one.tables.front().join = JoinKind::kInner;
  std::vector<FoldedField> folded;
  for (const Field& field : part.fields) {
    if (field.fold == Fold::kIdentifier) {
      const Named name = named(part.source, field.expr->table, field.expr->name);
      Sql sql = name.stored != nullptr ? dialect_.identifier(*name.stored, name.sql) : name.sql;
      const bool whole = is_whole(use, field.name);
      if (name.whole && !whole) sql = dialect_.cast(sql, SqlType::kText);
      if (part.grouped && !needs_unit && tells_unit(part, field)) {
        select.where.push_back(Sql::postfix(name.sql, "IS NOT NULL"));
      }
      const Kind number = is_unit(part.source.tables[field.expr->table], field.expr->name)
                              ? Kind::kUnit
                              : Kind::kNumber;
      keys.push_back({std::move(sql), sql_name(use, field.name), whole ? number : Kind::kText});
      continue;
    }
    const plan::Shape to =
        plan::shape_of(plan::Expr::column(0, field.name), one, policy_, plan::Use::kChecked)
            .value();
    if (field.fold == Fold::kValue) {
      const Kind kind = to.grid                          ? Kind::kNumber
                        : to.type == policy::Type::kText ? Kind::kText
                                                         : Kind::kTruth;
      keys.push_back({expressions.as(*field.expr, to), sql_name(use, field.name), kind});
    } else {
      folded.push_back(fold_field(field, sql_name(use, field.name), to, expressions));
    }
  }
  if (!part.grouped) {
    for (const GroupKey& key : keys) select.outputs.push_back(Sql::as(key.value, key.called));
    if (keys.empty()) select.outputs = {dialect_.number(1)};  // rows of which nothing is read
    return select;
  }
  return grouped(std::move(select), keys, use, part, owner && with_unit, folded, dialect_);
}

bool RelationLowering::is_text(const TableUse& use, const std::string& field) const {
  if (field == plan::kUnitField) return !is_whole(use, field);
  const Field& one = *plan::find_field(use.parts.front(), field);
  if (one.fold == Fold::kIdentifier) return !is_whole(use, field);
  Source source;
  source.tables = {use};
  source.tables.front().join = JoinKind::kInner;
  const Expr column = Expr::column(0, field);
  return plan::shape_of(column, source, policy_, plan::Use::kChecked)->type == policy::Type::kText;
}

Sql RelationLowering::subquery(const TableUse& use, bool with_unit) const {
  std::vector<Select> parts;
  for (const Part& one : use.parts) parts.push_back(part(use, one, with_unit));
  return Sql::union_all(parts);
}

Sql RelationLowering::limited(const Source& source, std::size_t index) const {
  const TableUse& use = source.tables[index];
  std::vector<Sql> names;  // without the table: each of these SELECTs has one
  names.push_back(Sql::name({plan::kUnitField}));
  for (const Field& field : use.parts.front().fields) {
    names.push_back(Sql::name({sql_name(use, field.name)}));
  }
  const auto told = [&](const std::string& column) {
    const Sql name = Sql::name({sql_name(use, column)});
    return is_text(use, column) ? dialect_.named(name).value_or(name) : name;
  };
  std::vector<Sql> order = {told(plan::kUnitField)};
  for (const Field& field : use.parts.front().fields) order.push_back(told(field.name));
  order.insert(order.begin(), dialect_.order_hash(names, 0));  // fixed before any row is seen
  std::vector<Sql> columns;
  for (const plan::JoinOn& on : source.tables[1].on) {
    columns.push_back(told(index == 0 ? on.left : on.right));
  }
  const auto first = [&](Sql from, const std::vector<Sql>& among, std::int64_t most) {
    Select numbered;
    numbered.outputs = names;
    numbered.outputs.push_back(Sql::as(Sql::row_number(among, order), "~n"));
    numbered.from = {{std::move(from), "s", {}}};
    Select kept;
    kept.outputs = names;
    kept.from = {{Sql::subquery(numbered), "s", {}}};
    kept.where = {Sql::infix("<=", {Sql::name({"s", "~n"}), dialect_.number(most)})};
    return Sql::subquery(kept);
  };
  Sql side = subquery(use, true);
  side = first(std::move(side), {told(plan::kUnitField)}, use.limits->rows_per_unit);
  return first(std::move(side), columns, use.limits->rows_per_key);
}

}  // namespace discreet::engine::lowering
