// SPDX-License-Identifier: Apache-2.0
// Membership in the data of every family of models: people who are like everybody, with attributes
// and labels that are coins, so that there is nothing to learn and all to memorise.
#include <algorithm>
#include <cmath>

#include "audit/learned_scene.h"
#include "learn/clusters.h"
#include "learn/distribution.h"
#include "learn/linear.h"
#include "learn/logistic.h"
#include "learn/naive_bayes.h"
#include "learn/network.h"
#include "learn/synthetic.h"

namespace discreet::audit {
namespace {

using learn::Column;

constexpr std::size_t kMemberCrowd = 1000;
constexpr std::size_t kMemberRowsEach = 500;
/// Where it takes many to make a box of their own.
constexpr std::size_t kMemberBoxEach = 4000;

Row drawn_row(LearnedScene& scene, std::size_t columns, std::size_t values) {
  Row row;
  for (std::size_t i = 0; i < columns; ++i) {
    row.push_back(static_cast<std::int64_t>(scene.coins().below(values)));
  }
  return row;
}

/// The candidates: `person` draws them as it draws everybody.
std::vector<Row> drawn_people(LearnedScene& scene, const std::function<Row()>& person,
                              std::size_t rows_each) {
  std::vector<Row> candidates;
  for (std::size_t c = 0; c < kCandidates; ++c) candidates.push_back(person());
  scene.people(
      kMemberCrowd, [&](std::size_t) { return person(); }, rows_each,
      [&](std::size_t c) { return candidates[c]; });
  return candidates;
}

/// What people are asked: two of them share hardly any answers.
struct Questions {
  std::size_t answers = 5;
  std::size_t values = 150;  ///< of each answer
  std::size_t rows_each = kMemberRowsEach;
  bool apart = false;  ///< no two candidates give the same first answer
};

/// Answers that are drawn at random, then a label that is a coin.
struct People {
  Questions questions;
  std::vector<Column> columns;
  std::vector<std::size_t> features;
  std::vector<Row> candidates;

  People(LearnedScene& scene, Column label, const Questions& asked = {}) : questions(asked) {
    for (std::size_t i = 0; i < asked.answers; ++i) {
      columns.push_back({"answer" + std::to_string(i), 0, 1, 1, {}});
      for (std::size_t v = 0; v < asked.values; ++v) {
        columns.back().categories.push_back(std::to_string(v));
      }
      features.push_back(i);
    }
    columns.push_back(std::move(label));
    const auto person = [&](std::size_t) {
      Row row = drawn_row(scene, asked.answers, asked.values);
      row.push_back(static_cast<std::int64_t>(scene.coins().below(2)));
      return row;
    };
    for (std::size_t c = 0; c < kCandidates; ++c) {
      candidates.push_back(person(c));
      if (asked.apart) candidates.back()[0] = static_cast<std::int64_t>(c);
    }
    scene.people(kMemberCrowd, person, asked.rows_each,
                 [&](std::size_t c) { return candidates[c]; });
  }

