// SPDX-License-Identifier: Apache-2.0
// Random questions with joins, self-joins and subqueries, asked of two clinics that differ in one
// unit with few rows or very many: what is seen must be the same, what is measured moves by no more
// than was charged for, and the unit causes no more joined rows than the question says.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "session/neighbours_for_tests.h"

namespace discreet::session {

class RandomJoins {
 public:
  explicit RandomJoins(std::uint64_t seed) : random_(seed) {}

  struct Question {
    std::string from;  ///< FROM ... WHERE ...
    std::string sql;
    std::string named;  ///< a table of visits in it
  };

  Question next() {
    visits_ = {"t0"};
    keys_ = {"t0.clinic", "t0.city"};
    values_ = {"t0.age", "t0.cost"};
    conditions_.clear();
    std::string from = "FROM visits t0";
    const int tables = up_to(4);
    for (int i = 1; i <= tables; ++i) from += " " + join("t" + std::to_string(i));
    if (up_to(2) == 0) conditions_.push_back(condition());
    for (std::size_t i = 0; i < conditions_.size(); ++i) {
      from += (i == 0 ? " WHERE " : " AND ") + conditions_[i];
    }
    const std::string key = up_to(1) == 0 ? "" : one(keys_);
    return {from,
            "SELECT " + (key.empty() ? "" : key + ", ") + measure() + " " + from +
                (key.empty() ? "" : " GROUP BY " + key),
            one(visits_)};
  }

  int up_to(int most) { return static_cast<int>(random_() % static_cast<unsigned>(most + 1)); }

 private:
  const std::string& one(const std::vector<std::string>& of) {
    return of[static_cast<std::size_t>(up_to(static_cast<int>(of.size()) - 1))];
  }

  std::string condition() {
    switch (up_to(3)) {
      case 0:
        return one(visits_) + ".name = 'Bob'";
      case 1:
        return one(values_) + " > " + std::to_string(up_to(60));
      case 2:
        return one(visits_) + ".age <= " + one(visits_) + ".age";
      default:
        return exists();
    }
  }

  std::string exists() {
    const std::string outer = one(visits_);
    return std::string(up_to(1) == 0 ? "" : "NOT ") + "EXISTS (SELECT 1 FROM visits e WHERE " +
           outer + ".patient_id = e.patient_id" +
           (up_to(1) == 0 ? "" : " AND e.cost > " + outer + ".cost") + ")";
  }

  std::string measure() {
    switch (up_to(4)) {
      case 0:
        return "COUNT(*)";
      case 1:
        return "SUM(" + one(values_) + ")";
      case 2:
        return "AVG(" + one(values_) + "), COUNT(*)";
      case 3:
        return "COUNT(DISTINCT " + one(values_) + ")";
      default:
        return "MEDIAN(" + one(values_) + ")";
    }
  }

  std::string join(const std::string& t) {
    const std::string to = one(visits_);
    switch (up_to(7)) {
      case 0:
      case 1:
        visits_.push_back(t);
        values_.push_back(t + ".score");
        return "JOIN visits " + t + " ON " + to + ".patient_id = " + t + ".patient_id" +
               (up_to(2) == 0 ? " AND " + to + ".age = " + t + ".age" : "");
      case 2:
        visits_.push_back(t);
        return "JOIN visits " + t + " ON " + to + ".id = " + t + ".id";
      case 3:
        keys_.push_back(t + ".sex");
        return "JOIN patients " + t + " ON " + to + ".patient_id = " + t + ".id";
      case 4:
        values_.push_back(t + ".result");
        return "JOIN labs " + t + " ON " + to + ".id = " + t + ".visit_id";
      case 5:
        keys_.push_back(t + ".county");
        return "JOIN zips " + t + " ON " + to + ".zip = " + t + ".zip";
      case 6:
        values_.push_back(t + ".n");
        return std::string(up_to(1) == 0 ? "LEFT " : "") +
               "JOIN (SELECT patient_id, COUNT(*) AS n FROM visits GROUP BY patient_id) " + t +
               " ON " + to + ".patient_id = " + t + ".patient_id";
      default:
        values_.push_back(t + ".cost");
        return "JOIN (SELECT patient_id, cost FROM visits WHERE age > " +
               std::to_string(up_to(60)) + ") " + t + " ON " + to + ".patient_id = " + t +
               ".patient_id";
    }
  }

