// SPDX-License-Identifier: Apache-2.0
// Joins of two people's rows on an engine, for every engine's tests. `open(database)` gives a
// pointer to what has policy(), lower(checked) and run(checked).
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "engine/questions_for_tests.h"
#include "plan/relational_for_tests.h"

namespace discreet::engine {

// Without the number of units, which rows of two people do not have.
inline std::map<std::string, std::string> without_units(std::map<std::string, std::string> groups) {
  for (auto& [key, line] : groups) line = line.substr(line.find('|'));
  return groups;
}

template <class Open>
void expect_pairs_as_in_the_reference(const Open& open) {
  Random random(45);
  const Database database = random_clinic(random, 25);
  const auto opened = open(database);
  int compared = 0;
  for (int i = 0; i < 15; ++i) {
    Plan plan = random_relational(random, true);
    for (TableUse& side : plan.source.tables) side.limits = PairLimits{1'000, 1'000};
    auto checked = Checker::check(plan, opened->policy(), "q");
    if (!checked) continue;
    ++compared;
    const LoweredPlan lowered = opened->lower(*checked);
    ASSERT_EQ(without_units(opened->run(*checked)),
              without_units(expected(*checked, lowered, database)))
        << lowered.print();
  }
  EXPECT_GT(compared, 8);
}

/// All rows of all but one person.
inline Database without_person(const Database& all, int person) {
  Database without = all;
  std::erase_if(without["patients"],
                [&](const RawRow& row) { return row.at("id") == integer_value(person); });
  std::set<std::string> gone;
  std::erase_if(without["visits"], [&](const RawRow& row) {
    const bool own = row.at("patient_id") == integer_value(person);
    if (own) gone.insert(tagged(row.at("id")));
    return own;
  });
  std::erase_if(without["labs"],
                [&](const RawRow& row) { return gone.contains(tagged(row.at("visit_id"))); });
  return without;
}

// Which rows are cut is the engine's to choose; how far one person moves the rest is not.
template <class Open>
void expect_no_person_moves_pairs(const Open& open) {
  Random random(46);
  const policy::Policy policy = clinic();
  std::vector<Checked> questions;
  while (questions.size() < 10) {
    Plan plan = random_relational(random, true);
    const std::string& change = plan.source.tables[1].parts.front().fields[2].name;
    plan.measurements = {measurement(MeasureKind::kRows),
                         measurement(MeasureKind::kSum, col(change, 1))};
    auto checked = Checker::check(plan, policy, "q");
    if (checked) questions.push_back(*std::move(checked));
  }
  const Database all = random_clinic(random, 25);
  const auto measured = [&](const Database& database) {
    const auto opened = open(database);
    std::vector<std::map<std::string, std::vector<std::int64_t>>> out;
    for (const Checked& checked : questions) {
      auto& groups = out.emplace_back();
      for (const auto& [key, line] : opened->run(checked)) {
        std::istringstream text(line.substr(line.find('|') + 1));
        std::int64_t rows = 0;
        std::int64_t sum = 0;
        char bar = 0;
        text >> rows >> bar >> sum;
        groups[key] = {rows, sum};
      }
    }
    return out;
  };
  const auto before = measured(all);
  int moved = 0;
  for (int person = 0; person < 5; ++person) {
    const auto after = measured(without_person(all, person));
    for (std::size_t q = 0; q < questions.size(); ++q) {
      for (std::size_t m = 0; m < 2; ++m) {
        std::map<std::string, std::int64_t> difference;
        for (const auto& [key, values] : before[q]) difference[key] += values[m];
        for (const auto& [key, values] : after[q]) difference[key] -= values[m];
        std::int64_t distance = 0;
        for (const auto& [key, d] : difference) distance += std::abs(d);
        moved += distance > 0 ? 1 : 0;
        const auto& noise = std::get<mechanism::LaplaceVector>(questions[q].steps()[m].noise);
        EXPECT_LE(Rational(distance), noise.sensitivity().value());
      }
    }
  }
  EXPECT_GT(moved, 10);
}

}  // namespace discreet::engine
