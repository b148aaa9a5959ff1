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
  Pins(const Plan& plan, const Owner& owner, const policy::Policy& policy)
      : plan_(plan), units_(*owner.units), policy_(policy), unit_table_(owner.unit_table) {}

  /// The declared values that a condition leaves; nothing if it is not about the block column.
  std::optional<std::vector<std::string>> pinned(const Expr& condition) const;
  /// block column IN (declared values), on the unit's table if it has the column.
  std::optional<Expr> declared() const;

 private:
  const policy::Column* block_column(std::size_t table) const;
  const policy::Column* block_column(const Expr& expr) const {
    return expr.op == Op::kColumn && expr.name == units_.block_column ? block_column(expr.table)
                                                                      : nullptr;
  }
  bool is(const policy::Column& column, const std::string& block, const Expr& literal) const;

  const Plan& plan_;
  const policy::Units& units_;
  const policy::Policy& policy_;
  std::size_t unit_table_;
};

const policy::Column* Pins::block_column(std::size_t table) const {
  if (table >= plan_.source.tables.size()) return nullptr;
  const policy::Table* const found = policy_.find(plan_.source.tables[table].table);
  return found == nullptr || found->is_public() ? nullptr : found->find(units_.block_column);
}

bool Pins::is(const policy::Column& column, const std::string& block, const Expr& literal) const {
  if (literal.op != Op::kLiteral || literal.value.is_null()) return false;
  const auto value = policy::parse_value(column.type, block);
  // Not `literal` as the column reads it: 2019 is not the block 2020 that it would be clamped to.
  return value.has_value() && as_read(column, *value).data == literal.value.data;
}

std::optional<std::vector<std::string>> Pins::pinned(const Expr& condition) const {
  const bool equal = condition.op == Op::kEqual && condition.args.size() == 2;
  if (!equal && (condition.op != Op::kIn || condition.args.empty())) return std::nullopt;
  const bool turned = equal && block_column(condition.args[0]) == nullptr;
  const policy::Column* const column = block_column(condition.args[turned ? 1 : 0]);
  if (column == nullptr) return std::nullopt;
  if (equal && condition.args[turned ? 0 : 1].op != Op::kLiteral) return std::nullopt;
  std::vector<std::string> named;
  for (const std::string& block : units_.block_values) {
    const bool found = std::any_of(condition.args.begin(), condition.args.end(),
                                   [&](const Expr& arg) { return is(*column, block, arg); });
    if (found) named.push_back(block);
  }
  return named;
}

std::optional<Expr> Pins::declared() const {
  std::vector<std::size_t> order = {unit_table_};
  for (std::size_t i = 0; i < plan_.source.tables.size(); ++i) order.push_back(i);
  for (const std::size_t table : order) {
    const policy::Column* const column = block_column(table);
    if (column == nullptr || units_.block_values.empty()) continue;
    std::vector<Expr> args = {Expr::column(table, units_.block_column)};
    for (const std::string& block : units_.block_values) {
      const auto value = policy::parse_value(column->type, block);
      if (value) args.push_back(Expr::literal(as_read(*column, *value)));
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
  if (owner.units->block_column.empty()) return {{}, plan.filter};
  const Pins pins(plan, owner, policy);
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
  if (conditions.size() == 1) blocks.filter = conditions.front();
  if (conditions.size() > 1) blocks.filter = Expr::of(Op::kAnd, std::move(conditions));
  return blocks;
}

}  // namespace discreet::plan
