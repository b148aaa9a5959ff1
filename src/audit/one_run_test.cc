// SPDX-License-Identifier: Apache-2.0
// Canaries in every family of models. A canary is a unit with 100 or 500 rows that are nobody
// else's: clipped as a unit it is a drop in the noise; with clipping removed (its rows as units of
// their own, which is the same sum) it stands out, and the bound is far above the claim.
#include "audit/one_run.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "learn/clusters.h"
#include "learn/distribution.h"
#include "learn/linear.h"
#include "learn/logistic.h"
#include "learn/naive_bayes.h"
#include "learn/network.h"
#include "learn/synthetic.h"
#include "mechanism/receipt_for_tests.h"

namespace discreet::audit {
namespace {

using learn::Column;
using mechanism::ClippedSums;
using mechanism::UnitRows;

constexpr std::size_t kCanaries = 80;
constexpr std::size_t kRowsEach = 100;
/// Where a canary speaks through one slope among many: so many that a bug stands out every time.
constexpr std::size_t kManyEach = 500;
constexpr double kBeta = 1e-6;  // of a false alarm, in each family

TEST(OneRun, BoundsAsTheBinomialDoes) {
  EXPECT_EQ(one_run_epsilon({20, 40}, 0.05), 0);
  // 40 of 40: p^40 = 0.05 at p = 0.9279, epsilon 2.55.
  EXPECT_NEAR(one_run_epsilon({40, 40}, 0.05), 2.555, 0.01);
  EXPECT_LT(one_run_epsilon({38, 40}, 0.05), one_run_epsilon({40, 40}, 0.05));
  const Guesses guesses = guess_by_score({3, -1, 2, -5}, {true, false, true, false});
  EXPECT_EQ(guesses.right, 2u);
  EXPECT_EQ(guesses.all, 2u);
}

learn::Sums open(const plan::Training& training, const Sensitive<UnitRows>& rows) {
  const auto terms = plan::terms_of(training, Neighbours::kAddRemove).value();
  return learn::Sums(
      ClippedSums::open(terms, cli::OwnValues::mint(terms.noise(), terms.cost())).value(), rows);
}

/// The crowd's rows, then the canaries that are in; `clipped`: each canary's rows are one unit's.
struct Scene {
  std::vector<bool> in;
  UnitRows rows;

