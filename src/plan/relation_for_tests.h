// SPDX-License-Identifier: Apache-2.0
// The rows of tables, subqueries and joins, slow and obvious: plan.h word for word.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "plan/identity.h"
#include "plan/interpreter_for_tests.h"

namespace discreet::plan {

/// table -> its rows
using Database = std::map<std::string, std::vector<RawRow>>;

/// A text that is different for different values.
inline std::string tagged(const Value& value) {
  if (value.is_null()) return "n;";
  if (const bool* b = std::get_if<bool>(&value.data)) return *b ? "t;" : "f;";
  if (const Rational* r = std::get_if<Rational>(&value.data)) {
    return "r" + r->numerator().get_str() + "/" + r->denominator().get_str() + ";";
  }
  return "s" + std::to_string(value.text().size()) + ":" + value.text();
}

inline std::string tagged(const std::vector<Value>& values) {
  std::string text;
  for (const Value& value : values) text += tagged(value);
  return text;
}

/// A keyed mixing of text; for ordering only.
inline std::uint64_t mixed(std::uint64_t secret, const std::string& text) {
  std::uint64_t h = secret ^ 0x9E3779B97F4A7C15U;
  for (const char c : text) {
    h = (h ^ static_cast<unsigned char>(c)) * 0xFF51AFD7ED558CCDU;
    h ^= h >> 29;
  }
  return h;
}

inline const Value& raw(const RawRow& row, const std::string& column) {
  static const Value kNull = null_value();
  const auto found = row.find(column);
  return found == row.end() ? kNull : found->second;
}

inline bool raw_equal(const Value& a, const Value& b) {
  return !a.is_null() && !b.is_null() && a.data == b.data;
}

/// The unit of a table's row, by its path; NULL when it leads nowhere.
inline Value owner_of(const RawRow& row, const policy::UnitPath& path, const Database& database,
                      std::size_t step = 0) {
  if (step == path.steps.size()) return raw(row, path.column);
  const policy::UnitPath::Step& next = path.steps[step];
  const auto table = database.find(next.table);
  if (table == database.end()) return null_value();
  for (const RawRow& candidate : table->second) {
    if (raw_equal(raw(row, next.column), raw(candidate, next.key))) {
      return owner_of(candidate, path, database, step + 1);
    }
  }
  return null_value();
}

/// Wrong rules, for tests that must notice them.
enum class RelationFault { kNone, kGroupsMixUnits, kNoLimitPerUnit, kNoLimitPerKey };

class Relations {
 public:
  /// Both must outlive this.
  Relations(const policy::Policy& policy, const Database& database, RelationFault fault = {})
      : policy_(policy), database_(database), fault_(fault) {}

  /// All combinations of rows that satisfy the joins.
  std::vector<JoinedRow> join(const Source& source) const {
    const Interpreter interpreter(source, policy_);
    std::vector<JoinedRow> joined(1);
    for (std::size_t i = 0; i < source.tables.size(); ++i) {
      const TableUse& use = source.tables[i];
      const std::vector<RawRow> rows = limited(source, i);
      std::vector<JoinedRow> longer;
      for (const JoinedRow& before : joined) {
        std::vector<JoinedRow> met;
        for (const RawRow& row : rows) {
          if (!equal(use, before, row)) continue;
          JoinedRow both = before;
          both.push_back(row);
          if (meets(use, both, interpreter)) met.push_back(std::move(both));
        }
        JoinedRow alone = before;
        alone.emplace_back();
        const bool filters = use.join == JoinKind::kSemi || use.join == JoinKind::kAnti;
        const bool stays = use.join == JoinKind::kSemi ? !met.empty() : met.empty();
        if (!filters) std::move(met.begin(), met.end(), std::back_inserter(longer));
        if (use.join != JoinKind::kInner && stays) longer.push_back(std::move(alone));
      }
      joined = std::move(longer);
    }
    return joined;
  }

  /// Whose a joined row is, by one of its tables.
  Value unit(const Source& source, std::size_t table, const JoinedRow& row) const {
    const TableUse& use = source.tables[table];
    if (use.is_subquery()) return raw(row[table], kUnitField);
    return owner_of(row[table], *policy_.find(use.table)->unit, database_);
  }

 private:
  static bool equal(const TableUse& use, const JoinedRow& before, const RawRow& row) {
    return std::all_of(use.on.begin(), use.on.end(), [&](const JoinOn& on) {
      return raw_equal(raw(before[on.left_table], on.left), raw(row, on.right));
    });
  }

  static bool meets(const TableUse& use, const JoinedRow& row, const Interpreter& interpreter) {
    if (!use.condition) return true;
    const Value value = interpreter.evaluate(*use.condition, row);
    return !value.is_null() && std::get<bool>(value.data);
  }

  bool is_private(const TableUse& use) const {
    if (!use.is_subquery()) return policy_.find(use.table)->unit.has_value();
    const auto& tables = use.parts.front().source.tables;
    return std::any_of(tables.begin(), tables.end(),
                       [&](const TableUse& inside) { return is_private(inside); });
  }

  std::vector<RawRow> rows(const TableUse& use) const {
    if (use.is_subquery()) {
      std::vector<RawRow> all;
      for (const Part& part : use.parts) {
        std::vector<RawRow> more = rows(part);
        std::move(more.begin(), more.end(), std::back_inserter(all));
      }
      return all;
    }
    const auto found = database_.find(use.table);
    return found == database_.end() ? std::vector<RawRow>{} : found->second;
  }

