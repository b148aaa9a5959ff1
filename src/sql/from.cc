// SPDX-License-Identifier: Apache-2.0
// Reads FROM, and from ON and WHERE the equalities that join its tables. Tables are put in an order
// in which each is joined to earlier ones: FROM a, b, c WHERE a.x = c.x AND b.y = c.y is fine.
#include <algorithm>
#include <numeric>

#include "base/suggest.h"
#include "sql/scope.h"

namespace discreet::sql {
namespace {

constexpr std::size_t kTablesMax = 16;

// The conditions of which this is the AND.
void split(const Node& condition, std::vector<Node>& out) {
  if (!condition) return;
  if (condition.is("BoolExpr") && condition.text("boolop") == "AND_EXPR") {
    for (const Node& part : condition.list("args")) split(part, out);
  } else {
    out.push_back(condition);
  }
}

struct Equality {
  Found left;
  Found right;
};

std::string refused_from(std::string_view kind) {
  if (kind == "RangeSubselect") return "a subquery in FROM is not supported yet";
  if (kind == "RangeFunction") return "functions that return rows are not supported";
  if (kind == "RangeTableSample") {
    return "TABLESAMPLE is not supported: a sample of the rows gives no privacy for free";
  }
  return "this is not supported in FROM";
}

}  // namespace

class FromReader {
 public:
  FromReader(const Text& text, const policy::Policy& policy) : scope_(text, policy) {}

  Result<Scope> run(const Node& select) && {
    const std::vector<Node> from = select.list("fromClause");
    if (from.empty()) {
      return invalid_input("there is no FROM; name a table of the policy: " + one_of(declared()));
    }
    for (const Node& item : from) DISCREET_TRY(read_item(item));
    split(select.child("whereClause"), pending_);
    DISCREET_TRY(sort_conditions());
    DISCREET_TRY(put_in_order());
    return std::move(scope_);
  }

 private:
  const Text& text() const { return *scope_.text_; }

  std::vector<std::string> declared() const {
    std::vector<std::string> names;
    for (const auto& [name, table] : scope_.policy_->tables) names.push_back(name);
    return names;
  }

  Result<void> read_item(const Node& item) {
    if (item.is("RangeVar")) return read_table(item);
    if (item.is("JoinExpr")) return read_join(item);
    return text().error(Code::kUnsupported, item.place(),
                        refused_from(item.kind()) + "; name tables of the policy");
  }

  Result<void> read_join(const Node& join) {
    const Place place = join.child("rarg").place();
    if (join.text("jointype") != "JOIN_INNER") {
      return text().error(Code::kUnsupported, place,
                          "only inner joins are supported; write JOIN ... ON a.x = b.y");
    }
    if (join.flag("isNatural")) {
      return text().error(Code::kUnsupported, place,
                          "NATURAL JOIN is not supported; write JOIN ... ON a.x = b.y");
    }
    if (join.has("alias") || join.has("join_using_alias")) {
      return text().error(Code::kUnsupported, place, "a join has no name of its own here");
    }
    DISCREET_TRY(read_item(join.child("larg")));
    const std::size_t right = scope_.tables_.size();
    DISCREET_TRY(read_item(join.child("rarg")));
    for (const std::string& name : join.names("usingClause")) {
      DISCREET_TRY(read_using(name, right, place));
    }
    split(join.child("quals"), pending_);
    return {};
  }

  Result<void> read_table(const Node& item) {
    const Place place = item.place();
    const std::string qualifier = item.text("schemaname");
    const std::string name =
        qualifier.empty() ? item.text("relname") : qualifier + "." + item.text("relname");
    const std::string found = matching(name, declared());
    const policy::Table* table = found.empty() ? nullptr : scope_.policy_->find(found);
    if (table == nullptr || item.has("catalogname")) {
      return text().error(Code::kNotFound, place,
                          "there is no table " + in_quotes(name) + did_you_mean(name, declared()) +
                              "; the policy declares " + one_of(declared()));
    }
    const Node alias = item.part("alias");
    if (alias.has("colnames")) {
      return text().error(Code::kUnsupported, place, "columns cannot be renamed in FROM");
    }
    const std::string called = alias ? alias.text("aliasname") : found;
    if (!matching(called, scope_.table_names()).empty()) {
      return text().error(
          Code::kInvalidInput, place,
          in_quotes(called) + " is in FROM twice; give it another name: " + found + " AS other");
    }
    if (scope_.tables_.size() == kTablesMax) {
      return text().error(Code::kInvalidInput, place, "at most 16 tables can be joined");
    }
    scope_.source_.tables.push_back({.table = found, .alias = called, .on = {}});
    scope_.tables_.push_back(table);
    return {};
  }

  Result<void> read_using(const std::string& name, std::size_t right, Place place) {
    const auto in_right = scope_.look(right, name);
    std::optional<Found> in_left;
    for (std::size_t i = 0; i < right && !in_left; ++i) in_left = scope_.look(i, name);
    if (!in_left || !in_right) {
      return text().error(Code::kNotFound, place,
                          "USING (" + name + "): both sides of the join must have that column");
    }
    equalities_.push_back({*in_left, *in_right});
    scope_.merged_.push_back(in_left->name);
    return {};
  }

