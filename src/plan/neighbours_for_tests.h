// SPDX-License-Identifier: Apache-2.0
// Random neighbouring databases of the test clinic, and whether the measurements of a question on
// two neighbours lie within what the checker declared.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "plan/random_for_tests.h"
#include "plan/reference_for_tests.h"

namespace discreet::plan {

inline constexpr int kPeople = 5;

// All rows of one person: a patient, visits, labs of these visits.
inline void add_person(Random& random, Database& database, std::int64_t id,
                       std::int64_t& next_visit) {
  if (up_to(random, 9) > 0) {
    database["patients"].push_back({{"id", integer_value(id)},
                                    {"zip", text_value(std::to_string(up_to(random, 2)))},
                                    {"weight", integer_value(up_to(random, 250))},
                                    {"cohort", integer_value(2019 + up_to(random, 4))}});
  }
  for (int i = up_to(random, 6); i > 0; --i) {
    RawRow visit = random_visit(random);
    visit["id"] = integer_value(next_visit);
    visit["patient_id"] = integer_value(id);
    visit["zip"] = text_value(std::to_string(up_to(random, 2)));
    database["visits"].push_back(visit);
    for (int j = up_to(random, 2); j > 0; --j) {
      database["labs"].push_back({{"visit_id", integer_value(next_visit)},
                                  {"value", integer_value(up_to(random, 200) - 80)}});
    }
    ++next_visit;
  }
}

struct Pair {
  Database one;
  Database other;
};

inline Pair neighbours(Random& random, Neighbours relation) {
  Pair pair;
  Database& shared = pair.one;
  std::int64_t next_visit = 1;
  for (int zip = 0; zip < 3; ++zip) {
    for (int copies = up_to(random, 2); copies > 0; --copies) {
      shared["zips"].push_back({{"zip", text_value(std::to_string(zip))},
                                {"region", text_value(copies == 1 ? "a" : "b")}});
    }
  }
  for (int id = 1; id < kPeople; ++id) add_person(random, shared, id, next_visit);
  // Rows that belong to nobody known.
  RawRow nobody = random_visit(random);
  nobody["id"] = integer_value(next_visit++);
  shared["visits"].push_back(nobody);
  shared["labs"].push_back({{"visit_id", integer_value(9'999)}, {"value", integer_value(5)}});
  pair.other = shared;
  add_person(random, pair.one, 77, next_visit);
  if (relation == Neighbours::kReplaceOne) {
    add_person(random, pair.other, up_to(random, 1) == 0 ? 77 : 88, next_visit);
  }
  return pair;
}

using Measured = std::map<std::string, MeasuredGroup>;

inline std::set<std::string> keys_of(const Measured& a, const Measured& b) {
  std::set<std::string> keys;
  for (const auto& [key, group] : a) keys.insert(key);
  for (const auto& [key, group] : b) keys.insert(key);
  return keys;
}

// How many rows differ.
inline std::int64_t moved(const mechanism::Runs& a, const mechanism::Runs& b) {
  std::map<std::int64_t, std::int64_t> difference;
  for (const auto& [value, count] : a) difference[value] += count;
  for (const auto& [value, count] : b) difference[value] -= count;
  std::int64_t total = 0;
  for (const auto& [value, count] : difference) total += std::abs(count);
  return total;
}

struct Verdict {
  bool holds = true;
  bool tight = false;  // some additive mechanism's sensitivity was reached
};

template <class Part>
Part part_of(const Measured& groups, const std::string& key, Part MeasuredGroup::* member) {
  const auto found = groups.find(key);
  return found == groups.end() ? Part{} : found->second.*member;
}

inline void compare_step(const Checked& checked, std::size_t i, const Measured& a,
                         const Measured& b, const Rational& cheat, Verdict& verdict) {
  const Noise& noise = checked.steps()[i].noise;
  Integer l1_distance = 0;
  Integer l2_distance = 0;
  std::int64_t most_rows = 0;
  std::int64_t all_rows = 0;
  std::int64_t rows_squared = 0;
  for (const std::string& key : keys_of(a, b)) {
    auto x = part_of(a, key, &MeasuredGroup::integers);
    auto y = part_of(b, key, &MeasuredGroup::integers);
    x.resize(checked.steps().size());
    y.resize(checked.steps().size());
    const Integer d = abs(Integer(x[i] - y[i]));
    l1_distance += d;
    l2_distance += d * d;
    auto runs_x = part_of(a, key, &MeasuredGroup::runs);
    auto runs_y = part_of(b, key, &MeasuredGroup::runs);
    runs_x.resize(checked.steps().size());
    runs_y.resize(checked.steps().size());
    const std::int64_t rows = moved(runs_x[i], runs_y[i]);
    most_rows = std::max(most_rows, rows);
    all_rows += rows;
    rows_squared += rows * rows;
  }
  if (const auto* laplace = std::get_if<mechanism::LaplaceVector>(&noise)) {
    const Rational declared = laplace->sensitivity().value() / cheat;
    verdict.holds = verdict.holds && Rational(l1_distance) <= declared;
    verdict.tight = verdict.tight || Rational(l1_distance) == declared;
  } else if (const auto* gaussian = std::get_if<mechanism::GaussianVector>(&noise)) {
    const Rational declared = gaussian->sensitivity_squared().value() / cheat;
    verdict.holds = verdict.holds && Rational(l2_distance) <= declared;
    verdict.tight = verdict.tight || Rational(l2_distance) == declared;
  } else {
    const auto& options = std::get<mechanism::Quantiles>(noise).options();
    verdict.holds = verdict.holds && most_rows <= options.rows_per_unit &&
                    all_rows <= options.keys_per_unit * options.rows_per_unit;
  }
  // However the cuts fall, a group's cells move by at most its rows, all of them in one cell.
  const auto& counts = checked.steps()[i].counts;
  if (!counts) return;
  if (const auto* laplace = std::get_if<mechanism::LaplaceVector>(&*counts)) {
    verdict.holds = verdict.holds && Rational(all_rows) <= laplace->sensitivity().value() / cheat;
  } else {
    const auto& gaussian = std::get<mechanism::GaussianVector>(*counts);
    verdict.holds =
        verdict.holds && Rational(rows_squared) <= gaussian.sensitivity_squared().value() / cheat;
  }
}

/// What thresholded_groups.md asks of neighbours: the pairs (x, C n - x) lie within the noise's
/// sensitivity, and a key that only one side has has one unit, with at most C in it.
inline void compare_threshold(const Checked& checked, const Measured& a, const Measured& b,
                              const Rational& cheat, Verdict& verdict) {
  const auto& options = checked.threshold()->noise.options();
  Integer l1_distance = 0;
  Integer l2_distance = 0;
  for (const std::string& key : keys_of(a, b)) {
    const auto pair_of = [&](const Measured& side) -> std::pair<Integer, Integer> {
      const auto found = side.find(key);
      if (found == side.end()) return {0, 0};
      const Integer x = found->second.integers[checked.threshold()->step];
      const Integer units(found->second.units.size());
      return {x, options.capacity * units - x};
    };
    const auto [x, room_x] = pair_of(a);
    const auto [y, room_y] = pair_of(b);
    for (const Integer& d : {Integer(x - y), Integer(room_x - room_y)}) {
      l1_distance += abs(d);
      l2_distance += d * d;
    }
    if (a.contains(key) && b.contains(key)) continue;
    verdict.holds = verdict.holds && room_x >= 0 && room_y >= 0 && x + y <= options.capacity &&
                    x + y + room_x + room_y == options.capacity;
    if (!options.room) verdict.holds = verdict.holds && room_x + room_y == 0;
  }
  if (const auto* laplace = std::get_if<mechanism::LaplaceNoise>(&options.noise)) {
    verdict.holds =
        verdict.holds && Rational(l1_distance) <= laplace->sensitivity().value() / cheat;
  } else {
    const auto& gaussian = std::get<mechanism::GaussianNoise>(options.noise);
    verdict.holds =
        verdict.holds && Rational(l2_distance) <= gaussian.sensitivity_squared().value() / cheat;
  }
}

/// Whether two neighbours' measurements lie within what the checker declared, divided by `cheat`.
inline Verdict compare(const Checked& checked, const Measured& a, const Measured& b,
                       const Rational& cheat = 1) {
  Verdict verdict;
  std::int64_t keys_that_differ = 0;
  for (const std::string& key : keys_of(a, b)) {
    const auto x = static_cast<std::int64_t>(part_of(a, key, &MeasuredGroup::units).size());
    const auto y = static_cast<std::int64_t>(part_of(b, key, &MeasuredGroup::units).size());
    verdict.holds = verdict.holds && (std::abs(x - y) <= 1 || checked.pair());
    keys_that_differ += x == y ? 0 : 1;
  }
  const bool add_remove = checked.charge().units().neighbours == Neighbours::kAddRemove;
  const std::int64_t l = checked.plan().bounds.groups_per_unit;
  verdict.holds = verdict.holds && (keys_that_differ <= (add_remove ? l : 2 * l) || checked.pair());
  if (checked.threshold()) compare_threshold(checked, a, b, cheat, verdict);
  for (std::size_t i = 0; i < checked.steps().size(); ++i) {
    compare_step(checked, i, a, b, cheat, verdict);
  }
  return verdict;
}

}  // namespace discreet::plan
