// SPDX-License-Identifier: Apache-2.0
#include "plan/joined_rows.h"

#include <algorithm>
#include <set>

#include "base/check.h"
#include "base/suggest.h"
#include "plan/identity.h"
#include "plan/locality.h"
#include "plan/pair_join.h"

namespace discreet::plan {
namespace {

constexpr std::int64_t kMany = std::int64_t{1} << 62;

std::int64_t times(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) || product > kMany ? kMany : product;
}

std::int64_t plus(std::int64_t a, std::int64_t b) { return std::min(kMany, a + b); }

/// Whether at most one row of a table has a value there, by the policy's word. A unit may have
/// several rows where its own name is the key.
bool is_unique(const TableUse& use, const std::string& column, const policy::Policy& policy) {
  if (use.is_subquery() || is_unit_itself(use, column, policy)) return false;
  return std::any_of(policy.tables.begin(), policy.tables.end(), [&](const auto& other) {
    if (!other.second.unit) return false;
    const auto& steps = other.second.unit->steps;
    return std::any_of(steps.begin(), steps.end(), [&](const policy::UnitPath::Step& step) {
      return step.table == use.table && step.key == column;
    });
  });
}

/// Whether a unit has one row in a table, by the policy's word.
bool has_one_row(const std::string& table, const policy::Policy& policy) {
  const policy::Table* const declared = policy.find(table);
  if (declared == nullptr || !declared->unit) return false;
  const auto locality = locality_of({table, "", {}}, policy, 0);
  return locality && locality->rows_max == 1;
}

bool filters(const TableUse& use) {
  return use.join == JoinKind::kSemi || use.join == JoinKind::kAnti;
}

/// Rows of one unit, or of a public table.
struct Growth {
  std::int64_t rows = 0;     ///< of the result
  std::int64_t largest = 0;  ///< of the result, and of all that is joined on the way
  std::int64_t read = 0;     ///< of a unit, by all scans together
};

/// The bounds of Lemma 2.
class Counting {
 public:
  /// `size`: how many rows of a unit a scan gives. `unknown`: for facts that are not given.
  Counting(const policy::Policy& policy, const Multiplicity& facts, std::int64_t unknown,
           std::function<std::int64_t(const std::string& table)> size)
      : policy_(policy), facts_(facts), unknown_(unknown), size_(std::move(size)) {}

  Result<Growth> of(const Source& source, int depth = 0);
  /// Whether something became more rows than any table of its source brings, or would if the
  /// policy were wrong about a table with one row of each unit.
  bool multiplied() const { return multiplied_; }

 private:
  /// A table of a source that brings rows, as those before and after it see it.
  struct Joined {
    const TableUse* use = nullptr;
    std::int64_t rows = 0;                                       ///< of a unit
    std::uint32_t tied = 0;                                      ///< to these by some condition,
    std::uint32_t by_key = 0;                                    ///< by a key that is unique here,
    std::vector<std::pair<std::uint32_t, std::string>> on = {};  ///< by a column
  };

  Result<Growth> of(const TableUse& use, int depth);
  Result<std::int64_t> multiplicity(const std::string& table, std::vector<std::string> columns);
  std::vector<Joined> joined_tables(const Source& source, const std::vector<Growth>& tables) const;
  /// The most rows of a table that meet one joined row of `set`. Requires: it is tied to one.
  Result<std::int64_t> met(const Joined& table, std::uint32_t set);
  Result<Growth> joined(const Source& source, const std::vector<Growth>& tables);

