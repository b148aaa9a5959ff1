// SPDX-License-Identifier: Apache-2.0
#include "plan/blocks.h"

#include <algorithm>

#include "plan/shape.h"
#include "plan/shape_rules.h"
#include "policy/value.h"

namespace discreet::plan {
namespace {

// A constant as the column would give it.
Value as_read(const policy::Column& column, Value value) {
  const Shape shape = shape_of(column);
  value.type = column.type;
  if (shape.grid && value.data.index() == 2) value.data = onto(*shape.grid, value.number());
  return value;
}

class Pins {
 public:
  Pins(const Plan& plan, const policy::Units& units, const policy::Policy& policy);

  /// The declared values that a condition leaves; nothing if it is not about the block column.
  std::optional<std::vector<std::string>> pinned(const Expr& condition) const;
  /// block column IN (declared values), if the source has its table.
  std::optional<Expr> declared() const;

 private:
  bool is_block_column(const Expr& expr) const {
    return column_ != nullptr && expr.op == Op::kColumn && expr.name == column_->name &&
           is_block_table(expr.table);
  }
  bool is_block_table(std::size_t table) const {
    return table < plan_.source.tables.size() && plan_.source.tables[table].table == table_;
  }
  bool is(const std::string& block, const Expr& literal) const;

  const Plan& plan_;
  const policy::Units& units_;
  std::string table_;
  const policy::Column* column_ = nullptr;  // none: nothing pins a block
};

// Only this column of this table says a unit's block; others may have its name and mean something
// else. Where the source has the table, its rows have the owner of the joined row (Lemma 1).
Pins::Pins(const Plan& plan, const policy::Units& units, const policy::Policy& policy)
    : plan_(plan), units_(units) {
  const auto named = policy::split_at_dot(units.block_column);
  const policy::Table* const table = named ? policy.find(named->first) : nullptr;
  if (table == nullptr || table->is_public() || table->unit->space != units.name) return;
  table_ = table->name;
  column_ = table->find(named->second);
}

bool Pins::is(const std::string& block, const Expr& literal) const {
  if (literal.op != Op::kLiteral || literal.value.is_null()) return false;
  const auto value = policy::parse_value(column_->type, block);
  // Not `literal` as the column reads it: 2019 is not the block 2020 that it would be clamped to.
  return value.has_value() && as_read(*column_, *value).data == literal.value.data;
}

std::optional<std::vector<std::string>> Pins::pinned(const Expr& condition) const {
  const bool equal = condition.op == Op::kEqual && condition.args.size() == 2;
  if (!equal && (condition.op != Op::kIn || condition.args.empty())) return std::nullopt;
  const std::size_t at = equal && !is_block_column(condition.args[0]) ? 1 : 0;
  if (!is_block_column(condition.args[at])) return std::nullopt;
  for (std::size_t i = 0; i < condition.args.size(); ++i) {
    if (i != at && condition.args[i].op != Op::kLiteral) return std::nullopt;
  }
  std::vector<std::string> named;
  for (const std::string& block : units_.block_values) {
    const bool found = std::any_of(condition.args.begin(), condition.args.end(),
                                   [&](const Expr& arg) { return is(block, arg); });
    if (found) named.push_back(block);
  }
  return named;
}

std::optional<Expr> Pins::declared() const {
  if (column_ == nullptr || units_.block_values.empty()) return std::nullopt;
  for (std::size_t table = 0; table < plan_.source.tables.size(); ++table) {
    if (!is_block_table(table)) continue;
    std::vector<Expr> args = {Expr::column(table, column_->name)};
    for (const std::string& block : units_.block_values) {
      const auto value = policy::parse_value(column_->type, block);
      if (value) args.push_back(Expr::literal(as_read(*column_, *value)));
    }
    return Expr::of(Op::kIn, std::move(args));
  }
  return std::nullopt;
}

void flatten(const Expr& expr, std::vector<Expr>& conditions) {
  if (expr.op != Op::kAnd) {
    conditions.push_back(expr);
    return;
  }
  for (const Expr& arg : expr.args) flatten(arg, conditions);
}

}  // namespace

Blocks blocks_of(const Plan& plan, const Owner& owner, const policy::Policy& policy) {
  if (owner.units->block_column.empty()) return {{}, "", plan.filter};
  const Pins pins(plan, *owner.units, policy);
  std::vector<Expr> conditions;
  if (plan.filter) flatten(*plan.filter, conditions);
  std::optional<std::vector<std::string>> named;
  for (const Expr& condition : conditions) {
    const auto pinned = pins.pinned(condition);
    if (!pinned) continue;
    if (!named) {
      named = pinned;
      continue;
    }
    std::erase_if(*named, [&](const std::string& block) {
      return std::find(pinned->begin(), pinned->end(), block) == pinned->end();
    });
  }
  const auto declared = pins.declared();
  if (declared) conditions.push_back(*declared);
  Blocks blocks;
  blocks.named = named.value_or(std::vector<std::string>{});
  if (!blocks.named.empty()) blocks.attribute = owner.units->block_column;
  if (conditions.size() == 1) blocks.filter = conditions.front();
  if (conditions.size() > 1) blocks.filter = Expr::of(Op::kAnd, std::move(conditions));
  return blocks;
}

}  // namespace discreet::plan