  std::mt19937_64 random_;
  std::vector<std::string> visits_;
  std::vector<std::string> keys_;
  std::vector<std::string> values_;
  std::vector<std::string> conditions_;
};

struct JoinTally {
  int answered = 0;
  int refused = 0;
  int multiplied = 0;
  int cut = 0;  ///< by a unit that causes as much as it can
};

/// Bob, with so many visits and two lab values of each.
inline std::vector<std::string> bob_with(int visits) {
  const std::string rows = std::to_string(visits);
  return {
      "INSERT INTO visits SELECT v.* REPLACE (10000 + i AS id, 1000 AS patient_id, 'Bob' AS "
      "name, CAST(i % 7 AS INTEGER) * 10 AS age, CAST(i % 50 AS DECIMAL(12, 2)) AS cost) FROM "
      "visits v, range(" +
          rows + ") r(i) WHERE v.id = 0",
      "INSERT INTO patients SELECT 1000, 'x' FROM range(" + rows + ")",
      "INSERT INTO labs SELECT 10000 + i % " + rows + ", 1 FROM range(2 * " + rows + ") r(i)"};
}

/// Failures are GoogleTest's. `told`: after every hundredth question.
inline JoinTally ask_random_joins(std::uint64_t seed, int questions,
                                  const std::function<void(int)>& told = {}) {
  // Bob's visits, and how often of a hundred times he has that many: what many become takes long.
  constexpr std::pair<int, int> kVisits[] = {{1, 40}, {5, 30}, {40, 22}, {150, 6}, {1200, 2}};
  std::vector<std::unique_ptr<TwoClinics>> pairs;
  std::vector<std::size_t> drawn;
  for (const auto& [visits, times] : kVisits) {
    drawn.insert(drawn.end(), static_cast<std::size_t>(times), pairs.size());
    pairs.push_back(std::make_unique<TwoClinics>(bob_with(visits)));
  }
  RandomJoins random(seed);
  JoinTally tally;
  for (int i = 0; i < questions && !testing::Test::HasFailure(); ++i) {
    if (told && i % 100 == 0) told(i);
    TwoClinics& two = *pairs[drawn[static_cast<std::size_t>(random.up_to(99))]];
    const RandomJoins::Question question = random.next();
    SCOPED_TRACE(question.sql);
    const Request asked = request(question.sql);
    const auto one = two.without.session().explain(asked);
    const auto other = two.with.session().explain(asked);
    EXPECT_EQ(one.has_value(), other.has_value());
    if (!one || !other) {
      if (!one && !other) {
        EXPECT_EQ(one.error().message, other.error().message);
      }
      ++tally.refused;
      continue;
    }
    ++tally.answered;
    EXPECT_EQ(seen_of(*one), seen_of(*other));
    expect_same_tape(two.without, two.with, asked);
    if (random.up_to(19) == 0) {
      EXPECT_EQ(two.ask(question.sql, "1e-6"), std::nullopt);
    }

    Request all = request("SELECT COUNT(*) " + question.from);
    all.options.groups_per_unit = 1;
    all.options.rows_per_unit_and_group = 1'000'000;
    sql::Options options = all.options;
    const auto query = sql::bind(all.sql, options, two.with.policy());
    if (!query) continue;
    const auto checked =
        plan::Checker::check(query->plan, two.with.policy(), "",
                             [](const std::string&, const std::vector<std::string>&) {
                               return Result<std::int64_t>(1);
                             });
    if (!checked || !checked->joined_rows().most) continue;
    ++tally.multiplied;
    const std::int64_t most = *checked->joined_rows().most;
    const engine::Secret secret{{5, 6}};
    const auto rows = [&](Clinic& clinic) {
      const mechanism::Groups groups = clinic.groups(*checked, secret);
      return groups.keys.empty() ? 0 : static_cast<std::int64_t>(groups.integers.at(0).at(0));
    };
    const std::int64_t caused = rows(two.with) - rows(two.without);
    EXPECT_GE(caused, 0);
    EXPECT_LE(caused, most);
    tally.cut += caused == most ? 1 : 0;
  }
  return tally;
}

}  // namespace discreet::session
