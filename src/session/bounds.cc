// SPDX-License-Identifier: Apache-2.0
#include "session/bounds.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <tuple>
#include <utility>

#include "plan/grid.h"
#include "policy/value.h"

namespace discreet::session {
namespace {

using plan::power_of_ten;
using policy::Grid;
using policy::Type;

constexpr int kFirstYear = 1900;
constexpr int kLastYear = 2100;
constexpr int kMarks = 50;                     // of the second round
constexpr std::int64_t kFineness = 1'000'000;  // steps in a range whose step nobody declared
constexpr std::size_t kKeysMax = 1'000;

/// The values between which rows are counted, in order. Bin 0 lies below the first, bin i from
/// edges[i - 1] on.
using Edges = std::vector<Rational>;

bool is_moment(Type type) { return type == Type::kDate || type == Type::kTimestamp; }
bool has_keys(Type type) { return type == Type::kText; }

std::string quoted(const std::string& name) {
  std::string out = "\"";
  for (const char c : name) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::string literal(Type type, const Rational& value) {
  const std::string text = policy::to_string(policy::number_value(type, value));
  if (type == Type::kDate) return "DATE '" + text + "'";
  if (type == Type::kTimestamp) return "TIMESTAMP '" + text + "'";
  return text;
}

std::string bins_sql(const policy::Column& column, const std::string& table, const Edges& edges) {
  const std::string name = quoted(column.name);
  std::string out = "SELECT CASE";
  for (std::size_t i = 0; i < edges.size(); ++i) {
    out += " WHEN " + name + " < " + literal(column.type, edges[i]) + " THEN " + std::to_string(i);
  }
  return out + " ELSE " + std::to_string(edges.size()) + " END AS bin, COUNT(*) AS n FROM " +
         quoted(table) + " WHERE " + name + " IS NOT NULL GROUP BY 1";
}

std::string keys_sql(const policy::Column& column, const std::string& table) {
  const std::string name = quoted(column.name);
  return "SELECT " + name + ", COUNT(*) AS n FROM " + quoted(table) + " WHERE " + name +
         " IS NOT NULL GROUP BY 1";
}

/// 1, 2, 5, 10, 20, ...: the i-th.
Rational mark(int i) {
  constexpr std::array<int, 3> kDigits{1, 2, 5};
  return Rational(kDigits[static_cast<std::size_t>(i % 3)]) * power_of_ten(i / 3);
}

/// What a type holds where nothing is declared (plan/shape.h).
Rational reach_of(Type type) {
  return type == Type::kInteger ? power_of_two(62) - Rational(1) : power_of_ten(12);
}

Rational unit_of(Type type, const std::optional<Rational>& step) {
  if (type == Type::kInteger) return 1;
  return step.value_or(power_of_ten(-6));
}

Edges first_edges(Type type, const std::optional<Rational>& step) {
  Edges edges;
  if (is_moment(type)) {
    for (int year = kFirstYear; year <= kLastYear; ++year) {
      edges.push_back(policy::parse_value(type, std::to_string(year) + "-01-01").value().number());
    }
    return edges;
  }
  const Rational unit = unit_of(type, step);
  for (int i = 0; unit * mark(i) < reach_of(type); ++i) edges.push_back(unit * mark(i));
  const std::size_t above = edges.size();
  for (std::size_t i = 0; i < above; ++i) edges.push_back(-edges[i]);
  edges.emplace_back(0);
  std::ranges::sort(edges);
  return edges;
}

/// About kMarks even marks from low to high: the least 1, 2 or 5 times a power of ten units apart.
Edges second_edges(const Rational& low, const Rational& high, const Rational& unit) {
  int i = 0;
  while (unit * mark(i) * Rational(kMarks) < high - low) ++i;
  const Rational width = unit * mark(i);
  Edges edges;
  for (Integer at = (low / width).floor(); Rational(at) * width < high; at += 1) {
    edges.push_back(Rational(at) * width);
  }
  edges.push_back(edges.back() + width);
  return edges;
}

/// Rows in each bin, and which of them surely has some.
struct Counted {
  std::vector<double> rows;
  std::vector<bool> occupied;
  ledger::Sequence charge = 0;
  bool repeated = false;

  std::optional<std::size_t> lowest() const {
    const auto found = std::ranges::find(occupied, true);
    if (found == occupied.end()) return std::nullopt;
    return static_cast<std::size_t>(found - occupied.begin());
  }
  std::size_t highest() const {
    const auto found = std::find(occupied.rbegin(), occupied.rend(), true);
    return occupied.size() - 1 - static_cast<std::size_t>(found - occupied.rbegin());
  }
};

Request request_of(const Purchase& purchase, const Epsilon& epsilon, std::string sql) {
  Request request{.sql = std::move(sql)};
  request.analyst = purchase.analyst;
  request.options.epsilon = epsilon;
  request.options.groups_per_unit = 1;
  request.options.rows_per_unit_and_group = 1;
  return request;
}

Result<Counted> count(Session& session, const policy::Column& column, const Purchase& purchase,
                      const Epsilon& epsilon, const Edges& edges, const engine::OwnerLog& log) {
  Request request = request_of(purchase, epsilon, bins_sql(column, purchase.table, edges));
  const auto bins = static_cast<std::int64_t>(edges.size() + 1);
  request.confidence = Confidence::trusted(Rational(1) - Rational::ratio(1, 1000 * bins));
  DISCREET_ASSIGN(const Answered answered, session.ask(request, log));
  Counted counted;
  counted.rows.resize(edges.size() + 1);
  counted.occupied.resize(edges.size() + 1);
  counted.charge = answered.charge;
  counted.repeated = answered.repeated;
  for (const std::vector<AnswerCell>& row : answered.sheet.rows) {
    const auto bin = static_cast<std::size_t>(std::stoul(row[0].value.value_or("0")));
    if (bin >= counted.rows.size() || !row[1].value) continue;
    counted.rows[bin] = std::stod(*row[1].value);
    counted.occupied[bin] = row[1].low.has_value() && std::stod(*row[1].low) > 0;
  }
  return counted;
}

/// From the lower edge of a bin to the upper edge of another; the outermost bins end at their edge.
std::pair<Rational, Rational> span(const Edges& edges, std::size_t lowest, std::size_t highest) {
  Rational low = edges[lowest == 0 ? 0 : lowest - 1];
  Rational high = edges[std::min(highest, edges.size() - 1)];
  if (low == high) (lowest == 0 ? high : low) = edges[lowest == 0 ? 1 : edges.size() - 2];
  return {std::move(low), std::move(high)};
}

double share_outside(const Counted& counted, std::size_t lowest, std::size_t highest) {
  double all = 0;
  double outside = 0;
  for (std::size_t i = 0; i < counted.rows.size(); ++i) {
    all += counted.rows[i];
    if (i < lowest || i > highest) outside += counted.rows[i];
  }
  return all <= 0 ? 0 : std::clamp(outside / all, 0.0, 1.0);
}

Rational step_within(Type type, const Rational& low, const Rational& high,
                     const std::optional<Rational>& declared) {
  if (type != Type::kDecimal) return *policy::default_step(type);
  if (declared) return *declared;
  Rational step = power_of_ten(-6);
  while (step * Rational(10) * Rational(kFineness) <= high - low) step = step * Rational(10);
  return step;
}

Error nothing_found(const Purchase& purchase) {
  return invalid_input("at epsilon " + purchase.epsilon.to_string() + " no part of " +
                       purchase.table + "." + purchase.column +
                       " stands out of the noise; that was charged. Declare the domain from what "
                       "is publicly known, or buy it with a larger --epsilon");
}

Result<void> buy_range(Session& session, const policy::Column& column, const Purchase& purchase,
                       const engine::OwnerLog& log, Bought& bought) {
  const bool two_rounds = !is_moment(column.type);
  const Epsilon share =
      two_rounds ? Epsilon::trusted(purchase.epsilon.value() / Rational(2)) : purchase.epsilon;
  Edges edges = first_edges(column.type, purchase.step);
  DISCREET_ASSIGN(Counted counted, count(session, column, purchase, share, edges, log));
  bought.charges.push_back(counted.charge);
  bought.repeated = counted.repeated;
  if (!counted.lowest()) return nothing_found(purchase);
  auto [low, high] = span(edges, *counted.lowest(), counted.highest());
  bought.outside = share_outside(counted, *counted.lowest(), counted.highest());
  if (two_rounds) {
    edges = second_edges(low, high, unit_of(column.type, purchase.step));
    DISCREET_ASSIGN(counted, count(session, column, purchase, share, edges, log));
    bought.charges.push_back(counted.charge);
    bought.repeated = bought.repeated && counted.repeated;
    if (counted.lowest()) {
      std::tie(low, high) = span(edges, *counted.lowest(), counted.highest());
      bought.outside = share_outside(counted, *counted.lowest(), counted.highest());
    }
  }
  const Rational step = step_within(column.type, low, high, purchase.step);
  if (is_moment(column.type)) high = high - step;  // the last moment of the year before
  bought.grid = Grid{low, high, step};
  return {};
}

Result<void> buy_keys(Session& session, const policy::Column& column, const Purchase& purchase,
                      const engine::OwnerLog& log, Bought& bought) {
  Request request = request_of(purchase, purchase.epsilon, keys_sql(column, purchase.table));
  request.options.delta = purchase.delta;
  DISCREET_ASSIGN(const Answered answered, session.ask(request, log));
  bought.charges.push_back(answered.charge);
  bought.repeated = answered.repeated;
  std::vector<std::string> keys;
  for (const std::vector<AnswerCell>& row : answered.sheet.rows) {
    if (row[0].value) keys.push_back(*row[0].value);
  }
  if (keys.empty()) return nothing_found(purchase);
  if (keys.size() > kKeysMax) {
    return invalid_input(purchase.table + "." + purchase.column + " has " +
                         std::to_string(keys.size()) +
                         " keys that can be shown, which is more than a policy should list; they "
                         "can be found privately by each question");
  }
  std::ranges::sort(keys);
  for (const std::string& key : keys) {
    DISCREET_ASSIGN(policy::Value value, policy::parse_value(column.type, key));
    bought.values.push_back(std::move(value));
  }
  return {};
}

std::string origin_of(const Bought& bought, const policy::Policy& policy, const Purchase& purchase,
                      const std::string& ledger_id) {
  std::string out = "epsilon " + purchase.epsilon.to_string();
  if (purchase.delta && !bought.grid) out += ", delta " + purchase.delta->to_string();
  out += " of " + policy.find(purchase.table)->unit->space +
         (bought.charges.size() == 1 ? ", record " : ", records ");
  for (std::size_t i = 0; i < bought.charges.size(); ++i) {
    out += (i == 0 ? "" : " and ") + std::to_string(bought.charges[i]);
  }
  out += " of ledger " + ledger_id;
  if (!bought.grid) return out;
  std::array<char, 64> share{};
  std::snprintf(share.data(), share.size(), "%.2g", bought.outside * 100);
  return out + "; about " + share.data() + " % of the rows lie beyond";
}

Result<policy::Column*> column_of(policy::Policy& policy, const Purchase& purchase) {
  const auto table = policy.tables.find(purchase.table);
  if (table == policy.tables.end()) {
    return Error{Code::kNotFound, "the policy has no table " + in_quotes(purchase.table)};
  }
  if (table->second.is_public()) {
    return invalid_input(in_quotes(purchase.table) +
                         " is public: its values can be read off, nothing need be bought");
  }
  for (policy::Column& column : table->second.columns) {
    if (column.name == purchase.column) return &column;
  }
  return Error{Code::kNotFound, "the policy declares no column " + in_quotes(purchase.column) +
                                    " of table " + in_quotes(purchase.table) +
                                    "; declare it with its type, such as " + purchase.column +
                                    ": {type: integer}"};
}

}  // namespace

Result<policy::Policy> policy_for_purchase(policy::Policy policy, const Purchase& purchase) {
  DISCREET_ASSIGN(policy::Column* const column, column_of(policy, purchase));
  if (column->type == Type::kBoolean) {
    return invalid_input("a boolean is true or false; there is nothing to buy");
  }
  if (has_keys(column->type) && !purchase.delta) {
    return invalid_input(
        "the keys of a text are found with a delta; add one, such as --delta 1e-8");
  }
  for (const auto& [name, units] : policy.units) {
    if (units.block_column == purchase.table + "." + purchase.column) {
      return invalid_input("units have blocks by this column, so its values are declared already");
    }
  }
  policy::Column bare;
  bare.name = column->name;
  bare.type = column->type;
  *column = std::move(bare);
  return policy;
}

Result<Bought> buy(Session& session, const policy::Policy& policy, const Purchase& purchase,
                   const std::string& ledger_id, const engine::OwnerLog& log) {
  policy::Policy copy = policy;
  DISCREET_ASSIGN(const policy::Column* const column, column_of(copy, purchase));
  Bought bought;
  if (has_keys(column->type)) {
    DISCREET_TRY(buy_keys(session, *column, purchase, log, bought));
  } else {
    DISCREET_TRY(buy_range(session, *column, purchase, log, bought));
  }
  bought.origin = origin_of(bought, policy, purchase, ledger_id);
  return bought;
}

}  // namespace discreet::session