  std::vector<RawRow> rows(const Part& part) const {
    const Interpreter interpreter(part.source, policy_);
    std::optional<std::size_t> owner;  // any of its tables that is always there will do
    for (std::size_t i = part.source.tables.size(); i-- > 0;) {
      const TableUse& use = part.source.tables[i];
      if (use.join == JoinKind::kInner && is_private(use)) owner = i;
    }
    std::vector<RawRow> out;
    std::map<std::string, std::pair<Value, std::vector<JoinedRow>>> groups;
    for (JoinedRow& row : join(part.source)) {
      if (part.filter) {
        const Value passes = interpreter.evaluate(*part.filter, row);
        if (passes.is_null() || !std::get<bool>(passes.data)) continue;
      }
      const Value whose = owner ? unit(part.source, *owner, row) : null_value();
      if (owner && whose.is_null()) continue;
      if (!part.grouped) {
        out.push_back(fields(part, interpreter, whose, {row}));
        continue;
      }
      std::string key = fault_ == RelationFault::kGroupsMixUnits ? "" : tagged(whose);
      for (const Field& field : part.fields) {
        if (field.fold == Fold::kValue) key += tagged(interpreter.evaluate(*field.expr, row));
        if (field.fold == Fold::kIdentifier && fault_ != RelationFault::kGroupsMixUnits) {
          key += tagged(raw(row[field.expr->table], field.expr->name));
        }
      }
      auto& group = groups[key];
      group.first = whose;
      group.second.push_back(std::move(row));
    }
    for (const auto& [key, group] : groups) {
      out.push_back(fields(part, interpreter, group.first, group.second));
    }
    return out;
  }

  RawRow fields(const Part& part, const Interpreter& interpreter, const Value& whose,
                const std::vector<JoinedRow>& rows) const {
    RawRow out;
    out[kUnitField] = whose;
    for (const Field& field : part.fields) {
      if (field.fold == Fold::kIdentifier) {
        out[field.name] = raw(rows[0][field.expr->table], field.expr->name);
      } else if (field.fold == Fold::kValue) {
        out[field.name] = interpreter.evaluate(*field.expr, rows[0]);
      } else {
        out[field.name] = fold(part, field, interpreter, rows);
      }
    }
    return out;
  }

  Value fold(const Part& part, const Field& field, const Interpreter& interpreter,
             const std::vector<JoinedRow>& rows) const {
    std::vector<Rational> numbers;
    std::set<std::string> different;
    std::int64_t count = 0;
    for (const JoinedRow& row : rows) {
      const Value value = field.expr ? interpreter.evaluate(*field.expr, row) : truth_value(true);
      if (value.is_null()) continue;
      ++count;
      different.insert(tagged(value));
      if (value.data.index() == 2) numbers.push_back(value.number());
    }
    const auto inside = [&](const Rational& n) {
      return std::clamp(n, field.grid->low, field.grid->high);
    };
    if (field.fold == Fold::kRows) return {inside(count), Type::kInteger};
    if (field.fold == Fold::kDistinct) {
      return {inside(static_cast<std::int64_t>(different.size())), Type::kInteger};
    }
    if (numbers.empty()) return null_value();
    const Shape argument = shape_of(*field.expr, part.source, policy_, Use::kChecked).value();
    Rational sum = 0;
    for (const Rational& n : numbers) sum = sum + n;
    if (field.fold == Fold::kSum) return {inside(sum), argument.type};
    if (field.fold == Fold::kLeast) {
      return {*std::min_element(numbers.begin(), numbers.end()), argument.type};
    }
    if (field.fold == Fold::kGreatest) {
      return {*std::max_element(numbers.begin(), numbers.end()), argument.type};
    }
    const Rational step = common_step(argument.grid->step, power_of_ten(-6));
    return {nearest_multiple(sum / Rational(count), step), Type::kDecimal};
  }

  // pair_join.h: of each unit at most k rows, of each value of the join's columns at most f.
  std::vector<RawRow> limited(const Source& source, std::size_t index) const {
    const TableUse& use = source.tables[index];
    std::vector<RawRow> all = rows(use);
    if (!use.limits) return all;
    std::vector<std::string> columns;
    for (const JoinOn& on : source.tables[1].on) columns.push_back(index == 0 ? on.left : on.right);
    if (fault_ != RelationFault::kNoLimitPerUnit) {
      all = first_of_each(std::move(all), {kUnitField}, use.limits->rows_per_unit);
    }
    if (fault_ == RelationFault::kNoLimitPerKey) return all;
    return first_of_each(std::move(all), columns, use.limits->rows_per_key);
  }

  static std::vector<RawRow> first_of_each(std::vector<RawRow> rows,
                                           const std::vector<std::string>& columns,
                                           std::int64_t most) {
    std::map<std::string, std::vector<std::pair<std::pair<std::uint64_t, std::string>, RawRow>>> of;
    for (RawRow& row : rows) {
      std::string key;
      for (const std::string& column : columns) key += tagged(raw(row, column));
      std::string contents;
      for (const auto& [name, value] : row) contents += tagged(value);
      of[key].push_back({{mixed(99, contents), contents}, std::move(row)});
    }
    std::vector<RawRow> out;
    for (auto& [key, group] : of) {
      std::sort(group.begin(), group.end(),
                [](const auto& a, const auto& b) { return a.first < b.first; });
      for (std::size_t i = 0; i < group.size() && i < static_cast<std::size_t>(most); ++i) {
        out.push_back(std::move(group[i].second));
      }
    }
    return out;
  }

  const policy::Policy& policy_;
  const Database& database_;
  RelationFault fault_;
};

}  // namespace discreet::plan
