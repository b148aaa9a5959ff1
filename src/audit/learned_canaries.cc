// SPDX-License-Identifier: Apache-2.0
// Canaries in every family of models: clipped as a unit a canary is a drop in the noise; with
// clipping removed it stands out.
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

constexpr std::size_t kCrowd = 2000;
constexpr std::size_t kRowsEach = 100;
/// Where a canary speaks through one number among many: so many that a fault stands out.
constexpr std::size_t kManyEach = 500;
constexpr std::size_t kClassEach = 1500;
/// Where it takes many to make a box of their own.
constexpr std::size_t kBoxEach = 5000;

/// A column whose values beyond the first belong to one canary each.
Column marks() {
  Column column{"mark", 0, 1, 1, {"none"}};
  for (std::size_t c = 0; c < kCandidates; ++c) {
    column.categories.push_back("c" + std::to_string(c));
  }
  return column;
}

Column classes(std::size_t k) {
  Column column{"y", 0, 1, 1, {"no", "yes", "perhaps"}};
  column.categories.resize(k);
  return column;
}

std::int64_t label(std::size_t c, std::size_t k = 2) { return static_cast<std::int64_t>(c % k); }

/// A crowd without marks, canaries that have one each; classes in turn.
void marked_people(LearnedScene& scene, std::size_t rows_each, std::size_t k = 2) {
  scene.people(
      kCrowd, [&](std::size_t i) { return Row{0, label(i, k)}; }, rows_each,
      [&](std::size_t c) { return Row{static_cast<std::int64_t>(c) + 1, label(c, k)}; });
}

learn::ClassifierTask marked_task(std::size_t k) { return {{marks(), classes(k)}, {0}, 1}; }

/// What speaks for canary c: its weight, in the direction of its class.
std::vector<double> by_class(std::vector<double> weights) {
  for (std::size_t c = 0; c < weights.size(); ++c) weights[c] *= label(c) == 1 ? 1 : -1;
  return weights;
}

Result<Told> classify(LearnedScene& scene) {
  marked_people(scene, kClassEach);
  const learn::ClassifierTask task = marked_task(2);
  DISCREET_ASSIGN(auto sums, scene.sums(learn::classifier_shares(task, scene.options().epsilon,
                                                                 scene.options().delta)));
  DISCREET_ASSIGN(const auto model, learn::fit_classifier(sums, task));
  return scene.told(by_class({model.weights[0].begin() + 1, model.weights[0].end()}));
}

Result<Told> classify_many(LearnedScene& scene) {
  constexpr std::size_t kClasses = 3;
  marked_people(scene, kClassEach, kClasses);
  const learn::ClassifierTask task = marked_task(kClasses);
  DISCREET_ASSIGN(auto sums, scene.sums(learn::classifier_shares(task, scene.options().epsilon,
                                                                 scene.options().delta)));
  DISCREET_ASSIGN(const auto model, learn::fit_classifier(sums, task));
  std::vector<double> scores;
  for (std::size_t c = 0; c < kCandidates; ++c) {
    scores.push_back(model.weights[c % kClasses][c + 1]);
  }
  return scene.told(scores);
}

Result<Told> naive_bayes(LearnedScene& scene) {
  marked_people(scene, kRowsEach);
  DISCREET_ASSIGN(auto sums, scene.sums(learn::naive_bayes_shares()));
  DISCREET_ASSIGN(const auto model, learn::fit_naive_bayes(sums, marked_task(2), 2));
  std::vector<double> scores;
  for (std::size_t c = 0; c < kCandidates; ++c) {
    scores.push_back(model.tables[0][2 * (c + 1) + static_cast<std::size_t>(label(c))]);
  }
  return scene.told(scores);
}

Result<Told> regress(LearnedScene& scene) {
  marked_people(scene, kManyEach);
  const learn::RegressionTask task{{marks(), {"y", 0, 1, 1, {}}}, {0}, 1};
  DISCREET_ASSIGN(auto sums, scene.sums(learn::regression_shares()));
  DISCREET_ASSIGN(const auto model, learn::fit_regression(sums, task));
  // What is handed out says how sure a slope is; all marks together add up to 1, so that only
  // differences of their slopes mean something.
  std::vector<double> slopes;
  for (std::size_t c = 1; c <= kCandidates; ++c) {
    slopes.push_back((model.coefficients[c] - model.coefficients[0]) /
                     (model.half_widths[c] + 1e-9));
  }
  return scene.told(by_class(slopes));
}

