// SPDX-License-Identifier: Apache-2.0
#include "sql/examples.h"

#include <algorithm>

#include "plan/checker.h"
#include "sql/query.h"

namespace discreet::sql {
namespace {

using policy::Column;
using policy::Type;

constexpr std::size_t kKeysShown = 40;  // an answer of more rows is no example

std::string quoted_name(const std::string& name) {
  std::string out = "\"";
  for (const char c : name) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

/// Names that SQL reads as they are; the others, keywords among them, are quoted in a second try.
struct Names {
  std::string table;
  std::string column;
};

std::string grouped(const Names& names, const std::string& key, const std::string& as) {
  return "SELECT " + key + (as.empty() ? "" : " AS " + as) + ", COUNT(*) AS n FROM " + names.table +
         " GROUP BY " + (as.empty() ? key : as);
}

/// What may be asked about a column of this type, the most telling first.
std::vector<std::string> candidates(const Column& column, const Names& names) {
  const std::string& x = names.column;
  const auto of = [&](const std::string& what) {
    return "SELECT " + what + " FROM " + names.table;
  };
  std::vector<std::string> out;
  if (!column.values.empty() && column.values.size() <= kKeysShown) {
    out.push_back(grouped(names, x, ""));
  }
  switch (column.type) {
    case Type::kBoolean:
      out.push_back(grouped(names, x, ""));
      break;
    case Type::kInteger:
    case Type::kDecimal:
      out.push_back(of("HISTOGRAM(" + x + ", bins => 10)"));
      out.push_back(of("AVG(" + x + ")"));
      break;
    case Type::kDate:
    case Type::kTimestamp:
      for (const char* const unit : {"month", "year", "day"}) {
        out.push_back(grouped(names, "DATE_TRUNC('" + std::string(unit) + "', " + x + ")", unit));
      }
      out.push_back(of("MEDIAN(" + x + ")"));
      break;
    case Type::kText:
      out.push_back(of("COUNT(DISTINCT " + x + ")"));
      break;
  }
  out.push_back("SELECT COUNT(*) FROM " + names.table + " WHERE " + x + " IS NOT NULL");
  return out;
}

class Examples {
 public:
  Examples(const policy::Policy& policy, std::size_t most) : policy_(policy), most_(most) {}

  bool is_full() const { return found_.size() >= most_; }
  /// The first that is taken; whether there is one.
  bool add(const std::vector<std::string>& wanted) {
    for (const std::string& text : wanted) {
      if (std::find(found_.begin(), found_.end(), text) != found_.end() || !is_taken(text))
        continue;
      found_.push_back(text);
      return true;
    }
    return false;
  }
  std::vector<std::string> take() { return std::move(found_); }

 private:
  bool is_taken(const std::string& text) const {
    Options options;
    options.epsilon = Epsilon::trusted(Rational::ratio(1, 10));
    const auto query = sql::bind(text, options, policy_);
    if (!query) return false;
    const auto checked = plan::Checker::check(query->plan, policy_, "example");
    if (!checked || !plan::check_joined_rows(checked->joined_rows(), policy_)) return false;
    return !checked->listed() || checked->listed()->size() <= kKeysShown;
  }

  const policy::Policy& policy_;
  std::size_t most_;
  std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> examples(const policy::Policy& policy, std::size_t most) {
  Examples out(policy, most);
  const auto each_table = [&](const auto& ask) {
    for (const auto& [name, table] : policy.tables) {
      if (!table.is_public() && !out.is_full()) ask(table, name);
    }
  };
  each_table([&](const policy::Table&, const std::string& name) {
    out.add({"SELECT COUNT(*) FROM " + name, "SELECT COUNT(*) FROM " + quoted_name(name)});
  });
  each_table([&](const policy::Table& table, const std::string& name) {
    for (const Column& column : table.columns) {
      if (out.is_full()) return;
      if (!out.add(candidates(column, {name, column.name}))) {
        out.add(candidates(column, {quoted_name(name), quoted_name(column.name)}));
      }
    }
  });
  return out.take();
}

}  // namespace discreet::sql