  std::vector<double> encoded(std::size_t c) const {
    const learn::Features encoder(columns, features);
    std::vector<double> x(encoder.width());
    encoder.encode(candidates[c], x);
    return x;
  }
  std::size_t label(std::size_t c) const { return static_cast<std::size_t>(candidates[c].back()); }
};

Column yes_or_no() { return {"y", 0, 1, 1, {"no", "yes"}}; }

/// Of a linear model: of each candidate's answers the one that speaks least for its label, by the
/// answers' weights. A stranger shares some answers with those who were in, but not all.
std::vector<double> least_support(const People& people, const std::vector<double>& weights) {
  std::vector<double> scores;
  for (std::size_t c = 0; c < kCandidates; ++c) {
    std::vector<double> support;
    for (std::size_t i = 0; i < people.questions.answers; ++i) {
      const double w =
          weights[i * people.questions.values + static_cast<std::size_t>(people.candidates[c][i])];
      support.push_back(people.label(c) == 1 ? w : -w);
    }
    scores.push_back(*std::min_element(support.begin(), support.end()));
  }
  return scores;
}

/// The logarithm of the odds that a model gives to a label.
double odds(double p) { return std::log(p + 1e-300) - std::log1p(-p + 1e-300); }

Result<Told> classify_members(LearnedScene& scene) {
  const People people(scene, yes_or_no(), {.answers = 1, .apart = true});
  const learn::ClassifierTask task{people.columns, people.features, people.features.size()};
  DISCREET_ASSIGN(auto sums, scene.sums(learn::classifier_shares(task, scene.options().epsilon,
                                                                 scene.options().delta)));
  DISCREET_ASSIGN(const auto model, learn::fit_classifier(sums, task));
  return scene.told(least_support(people, model.weights[0]));
}

Result<Told> naive_bayes_members(LearnedScene& scene) {
  const People people(scene, yes_or_no());
  const learn::ClassifierTask task{people.columns, people.features, people.features.size()};
  DISCREET_ASSIGN(auto sums, scene.sums(learn::naive_bayes_shares()));
  DISCREET_ASSIGN(const auto model, learn::fit_naive_bayes(sums, task, 2));
  const std::vector<Column> features(people.columns.begin(), people.columns.end() - 1);
  std::vector<double> scores;
  for (std::size_t c = 0; c < kCandidates; ++c) {
    const Row cells(people.candidates[c].begin(), people.candidates[c].end() - 1);
    const double p = model.probabilities(features, cells)[people.label(c)];
    scores.push_back(odds(p));
  }
  return scene.told(scores);
}

Result<Told> regress_members(LearnedScene& scene) {
  const People people(scene, {"y", -1, 1, 2, {}}, {.answers = 1, .apart = true});
  const learn::RegressionTask task{people.columns, people.features, people.features.size()};
  DISCREET_ASSIGN(auto sums, scene.sums(learn::regression_shares()));
  DISCREET_ASSIGN(const auto model, learn::fit_regression(sums, task));
  // What is handed out says how sure a slope is.
  std::vector<double> sure = model.coefficients;
  for (std::size_t i = 0; i < sure.size(); ++i) sure[i] /= model.half_widths[i] + 1e-9;
  return scene.told(least_support(people, sure));
}

Result<Told> network_members(LearnedScene& scene) {
  const People people(scene, yes_or_no(), {.answers = 1, .rows_each = 200, .apart = true});
  learn::NetworkTask task;
  task.columns = people.columns;
  task.features = people.features;
  task.target = people.features.size();
  task.hidden = 4;
  task.steps = 40;
  DISCREET_ASSIGN(auto sums, scene.sums(network_training(scene, task)));
  DISCREET_ASSIGN(const auto model, learn::fit_network(sums, task));
  std::vector<double> scores;
  for (std::size_t c = 0; c < kCandidates; ++c) {
    scores.push_back(odds(model.probabilities(people.encoded(c))[people.label(c)]));
  }
  return scene.told(scores);
}

/// Homer's: how likely a person's attributes are by the released shares of each column.
Result<Told> distribution(LearnedScene& scene) {
  const People people(scene, yes_or_no());
  const learn::DistributionTask task{people.columns, 2};
  DISCREET_ASSIGN(auto sums, scene.sums(learn::distribution_shares()));
  DISCREET_ASSIGN(const auto found, learn::fit_distribution(sums, task));
  std::vector<double> scores(kCandidates, 0.0);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::vector<double> shares = found[i].shares();
    for (std::size_t c = 0; c < kCandidates; ++c) {
      scores[c] += std::log(shares[static_cast<std::size_t>(people.candidates[c][i])] + 1e-9);
    }
  }
  return scene.told(scores);
}

/// People anywhere in the unit square, or cube: how near a centre is.
Result<Told> cluster_members(LearnedScene& scene, std::size_t dimensions) {
  const learn::ClusterTask task = cluster_task(dimensions, kCandidates / 2);
  const std::vector<Row> candidates = drawn_people(
      scene, [&] { return drawn_row(scene, dimensions, 1025); },
      dimensions <= 2 ? kMemberRowsEach : kMemberBoxEach);
  DISCREET_ASSIGN(auto sums, scene.sums(learn::cluster_shares(task)));
  DISCREET_ASSIGN(const auto model, learn::fit_clusters(sums, task));
  return scene.told(nearness(model, candidates));
}

/// How many made-up rows are a person's, or all but one value of it.
Result<Told> synthesize_members(LearnedScene& scene) {
  constexpr std::size_t kColumns = 5;
  constexpr std::size_t kChoices = 8;
  learn::SyntheticTask task;
  for (std::size_t i = 0; i < kColumns; ++i) {
    task.columns.push_back({"v" + std::to_string(i), 0, 1, 1, {}});
    for (std::size_t v = 0; v < kChoices; ++v) {
      task.columns.back().categories.push_back(std::to_string(v));
    }
  }
  const std::vector<Row> candidates =
      drawn_people(scene, [&] { return drawn_row(scene, kColumns, kChoices); }, kMemberRowsEach);
  DISCREET_ASSIGN(auto sums, scene.sums(learn::synthetic_shares(task)));
  DISCREET_ASSIGN(const auto made, learn::fit_synthetic(sums, task));
  std::vector<double> scores(kCandidates, 0.0);
  for (const auto& row : made.rows) {
    for (std::size_t c = 0; c < kCandidates; ++c) {
      std::size_t same = 0;
      for (std::size_t i = 0; i < kColumns; ++i) same += row[i] == candidates[c][i] ? 1 : 0;
      if (same + 1 >= kColumns) scores[c] += same == kColumns ? 4 : 1;
    }
  }
  return scene.told(scores);
}

}  // namespace

std::vector<LearnedCase> membership_cases() {
  std::vector<LearnedCase> out{
      {"classify", "", classify_members},
      {"naive-bayes", "", naive_bayes_members},
      {"regress", "", regress_members},
      {"cluster", "", [](LearnedScene& scene) { return cluster_members(scene, 2); }},
      {"cluster in 10 dimensions", "",
       [](LearnedScene& scene) { return cluster_members(scene, 10); }},
      {"network", "", network_members},
      {"distribution", "", distribution},
      {"synthesize", "", synthesize_members}};
  for (LearnedCase& one : out) one.attack = "membership";
  return out;
}

}  // namespace discreet::audit