/// Canaries on a grid, or anywhere in more dimensions; the crowd at the edge.
Result<Told> cluster(LearnedScene& scene, std::size_t dimensions) {
  const learn::ClusterTask task =
      cluster_task(dimensions, dimensions <= 2 ? kCandidates : kCandidates / 2);
  const auto place = [&](std::size_t c) {
    Row row;
    for (std::size_t i = 0; i < dimensions; ++i) {
      if (dimensions <= 2) {
        row.push_back(static_cast<std::int64_t>(i == 0 ? (c % 12) * 85 + 40 : (c / 12) * 100 + 60));
      } else {  // anywhere, each along every axis in another order
        row.push_back(static_cast<std::int64_t>((c * (2 * i + 3) * 37 + i * 31) % 127 * 8));
      }
    }
    return row;
  };
  scene.people(
      kCrowd,
      [&](std::size_t i) {
        Row row(dimensions, 0);
        row[0] = 512 + static_cast<std::int64_t>(i % 7);
        return row;
      },
      dimensions <= 2 ? kRowsEach : kBoxEach, place);
  DISCREET_ASSIGN(auto sums, scene.sums(learn::cluster_shares(task)));
  DISCREET_ASSIGN(const auto model, learn::fit_clusters(sums, task));
  std::vector<Row> candidates;
  for (std::size_t c = 0; c < kCandidates; ++c) candidates.push_back(place(c));
  return scene.told(nearness(model, candidates));
}

Result<Told> network(LearnedScene& scene) {
  marked_people(scene, kRowsEach);
  learn::NetworkTask task;
  task.columns = {marks(), classes(2)};
  task.features = {0};
  task.target = 1;
  task.hidden = 4;
  task.steps = 30;
  DISCREET_ASSIGN(auto sums, scene.sums(network_training(scene, task)));
  DISCREET_ASSIGN(const auto model, learn::fit_network(sums, task));
  std::vector<double> scores;
  for (std::size_t c = 0; c < kCandidates; ++c) {
    std::vector<double> x(kCandidates + 1, 0.0);
    x[c + 1] = 1;
    scores.push_back(model.probabilities(x)[static_cast<std::size_t>(label(c))]);
  }
  return scene.told(scores);
}

Result<Told> histogram(LearnedScene& scene) {
  marked_people(scene, kRowsEach);
  const learn::DistributionTask task{{marks(), classes(2)}, 2};
  DISCREET_ASSIGN(auto sums, scene.sums(learn::distribution_shares()));
  DISCREET_ASSIGN(const auto found, learn::fit_distribution(sums, task));
  return scene.told({found[0].counts.begin() + 1, found[0].counts.end()});
}

/// A column for each canary, in which it alone is at the upper end.
Result<Told> numbers(LearnedScene& scene,
                     const std::function<double(const learn::Histogram&)>& score) {
  learn::DistributionTask task{{}, 2};
  for (std::size_t c = 0; c < kCandidates; ++c) {
    task.columns.push_back({"x" + std::to_string(c), 0, 10, 1, {}});
  }
  scene.people(
      kCrowd, [](std::size_t) { return Row(kCandidates, 0); }, 4 * kManyEach,
      [](std::size_t c) {
        Row row(kCandidates, 0);
        row[c] = 10;
        return row;
      });
  DISCREET_ASSIGN(auto sums, scene.sums(learn::distribution_shares()));
  DISCREET_ASSIGN(const auto found, learn::fit_distribution(sums, task));
  std::vector<double> scores;
  for (const learn::Histogram& one : found) scores.push_back(score(one));
  return scene.told(scores);
}

Result<Told> synthesize(LearnedScene& scene) {
  marked_people(scene, kRowsEach);
  const learn::SyntheticTask task{{marks(), classes(2)}};
  DISCREET_ASSIGN(auto sums, scene.sums(learn::synthetic_shares(task)));
  DISCREET_ASSIGN(const auto made, learn::fit_synthetic(sums, task));
  // What is handed out: the rows.
  std::vector<double> scores(kCandidates, 0.0);
  for (const auto& row : made.rows) {
    if (row[0] > 0) scores[static_cast<std::size_t>(row[0]) - 1] += 1;
  }
  return scene.told(scores);
}

}  // namespace

std::vector<LearnedCase> canary_cases() {
  const auto quantile = [](const learn::Histogram& h) { return h.quantile(0.99); };
  const auto mean = [](const learn::Histogram& h) { return learn::parametric_fit(h).mean; };
  std::vector<LearnedCase> out{
      {"classify", "", classify},
      {"classify many", "", classify_many},
      {"naive-bayes", "", naive_bayes},
      {"regress", "", regress},
      {"cluster", "", [](LearnedScene& scene) { return cluster(scene, 2); }},
      {"cluster in 10 dimensions", "", [](LearnedScene& scene) { return cluster(scene, 10); }},
      {"network", "", network},
      {"distribution", "", histogram},
      {"quantiles", "", [quantile](LearnedScene& scene) { return numbers(scene, quantile); }},
      {"parametric fit", "", [mean](LearnedScene& scene) { return numbers(scene, mean); }},
      {"synthesize", "", synthesize}};
  for (LearnedCase& one : out) one.attack = "canaries";
  return out;
}

}  // namespace discreet::audit