  const policy::Policy& policy_;
  const Multiplicity& facts_;
  std::int64_t unknown_;
  std::function<std::int64_t(const std::string&)> size_;
  std::map<std::pair<std::string, std::vector<std::string>>, std::int64_t> asked_;
  bool multiplied_ = false;
};

Result<std::int64_t> Counting::multiplicity(const std::string& table,
                                            std::vector<std::string> columns) {
  if (!facts_) return unknown_;
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  const auto key = std::make_pair(table, columns);
  const auto known = asked_.find(key);
  if (known != asked_.end()) return known->second;
  DISCREET_ASSIGN(const std::int64_t most, facts_(table, columns));
  return asked_[key] = std::max<std::int64_t>(most, 1);
}

Result<Growth> Counting::of(const TableUse& use, int depth) {
  if (!use.is_subquery()) {
    if (!is_private(use, policy_)) return Growth{1, 1, 0};  // met() asks for what is needed
    const std::int64_t rows = size_(use.table);
    return Growth{rows, rows, rows};
  }
  Growth all;
  for (const Part& part : use.parts) {
    DISCREET_ASSIGN(const Growth one, of(part.source, depth + 1));
    all.rows = plus(all.rows, one.rows);
    all.largest = std::max(all.largest, one.largest);
    all.read = plus(all.read, one.read);
  }
  DISCREET_ASSIGN(const Locality locality, locality_of(use, policy_, depth));
  if (locality.rows_max) all.rows = std::min(all.rows, *locality.rows_max);
  return all;
}

std::vector<Counting::Joined> Counting::joined_tables(const Source& source,
                                                      const std::vector<Growth>& tables) const {
  std::vector<Joined> all;
  std::vector<std::size_t> place(source.tables.size());
  for (std::size_t i = 0; i < source.tables.size(); ++i) {
    if (filters(source.tables[i])) continue;
    place[i] = all.size();
    all.push_back({&source.tables[i], tables[i].rows});
  }
  const auto tie = [&](std::size_t i, const std::string& column, std::size_t to) {
    Joined& one = all[place[i]];
    const std::uint32_t bit = 1U << place[to];
    one.tied |= bit;
    if (column.empty()) return;
    one.on.emplace_back(bit, column);
    if (is_unique(*one.use, column, policy_)) one.by_key |= bit;
  };
  for (std::size_t i = 1; i < source.tables.size(); ++i) {
    const TableUse& use = source.tables[i];
    if (filters(use)) continue;
    for (const JoinOn& on : use.on) {
      tie(on.left_table, on.left, i);
      tie(i, on.right, on.left_table);
    }
    for (std::size_t j = 0; use.condition && j < i; ++j) {
      if (filters(source.tables[j])) continue;
      tie(i, "", j);
      tie(j, "", i);
    }
  }
  return all;
}

Result<std::int64_t> Counting::met(const Joined& table, std::uint32_t set) {
  if ((table.by_key & set) != 0) return 1;
  if (table.use->is_subquery() || is_private(*table.use, policy_)) {
    return std::max<std::int64_t>(table.rows, 1);
  }
  std::vector<std::string> columns;
  for (const auto& [bit, column] : table.on) {
    if ((bit & set) != 0) columns.push_back(column);
  }
  return multiplicity(table.use->table, std::move(columns));
}

// best[S] is the least bound over all orders of the tables in S; orders start with a table that has
// owners, if there is one, and never with one that a left join may leave out.
Result<Growth> Counting::joined(const Source& source, const std::vector<Growth>& tables) {
  const std::vector<Joined> all = joined_tables(source, tables);
  const bool owned = std::any_of(all.begin(), all.end(),
                                 [&](const Joined& one) { return is_private(*one.use, policy_); });
  constexpr std::int64_t kNever = -1;
  std::vector<std::int64_t> best(std::size_t{1} << all.size(), kNever);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const TableUse& use = *all[i].use;
    if (use.join != JoinKind::kInner || is_private(use, policy_) != owned) continue;
    best[1U << i] = all[i].rows;
    if (owned || use.is_subquery()) continue;
    DISCREET_ASSIGN(best[1U << i], multiplicity(use.table, {}));
  }
  Growth growth;
  for (std::uint32_t set = 1; set < best.size(); ++set) {
    if (best[set] == kNever) continue;
    growth.largest = std::max(growth.largest, best[set]);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::uint32_t larger = set | 1U << i;
      if (larger == set || (all[i].tied & set) == 0) continue;
      DISCREET_ASSIGN(const std::int64_t factor, met(all[i], set));
      const std::int64_t rows = times(best[set], factor);
      if (best[larger] == kNever || rows < best[larger]) best[larger] = rows;
    }
  }
  growth.rows = best.back() == kNever ? kMany : best.back();
  growth.largest = std::max(growth.largest, growth.rows);
  return growth;
}

Result<Growth> Counting::of(const Source& source, int depth) {
  std::vector<Growth> tables;
  std::int64_t largest = 0;
  std::int64_t read = 0;
  for (const TableUse& use : source.tables) {
    DISCREET_ASSIGN(const Growth one, of(use, depth));
    tables.push_back(one);
    largest = std::max(largest, one.largest);
    read = plus(read, one.read);
  }
  if (is_pair(source)) {  // limited before they are joined
    const PairLimits& x = *source.tables[0].limits;
    const PairLimits& y = *source.tables[1].limits;
    const std::int64_t rows =
        2 * x.rows_per_unit * y.rows_per_key + 2 * y.rows_per_unit * x.rows_per_key;
    return Growth{rows, std::max(largest, rows), read};
  }
  DISCREET_ASSIGN(Growth all, joined(source, tables));
  for (std::size_t i = 0; i < source.tables.size(); ++i) {
    const TableUse& use = source.tables[i];
    if (!filters(use) || !use.condition) continue;
    all.largest = std::max(all.largest, times(all.rows, std::max<std::int64_t>(tables[i].rows, 1)));
  }
  std::int64_t brought = 1;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    brought = std::max(brought, tables[i].rows);
    multiplied_ |= tables.size() > 1 && has_one_row(source.tables[i].table, policy_);
  }
  multiplied_ |= all.largest > brought;
  all.largest = std::max(all.largest, largest);
  all.read = read;
  return all;
}