  // Equalities of columns of two tables join them; all else filters.
  Result<void> sort_conditions() {
    for (const Node& condition : pending_) {
      const Node left = condition.child("lexpr");
      const Node right = condition.child("rexpr");
      const bool equality = condition.is("A_Expr") && condition.text("kind") == "AEXPR_OP" &&
                            condition.names("name") == std::vector<std::string>{"="} &&
                            left.is("ColumnRef") && right.is("ColumnRef");
      if (equality) {
        DISCREET_ASSIGN(const Found a, scope_.find(left));
        DISCREET_ASSIGN(const Found b, scope_.find(right));
        if (a.table != b.table && joins(a, b)) {
          equalities_.push_back({a, b});
          continue;
        }
      }
      scope_.conditions_.push_back(condition);
    }
    return {};
  }

  // Between private tables only equalities that keep one owner join; others are filters.
  bool joins(const Found& a, const Found& b) const {
    const policy::Table& left = *scope_.tables_[a.table];
    const policy::Table& right = *scope_.tables_[b.table];
    if (left.is_public() || right.is_public()) return true;
    return (a.is_unit && b.is_unit) || steps(left, a, right, b) || steps(right, b, left, a);
  }

  static bool steps(const policy::Table& from, const Found& column, const policy::Table& to,
                    const Found& key) {
    if (from.unit->steps.empty()) return false;
    const policy::UnitPath::Step& step = from.unit->steps.front();
    return step.column == column.name && step.table == to.name && step.key == key.name;
  }

  Result<void> put_in_order() {
    const std::size_t count = scope_.tables_.size();
    std::vector<std::size_t> order = {0};
    while (order.size() < count) {
      std::optional<std::size_t> next;
      for (std::size_t i = 1; i < count && !next; ++i) {
        if (std::ranges::count(order, i) == 0 && is_joined(i, order)) next = i;
      }
      if (!next) return not_joined(order);
      order.push_back(*next);
    }
    apply(order);
    return {};
  }

  bool is_joined(std::size_t table, const std::vector<std::size_t>& earlier) const {
    return std::ranges::any_of(equalities_, [&](const Equality& e) {
      return (e.left.table == table && std::ranges::count(earlier, e.right.table) > 0) ||
             (e.right.table == table && std::ranges::count(earlier, e.left.table) > 0);
    });
  }

  Error not_joined(const std::vector<std::size_t>& order) const {
    for (std::size_t i = 1; i < scope_.tables_.size(); ++i) {
      if (std::ranges::count(order, i) > 0) continue;
      const std::string advice = advise(i);
      return {Code::kUnsupported,
              scope_.source_.tables[i].alias + " is not joined to the tables before it" +
                  (advice.empty() ? "; write JOIN ... ON with an equality of columns, and between "
                                    "tables with units one that keeps the same unit"
                                  : "; write ON " + advice)};
    }
    return {Code::kBug, "all tables are joined"};
  }

  // An equality that would join table `i` to an earlier one of the same units.
  std::string advise(std::size_t i) const {
    const policy::Table& right = *scope_.tables_[i];
    if (!right.unit) return "";
    const auto name = [this](std::size_t table, const std::string& column) {
      return scope_.source_.tables[table].alias + "." + column;
    };
    for (std::size_t j = 0; j < i; ++j) {
      const policy::Table& left = *scope_.tables_[j];
      if (!left.unit || left.unit->space != right.unit->space) continue;
      const auto& down = left.unit->steps;
      const auto& up = right.unit->steps;
      if (!up.empty() && up.front().table == left.name) {
        return name(i, up.front().column) + " = " + name(j, up.front().key);
      }
      if (!down.empty() && down.front().table == right.name) {
        return name(j, down.front().column) + " = " + name(i, down.front().key);
      }
      const bool both =
          up.empty() && down.empty() && !left.unit->column.empty() && !right.unit->column.empty();
      if (both) return name(j, left.unit->column) + " = " + name(i, right.unit->column);
    }
    return "";
  }

  void apply(const std::vector<std::size_t>& order) {
    std::vector<std::size_t> place(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = i;
    plan::Source source;
    std::vector<const policy::Table*> tables;
    for (const std::size_t i : order) {
      source.tables.push_back(scope_.source_.tables[i]);
      tables.push_back(scope_.tables_[i]);
    }
    for (const Equality& equality : equalities_) {
      const bool forward = place[equality.left.table] < place[equality.right.table];
      const Found& left = forward ? equality.left : equality.right;
      const Found& right = forward ? equality.right : equality.left;
      const plan::JoinOn on = {
          .left_table = place[left.table], .left = left.name, .right = right.name};
      auto& all = source.tables[place[right.table]].on;
      if (std::ranges::count(all, on) == 0) all.push_back(on);
    }
    scope_.source_ = std::move(source);
    scope_.tables_ = std::move(tables);
  }

  Scope scope_;
  std::vector<Node> pending_;
  std::vector<Equality> equalities_;
};

Result<Scope> Scope::bind(const Node& select, const Text& text, const policy::Policy& policy) {
  return FromReader(text, policy).run(select);
}

}  // namespace discreet::sql
