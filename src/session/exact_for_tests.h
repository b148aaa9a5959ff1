// SPDX-License-Identifier: Apache-2.0
// A question's exact answer, before any noise, beside DuckDB's own answer to the same text.
#pragma once

#include <duckdb.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/check.h"
#include "engine/duckdb/dialect.h"
#include "engine/duckdb/run.h"
#include "engine/duckdb/sources.h"
#include "engine/engine.h"
#include "engine/key.h"
#include "engine/lowering/plan.h"
#include "plan/accuracy.h"
#include "sql/query.h"
#include "sql/tpch_for_tests.h"

namespace discreet::session {

[[noreturn]] inline void fail(const std::string& words) {
  std::fprintf(stderr, "%s\n", words.c_str());
  std::abort();
}

/// The shop's policy for the tables of a file in a folder.
inline policy::Policy shop(const std::string& folder, const std::string& file = "shop.duckdb") {
  policy::Policy policy = *policy::read_policy(sql::kShop, folder).policy;
  for (auto& [name, table] : policy.tables) table.source = file + ":" + name;
  return policy;
}

/// A question at epsilon 1, checked as a session does it: with the public tables' facts.
inline plan::Checked shop_question(const std::string& text, const policy::Policy& policy,
                                   engine::Engine& engine) {
  sql::Options options;
  options.epsilon = Epsilon::parse("1").value();
  options.delta = Delta::parse("1e-6").value();
  auto query = sql::bind(text, options, policy);
  if (!query) fail(text + "\n" + query.error().message);
  const plan::Multiplicity facts = [&](const auto& table, const auto& columns) {
    return engine.multiplicity(policy, table, columns, {});
  };
  auto checked = plan::Checker::check(query->plan, policy, "q", facts);
  if (!checked) fail(text + "\n" + checked.error().message);
  return *std::move(checked);
}

/// keys -> numbers
using Table = std::map<std::string, std::vector<sql::Number>>;

/// DuckDB itself.
class Plain {
 public:
  explicit Plain(const std::string& file) {
    DISCREET_CHECK(duckdb_open(file.c_str(), &database_) == DuckDBSuccess);
    DISCREET_CHECK(duckdb_connect(database_, &connection_) == DuckDBSuccess);
  }
  Plain(const Plain&) = delete;
  Plain& operator=(const Plain&) = delete;
  ~Plain() {
    duckdb_disconnect(&connection_);
    duckdb_close(&database_);
  }

  Table run(const std::string& text, const std::vector<bool>& is_key = {}) {
    duckdb_result result;
    if (duckdb_query(connection_, text.c_str(), &result) != DuckDBSuccess) {
      fail(text + "\n" + duckdb_result_error(&result));
    }
    Table out;
    for (idx_t row = 0; row < duckdb_row_count(&result); ++row) {
      std::string key;
      std::vector<sql::Number> numbers;
      bool shown = true;
      for (idx_t column = 0; column < is_key.size(); ++column) {
        if (!is_key[column]) {
          const double value = duckdb_value_double(&result, column, row);
          numbers.push_back({value, value, value});
          continue;
        }
        shown = shown && !duckdb_value_is_null(&result, column, row);
        char* words = duckdb_value_varchar(&result, column, row);
        key += std::string(words == nullptr ? "" : words) + ";";
        duckdb_free(words);
      }
      if (shown) out[key] = numbers;  // a listed key is never NULL
    }
    duckdb_destroy_result(&result);
    return out;
  }

 private:
  duckdb_database database_ = nullptr;
  duckdb_connection connection_ = nullptr;
};

/// Our answers before noise; with the policy's bounds with the intervals that half of the noise would
/// stay in, else with none.
class Ours {
 public:
  enum class Bounds { kPolicy, kCutNothing };

  Ours(const policy::Policy& policy, Bounds bounds) : policy_(policy), bounds_(bounds) {
    auto opened = engine::duckdb::Connection::open(2, {});
    if (!opened) fail(opened.error().message);
    connection_ = *std::move(opened);
    auto schemas = engine::duckdb::open_sources(*connection_, policy_, {});
    if (!schemas) fail(schemas.error().message);
    schemas_ = *schemas;
  }