// What takes 32 parts takes about as long as a simple joined row.
constexpr std::int64_t kPartsOfARow = 32;
constexpr std::int64_t kPartsOfAText = 128;

/// What is computed of a row, wherever in the question. A text that is made of others takes most.
std::int64_t parts_of(const Expr& expr) {
  std::int64_t parts = 0;
  switch (expr.op) {
    case Op::kColumn:
    case Op::kLiteral:
      break;
    case Op::kLike:
    case Op::kLower:
    case Op::kUpper:
    case Op::kTrim:
    case Op::kLength:
    case Op::kSubstring:
    case Op::kConcat:
    case Op::kToNumber:
      parts = kPartsOfAText;
      break;
    default:
      parts = 1;
  }
  for (const Expr& arg : expr.args) parts += parts_of(arg);
  return parts;
}

std::int64_t parts_of(const std::optional<Expr>& expr) { return expr ? parts_of(*expr) : 0; }

std::int64_t parts_of(const Source& source) {
  std::int64_t parts = 0;
  for (const TableUse& use : source.tables) {
    parts += parts_of(use.condition);
    for (const Part& part : use.parts) {
      parts += parts_of(part.source) + parts_of(part.filter);
      for (const Field& field : part.fields) parts += parts_of(field.expr);
    }
  }
  return parts;
}

/// How much a row takes of what a simple one takes.
struct RowWork {
  std::int64_t read = 1;    ///< one that is read
  std::int64_t joined = 1;  ///< one that is measured, too
};

RowWork work_of(const Plan& plan) {
  std::int64_t parts = parts_of(plan.source) + parts_of(plan.filter);
  std::int64_t measuring = 0;
  for (const Key& key : plan.keys) {
    parts += parts_of(key.expr);
    measuring += 16;
  }
  for (const Measurement& measurement : plan.measurements) {
    parts += parts_of(measurement.argument);
    measuring += 2;
  }
  return {1 + parts / kPartsOfARow, 1 + (parts + measuring) / kPartsOfARow};
}

/// The columns that a question reads of its private tables, at any depth.
class Columns {
 public:
  explicit Columns(const policy::Policy& policy) : policy_(policy) {}

  void add(const Source& source) {
    for (std::size_t i = 0; i < source.tables.size(); ++i) {
      const TableUse& use = source.tables[i];
      for (const JoinOn& on : use.on) {
        name(source, on.left_table, on.left);
        name(source, i, on.right);
      }
      add(source, use.condition);
      for (const Part& part : use.parts) {
        add(part.source);
        add(part.source, part.filter);
        for (const Field& field : part.fields) {
          if (field.fold == Fold::kIdentifier) {
            name(part.source, field.expr->table, field.expr->name);
          } else {
            add(part.source, field.expr);
          }
        }
      }
      const policy::Table* const table = policy_.find(use.table);
      if (use.is_subquery() || !table->unit) continue;
      const policy::UnitPath& path = *table->unit;
      name(source, i, path.steps.empty() ? path.column : path.steps.front().column);
    }
  }

  void add(const Source& source, const std::optional<Expr>& expr) {
    if (expr) add(source, *expr);
  }

  void add(const Source& source, const Expr& expr) {
    if (expr.op == Op::kColumn) {
      if (Read* const read = of(source, expr.table)) read->values.insert(expr.name);
    }
    for (const Expr& arg : expr.args) add(source, arg);
  }

  std::map<std::string, ScanCut> cuts(
      const std::function<std::int64_t(const std::string&)>& size) const {
    std::map<std::string, ScanCut> all;
    for (const auto& [table, columns] : read_) {
      all[table] = {size(table),
                    {columns.values.begin(), columns.values.end()},
                    {columns.names.begin(), columns.names.end()}};
    }
    return all;
  }

 private:
  struct Read {
    std::set<std::string> values;
    std::set<std::string> names;
  };

  Read* of(const Source& source, std::size_t table) {
    const TableUse& use = source.tables[table];
    if (use.is_subquery() || !is_private(use, policy_)) return nullptr;
    return &read_[use.table];
  }
  void name(const Source& source, std::size_t table, const std::string& column) {
    if (Read* const read = of(source, table)) read->names.insert(column);
  }
  const policy::Policy& policy_;
  std::map<std::string, Read> read_;
};

}  // namespace

