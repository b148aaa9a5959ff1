// SPDX-License-Identifier: Apache-2.0
#include "audit/learned.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "audit/learned_scene.h"
#include "base/suggest.h"

namespace discreet::audit {
namespace {

constexpr double kPointStep = 0x1p-10;
constexpr double kShown = 0.05;  // the measured epsilon has 95 % confidence

std::vector<LearnedCase> cases() {
  std::vector<LearnedCase> out = canary_cases();
  for (LearnedCase& one : membership_cases()) out.push_back(std::move(one));
  return out;
}

std::string name_of(const LearnedCase& one) { return one.family + " " + one.attack; }

}  // namespace

void LearnedScene::people(std::size_t crowd, const std::function<Row(std::size_t)>& member,
                          std::size_t rows_each, const std::function<Row(std::size_t)>& candidate) {
  mechanism::UnitRows rows;
  const auto add = [&](const Row& row) {
    rows.columns = row.size();
    rows.cells.insert(rows.cells.end(), row.begin(), row.end());
  };
  for (std::size_t i = 0; i < crowd; ++i) {
    add(member(i));
    rows.ends.push_back(i + 1);
  }
  in_.clear();
  for (std::size_t c = 0; c < kCandidates; ++c) {
    const Row row = candidate(c);  // drawn for those who are out, too
    in_.push_back(coins_.below(2) == 1);
    if (!in_.back()) continue;
    for (std::size_t r = 0; r < rows_each; ++r) {
      add(row);
      if (options_.clipping_removed || r + 1 == rows_each) {
        rows.ends.push_back(rows.cells.size() / rows.columns);
      }
    }
  }
  rows_ = Sensitive<mechanism::UnitRows>(std::move(rows));
}

Result<learn::Sums> LearnedScene::sums(std::vector<Rational> shares) {
  return sums({.epsilon = options_.epsilon,
               .delta = options_.delta,
               .shares = std::move(shares),
               .sampling = {}});
}

Result<learn::Sums> LearnedScene::sums(const plan::Training& training) {
  delta_ = training.delta;
  return open_(training, rows_);
}

Told LearnedScene::told(std::vector<double> scores) const {
  return {in_, std::move(scores), delta_};
}

plan::Training network_training(const LearnedScene& scene, const learn::NetworkTask& task) {
  const LearnedOptions& options = scene.options();
  const bool pure = options.delta.value() == 0;
  return learn::network_training(
      task, options.epsilon, pure ? Delta::trusted(Rational::ratio(1, 100'000)) : options.delta);
}

learn::ClusterTask cluster_task(std::size_t dimensions, std::size_t clusters) {
  learn::ClusterTask task{{}, {}, clusters};
  for (std::size_t i = 0; i < dimensions; ++i) {
    task.columns.push_back({"x" + std::to_string(i), 0, 1, kPointStep, {}});
    task.features.push_back(i);
  }
  return task;
}

std::vector<double> nearness(const learn::Clusters& model, const std::vector<Row>& rows) {
  std::vector<double> scores;
  for (const Row& row : rows) {
    double least = 1e300;
    for (const auto& centre : model.centres) {
      double distance = 0;
      for (std::size_t i = 0; i < row.size(); ++i) {
        distance += std::pow(centre[i] - static_cast<double>(row[i]) * kPointStep, 2);
      }
      least = std::min(least, distance);
    }
    scores.push_back(-least);
  }
  return scores;
}

std::vector<std::string> learned_names() {
  std::vector<std::string> out;
  for (const LearnedCase& one : cases()) out.push_back(name_of(one));
  return out;
}

Result<std::vector<std::string>> learned_names_of(const std::string& task) {
  std::vector<std::string> out;
  std::vector<std::string> families;
  for (const LearnedCase& one : cases()) {
    if (one.family == task || one.family.starts_with(task + " ")) out.push_back(name_of(one));
    if (std::ranges::count(families, one.family) == 0) families.push_back(one.family);
  }
  if (!out.empty()) return out;
  return Error{Code::kNotFound, "no family of models is called " + in_quotes(task) +
                                    did_you_mean(task, families) + "; there are " +
                                    one_of(families)};
}

Result<LearnedRow> audit_learned(const std::string& name, const LearnedOptions& options,
                                 const OpenSums& open) {
  for (const LearnedCase& one : cases()) {
    if (name_of(one) != name) continue;
    LearnedScene scene(options, open);
    DISCREET_ASSIGN(const Told told, one.run(scene));
    LearnedRow row{.family = one.family,
                   .attack = one.attack,
                   .delta = told.delta,
                   .guesses = guess_by_score(told.scores, told.in)};
    const double claimed = options.epsilon.value().to_double(Round::kUp);
    const double delta = told.delta.value().to_double(Round::kUp);
    row.measured = one_run_epsilon(row.guesses, kShown, delta);
    row.violated = one_run_epsilon(row.guesses, kLearnedFalseAlarm, delta) > claimed;
    row.ok = row.violated == options.clipping_removed;
    return row;
  }
  const std::vector<std::string> names = learned_names();
  return Error{Code::kNotFound, "no audit of learning is called " + in_quotes(name) +
                                    did_you_mean(name, names) + "; there are " + one_of(names)};
}

}  // namespace discreet::audit