  struct Question {
    sql::Query query;
    plan::Checked checked;
    engine::lowering::LoweredPlan lowered;
  };

  Question prepare(const std::string& text) const {
    sql::Options options;
    options.epsilon = Epsilon::parse("1").value();
    options.delta = Delta::parse("1e-6").value();
    if (bounds_ == Bounds::kCutNothing) {
      options.groups_per_unit = 50;
      options.rows_per_unit_and_group = 1'000;
      options.rows_per_join_key = 100;
    }
    auto query = sql::bind(text, options, policy_);
    if (!query) fail(text + "\n" + query.error().message);
    auto checked = plan::Checker::check(query->plan, policy_, "q");
    if (!checked) fail(text + "\n" + checked.error().message);
    query->limit.reset();
    auto lowered = lower_plan(*checked, engine::duckdb::dialect(), schemas_);
    return {*std::move(query), *std::move(checked), std::move(lowered)};
  }

  mechanism::Groups run(const Question& question) {
    std::string said;
    const engine::OwnerLog log{.say = [&said](const std::string& words) { said += words; },
                               .progress = {}};
    auto groups = run_lowered(*connection_, question.lowered, question.checked.steps().size(),
                              engine::Secret{{1, 2}}, log);
    if (!groups) fail(said + "\n" + question.lowered.print());
    return *std::move(groups);
  }

  Table run(const std::string& text, std::vector<bool>& is_key) {
    const Question question = prepare(text);
    is_key.clear();
    for (const sql::Output& output : question.query.outputs) is_key.push_back(output.is_key);
    return shown(question.query, question.checked, run(question), bounds_ == Bounds::kPolicy);
  }

 private:
  static Table shown(const sql::Query& query, const plan::Checked& checked,
                     const mechanism::Groups& groups, bool with_intervals) {
    std::vector<sql::Group> released;
    const auto add = [&](std::vector<policy::Value> keys, std::optional<std::size_t> place) {
      sql::Group group;
      group.keys = std::move(keys);
      group.readings = [&checked, &groups, place, with_intervals](const sql::Post& measurement,
                                                                  std::size_t) {
        const std::size_t m = measurement.index;
        const plan::Step& step = checked.steps()[m];
        const double integer = place ? static_cast<double>(groups.integers[m][*place]) : 0;
        const double value = integer * step.lowered.step.to_double(Round::kDown);
        const auto half = Confidence::trusted(Rational::ratio(1, 2));
        const auto noise = plan::expected_error(step, half).half_width;
        const double width = noise && with_intervals ? noise->to_double(Round::kUp) : 0;
        return sql::Number{value, value - width, value + width};
      };
      released.push_back(std::move(group));
    };
    std::map<std::string, std::size_t> places;
    for (std::size_t g = 0; g < groups.keys.size(); ++g) places[groups.keys[g]] = g;
    if (checked.listed()) {
      for (const auto& tuple : *checked.listed()) {
        const auto found = places.find(engine::encode_key(tuple, checked.key_shapes()));
        add(tuple, found == places.end() ? std::nullopt : std::optional(found->second));
      }
    } else {
      for (const auto& [key, place] : places) {
        add(engine::decode_key(key, checked.key_shapes()), place);
      }
    }
    Table out;
    for (const sql::Line& line : sql::arrange(query, released)) {
      std::string key;
      std::vector<sql::Number> numbers;
      for (std::size_t c = 0; c < line.cells.size(); ++c) {
        const auto* number = std::get_if<sql::Number>(&line.cells[c]);
        if (!query.outputs[c].is_key) {
          numbers.push_back(number == nullptr ? sql::Number{} : *number);
        } else if (number != nullptr) {
          key += std::to_string(std::llround(number->value)) + ";";
        } else {
          const auto* words = std::get_if<std::string>(&line.cells[c]);
          key += (words == nullptr ? "" : *words) + ";";
        }
      }
      out[key] = numbers;
    }
    return out;
  }

  const policy::Policy& policy_;
  Bounds bounds_;
  std::unique_ptr<engine::duckdb::Connection> connection_;
  engine::lowering::Schemas schemas_;
};

}  // namespace discreet::session