Result<JoinedRows> joined_rows(const Plan& plan, const policy::Policy& policy,
                               const Multiplicity& facts) {
  // Whether anything is multiplied: with scans of one very large size, what is larger still?
  constexpr std::int64_t kScan = std::int64_t{1} << 20;
  Counting symbolic(policy, facts, 2, [&](const std::string& table) {
    return has_one_row(table, policy) ? 1 : kScan;
  });
  DISCREET_TRY(symbolic.of(plan.source));
  const bool multiplied = is_pair(plan.source) || symbolic.multiplied();
  const RowWork work = work_of(plan);
  const std::int64_t limit = policy.joined_rows_per_unit;

  std::int64_t undeclared = policy::kRowsPerUnit;
  const auto size = [&](const std::string& table) {
    if (has_one_row(table, policy)) return std::int64_t{1};
    return policy.find(table)->rows_per_unit.value_or(undeclared);
  };
  Counting counting(policy, facts, 1, size);
  const auto with = [&](std::int64_t rows) -> Result<Growth> {
    undeclared = rows;
    return counting.of(plan.source);
  };
  // The largest cut in kRowsPerUnitLeast .. kRowsPerUnit that fits, or the least, or the largest of
  // all, which is refused: what can be asked with a declared cut is the owner's to say.
  DISCREET_ASSIGN(Growth growth, with(policy::kRowsPerUnit));
  JoinedRows out;
  // To cut takes longer than to read a row, where little is computed of it.
  const bool much = work.read > 1 && times(growth.read, work.read) > limit / kLimitOverRead;
  if (!multiplied && !much) return out;
  out.work = work.joined;
  DISCREET_ASSIGN(const Growth least, with(kRowsPerUnitLeast));
  const std::int64_t aim = std::max(limit / kLimitOverAim, times(least.rows, work.joined));
  const std::int64_t read = std::max(limit / kLimitOverRead, times(least.read, work.read));
  const auto fits = [&](const Growth& one) {
    return one.largest <= limit && times(one.read, work.read) <= read &&
           (!multiplied || times(one.rows, work.joined) <= aim);
  };
  Columns columns(policy);
  columns.add(plan.source);
  columns.add(plan.source, plan.filter);
  for (const Key& key : plan.keys) columns.add(plan.source, key.expr);
  for (const Measurement& measurement : plan.measurements) {
    columns.add(plan.source, measurement.argument);
  }

  std::int64_t high = policy::kRowsPerUnit;
  if (!fits(growth) && fits(least)) {
    for (std::int64_t low = kRowsPerUnitLeast; low < high;) {  // with(low) fits
      const std::int64_t middle = low + (high - low + 1) / 2;
      DISCREET_ASSIGN(const Growth there, with(middle));
      if (fits(there)) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
  }
  DISCREET_ASSIGN(growth, with(high));
  out.cuts = columns.cuts(size);
  out.is_known = static_cast<bool>(facts);
  if (!out.is_known) return out;
  out.most = growth.largest;
  out.joined = growth.rows;
  return out;
}

Result<std::int64_t> most_joined_rows(
    const Plan& plan, const policy::Policy& policy, const Multiplicity& facts,
    const std::function<std::int64_t(const std::string& table)>& size) {
  DISCREET_ASSIGN(const Growth growth, Counting(policy, facts, kMany, size).of(plan.source));
  return growth.largest;
}

Result<void> check_joined_rows(const JoinedRows& rows, const policy::Policy& policy) {
  DISCREET_CHECK(rows.is_known);
  const std::int64_t limit = policy.joined_rows_per_unit;
  if (!rows.most) return {};
  const bool much_work = *rows.most <= limit;
  if (much_work && times(rows.joined, rows.work) <= limit) return {};
  std::vector<std::string> tables;
  for (const auto& [name, cut] : rows.cuts) tables.push_back(in_quotes(name));
  return Error{
      Code::kRefused,
      "one unit's rows could become " + std::to_string(much_work ? rows.joined : *rows.most) +
          " joined rows, and at most " + std::to_string(much_work ? limit / rows.work : limit) +
          " are allowed" +
          (much_work
               ? " where so much is computed of each: use fewer functions of texts and LIKEs, "
               : ": ") +
          "join fewer tables, join along keys, or group by the unit in subqueries "
          "first; the owner may declare a smaller rows_per_unit of " +
          one_of(tables) + " in the policy, or a larger joined_rows_per_unit"};
}

bool asked_before_cut(const Expr& condition, std::int64_t& room) {
  const std::int64_t parts = 1 + parts_of(condition);
  if (parts > room) return false;
  room -= parts;
  return true;
}

std::string to_text(const JoinedRows& rows) {
  if (!rows.is_cut()) return "";
  std::string text = "read: of each unit at most ";
  bool first = true;
  for (const auto& [name, cut] : rows.cuts) {
    text += (first ? "" : ", ") + std::to_string(cut.rows) + " rows of " + name;
    first = false;
  }
  text += ", chosen by a hash of their contents";
  if (rows.most) text += "; a unit causes at most " + std::to_string(*rows.most) + " joined rows";
  return text + "; if a unit has more, counts and sums can be too low";
}

}  // namespace discreet::plan