  Scene(std::size_t columns, bool clipped, const std::vector<std::int64_t>& crowd,
        const std::function<std::vector<std::int64_t>(std::size_t)>& canary,
        std::size_t rows_each = kRowsEach) {
    std::mt19937_64 random(clipped ? 1 : 2);
    rows.columns = columns;
    rows.cells = crowd;
    for (std::size_t i = 1; i <= crowd.size() / columns; ++i) rows.ends.push_back(i);
    for (std::size_t c = 0; c < kCanaries; ++c) {
      in.push_back(random() % 2 == 0);
      if (!in.back()) continue;
      const std::vector<std::int64_t> row = canary(c);
      for (std::size_t r = 0; r < rows_each; ++r) {
        rows.cells.insert(rows.cells.end(), row.begin(), row.end());
        if (!clipped || r + 1 == rows_each) rows.ends.push_back(rows.cells.size() / columns);
      }
    }
  }
};

plan::Training training(std::vector<Rational> shares) {
  return {.epsilon = Epsilon::trusted(1),
          .delta = Delta::trusted(0),
          .shares = std::move(shares),
          .sampling = {}};
}

/// A column whose values beyond the first belong to one canary each.
Column marks() {
  Column column{"mark", 0, 1, 1, {"none"}};
  for (std::size_t c = 0; c < kCanaries; ++c) column.categories.push_back("c" + std::to_string(c));
  return column;
}

/// Half of the canaries are of each class.
std::int64_t label(std::size_t c) { return static_cast<std::int64_t>(c % 2); }

/// What speaks for canary c: its weight, in the direction of its class.
std::vector<double> by_class(std::vector<double> weights) {
  for (std::size_t c = 0; c < weights.size(); ++c) weights[c] *= label(c) == 1 ? 1 : -1;
  return weights;
}

using Attack = std::function<Guesses(bool clipped)>;

void expect_sound(const Attack& attack) {
  EXPECT_LT(one_run_epsilon(attack(true), kBeta), 1);  // the claim
  EXPECT_GT(one_run_epsilon(attack(false), 0.05), 1.5);
}

std::vector<std::int64_t> crowd_of(int n, int classes) {
  std::vector<std::int64_t> crowd;
  for (int i = 0; i < n; ++i) crowd.insert(crowd.end(), {0, i % classes});
  return crowd;
}

/// Canaries of which each has a value of its own and a class.
Scene marked_scene(bool clipped, std::size_t rows_each = kRowsEach) {
  return Scene(
      2, clipped, crowd_of(2000, 2),
      [](std::size_t c) {
        return std::vector<std::int64_t>{static_cast<std::int64_t>(c) + 1, label(c)};
      },
      rows_each);
}

TEST(OneRun, Classifier) {
  learn::ClassifierTask task{{marks(), {"y", 0, 1, 1, {"no", "yes"}}}, {0}, 1};
  expect_sound([&](bool clipped) {
    const Scene scene = marked_scene(clipped, kManyEach);
    const Sensitive<UnitRows> rows{UnitRows(scene.rows)};
    auto sums = open(
        training(learn::classifier_shares(task, Epsilon::trusted(1), Delta::trusted(0))), rows);
    const auto model = learn::fit_classifier(sums, task).value();
    return guess_by_score(by_class({model.weights[0].begin() + 1, model.weights[0].end()}),
                          scene.in);
  });
}

TEST(OneRun, NaiveBayes) {
  learn::ClassifierTask task{{marks(), {"y", 0, 1, 1, {"no", "yes"}}}, {0}, 1};
  expect_sound([&](bool clipped) {
    const Scene scene = marked_scene(clipped);
    const Sensitive<UnitRows> rows{UnitRows(scene.rows)};
    auto sums = open(training(learn::naive_bayes_shares()), rows);
    const auto model = learn::fit_naive_bayes(sums, task, 2).value();
    std::vector<double> scores;
    for (std::size_t c = 0; c < kCanaries; ++c) {
      scores.push_back(model.tables[0][2 * (c + 1) + static_cast<std::size_t>(label(c))]);
    }
    return guess_by_score(scores, scene.in);
  });
}

TEST(OneRun, Distribution) {
  const learn::DistributionTask task{{marks(), {"y", 0, 1, 1, {"no", "yes"}}}, 2};
  expect_sound([&](bool clipped) {
    const Scene scene = marked_scene(clipped);
    const Sensitive<UnitRows> rows{UnitRows(scene.rows)};
    auto sums = open(training(learn::distribution_shares()), rows);
    const auto counts = learn::fit_distribution(sums, task).value()[0].counts;
    return guess_by_score({counts.begin() + 1, counts.end()}, scene.in);
  });
}

TEST(OneRun, SyntheticTable) {
  const learn::SyntheticTask task{{marks(), {"y", 0, 1, 1, {"no", "yes"}}}};
  expect_sound([&](bool clipped) {
    const Scene scene = marked_scene(clipped);
    const Sensitive<UnitRows> rows{UnitRows(scene.rows)};
    auto sums = open(training(learn::synthetic_shares(task)), rows);
    const auto made = learn::fit_synthetic(sums, task).value();
    // What is handed out: the rows.
    std::vector<double> scores(kCanaries, 0.0);
    for (const auto& row : made.rows) {
      if (row[0] > 0) scores[static_cast<std::size_t>(row[0]) - 1] += 1;
    }
    return guess_by_score(scores, scene.in);
  });
}

TEST(OneRun, Regression) {
  learn::RegressionTask task{{marks(), {"y", 0, 1, 1, {}}}, {0}, 1};
  expect_sound([&](bool clipped) {
    const Scene scene = marked_scene(clipped, kManyEach);
    const Sensitive<UnitRows> rows{UnitRows(scene.rows)};
    auto sums = open(training(learn::regression_shares()), rows);
    const auto model = learn::fit_regression(sums, task).value();
    // What is handed out says how sure a slope is; all marks together add up to 1, so that only
    // differences of their slopes mean something.
    std::vector<double> slopes;
    for (std::size_t c = 1; c <= kCanaries; ++c) {
      slopes.push_back((model.coefficients[c] - model.coefficients[0]) /
                       (model.half_widths[c] + 1e-9));
    }
    return guess_by_score(by_class(slopes), scene.in);
  });
}

TEST(OneRun, Clusters) {
  learn::ClusterTask task{{{"x", 0, 1, 0x1p-10, {}}, {"y", 0, 1, 0x1p-10, {}}}, {0, 1}, kCanaries};
  const auto place = [](std::size_t c) {
    return std::vector<std::int64_t>{static_cast<std::int64_t>(c % 8) * 128 + 64,
                                     static_cast<std::int64_t>(c / 8) * 100 + 60};
  };
  expect_sound([&](bool clipped) {
    std::vector<std::int64_t> crowd;
    for (int i = 0; i < 2000; ++i) crowd.insert(crowd.end(), {512 + i % 7, 0});
    const Scene scene(2, clipped, crowd, place);
    const Sensitive<UnitRows> rows{UnitRows(scene.rows)};
    auto sums = open(training(learn::cluster_shares(task)), rows);
    const auto model = learn::fit_clusters(sums, task).value();
    std::vector<double> scores;
    for (std::size_t c = 0; c < kCanaries; ++c) {
      double nearest = 1e300;
      for (const auto& centre : model.centres) {
        nearest =
            std::min(nearest, std::hypot(centre[0] - static_cast<double>(place(c)[0]) / 1024,
                                         centre[1] - static_cast<double>(place(c)[1]) / 1024));
      }
      scores.push_back(-nearest);
    }
    return guess_by_score(scores, scene.in);
  });
}

TEST(OneRun, Network) {
  learn::NetworkTask task;
  task.columns = {marks(), {"y", 0, 1, 1, {"no", "yes"}}};
  task.features = {0};
  task.target = 1;
  task.hidden = 4;
  task.steps = 30;
  expect_sound([&](bool clipped) {
    const Scene scene = marked_scene(clipped);
    const Sensitive<UnitRows> rows{UnitRows(scene.rows)};
    auto sums = open(
        learn::network_training(task, Epsilon::trusted(1), Delta::parse("1e-5").value()), rows);
    const auto model = learn::fit_network(sums, task).value();
    std::vector<double> scores;
    for (std::size_t c = 0; c < kCanaries; ++c) {
      std::vector<double> x(kCanaries + 1, 0.0);
      x[c + 1] = 1;
      scores.push_back(model.probabilities(x)[static_cast<std::size_t>(label(c))]);
    }
    return guess_by_score(scores, scene.in);
  });
}

}  // namespace
}  // namespace discreet::audit
