// SPDX-License-Identifier: Apache-2.0
// Fits on data made here. They are random; bounds leave so much room that a failure by chance is
// below 1e-6 (each says how far), and a broken fit misses them.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "learn/clusters.h"
#include "learn/distribution.h"
#include "learn/linear.h"
#include "learn/logistic.h"
#include "learn/matrix.h"
#include "learn/model.h"
#include "learn/naive_bayes.h"
#include "learn/network.h"
#include "learn/synthetic.h"
#include "mechanism/receipt_for_tests.h"

namespace discreet::learn::learn_test {
namespace {

using mechanism::ClippedSums;
using mechanism::UnitRows;

UnitRows singles(std::size_t columns, std::vector<std::int64_t> cells) {
  UnitRows rows{.columns = columns, .cells = std::move(cells), .ends = {}};
  for (std::size_t i = 1; i <= rows.cells.size() / columns; ++i) rows.ends.push_back(i);
  return rows;
}

Sums open(const plan::Training& training, const Sensitive<UnitRows>& rows) {
  const auto terms = plan::terms_of(training, Neighbours::kAddRemove).value();
  return Sums(ClippedSums::open(terms, cli::OwnValues::mint(terms.noise(), terms.cost())).value(),
              rows);
}

plan::Training training(const char* epsilon, const char* delta, std::vector<Rational> shares) {
  return {.epsilon = Epsilon::parse(epsilon).value(),
          .delta = Delta::parse(delta).value(),
          .shares = std::move(shares),
          .sampling = {}};
}

Column real_column(const char* name, double low, double high) {
  return {name, low, high, (high - low) / 65536, {}};
}

TEST(Features, EncodeByTheDeclaredDomainAlone) {
  const std::vector<Column> columns{
      real_column("t", -4, 2), real_column("age", 20, 60), {"c", 0, 1, 1, {"a", "b"}}};
  const Features features(columns, {0, 1, 2});
  EXPECT_EQ(features.names(), (std::vector<std::string>{"t", "age", "c=a", "c=b"}));
  std::vector<double> x(4);
  const std::vector<std::int64_t> row{columns[0].cell(1), columns[1].cell(60), 1};
  ASSERT_TRUE(features.encode(row, x));
  EXPECT_NEAR(x[0], 0.25, 1e-4);  // anchored at 0
  EXPECT_NEAR(x[1], 1, 1e-4);     // at the middle
  EXPECT_EQ(x[2], 0);
  EXPECT_EQ(x[3], 1);
  const std::vector<std::int64_t> unseen{0, 0, 2};
  ASSERT_TRUE(features.encode(unseen, x));
  EXPECT_EQ(x[2] + x[3], 0);  // a category that is not listed
  const std::vector<std::int64_t> missing{0, kMissing, 0};
  EXPECT_FALSE(features.encode(missing, x));
  EXPECT_EQ(columns[1].cell(std::nan("")), 0);
  EXPECT_EQ(columns[1].cell(1e300), columns[1].cells() - 1);
  EXPECT_FALSE(check_column({"flat", 1, 1, 1, {}}));
  EXPECT_FALSE(check_column({"twice", 0, 1, 1, {"a", "a"}}));
}

TEST(Sums, WhatIsNoNumberCountsAsNothing) {
  const Sensitive<UnitRows> rows(singles(1, {0, 1, 2, 3}));
  Sums sums = open(training("1000000", "0", {1, 1}), rows);
  const auto sum = sums.dense(3, 2, [](std::span<const std::int64_t> row, std::span<double> out) {
    out[0] = row[0] == 0 ? std::nan("") : 1;
    out[1] = row[0] == 1 ? INFINITY : 0;
    out[2] = row[0] == 2 ? -1e300 : 0;  // clipped: its whole vector has L1 norm 2
  });
  ASSERT_TRUE(sum.has_value());
  EXPECT_NEAR((*sum)[0], 2, 0.01);
  EXPECT_NEAR((*sum)[1], 0, 0.01);
  EXPECT_NEAR((*sum)[2], -2, 0.01);
}

// 20,000 rows of three correlated features: the truth is right 0.83 of the time or so, guessing
// 0.5. Noise moves the accuracy by less than 0.01 (6 deviations).
TEST(Classifier, FindsTheDirectionAmongCorrelatedFeatures) {
  ClassifierTask task;
  task.columns = {real_column("a", -5, 5),
                  real_column("b", -5, 5),
                  real_column("c", -5, 5),
                  {"y", 0, 1, 1, {"no", "yes"}}};
  task.features = {0, 1, 2};
  task.target = 3;
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  std::vector<std::int64_t> cells;
  double best = 0;
  for (int i = 0; i < 20000; ++i) {
    const double a = normal(random);
    const double b = 0.9 * a + 0.4 * normal(random);
    const double c = normal(random);
    const double score = 2 * a - 2 * b + c;
    const double u = std::uniform_real_distribution<double>()(random);
    const bool yes = u < 1 / (1 + std::exp(-2 * score));
    best += yes == (score > 0) ? 1 / 20000.0 : 0;
    for (std::size_t j = 0; j < 3; ++j)
      cells.push_back(task.columns[j].cell(j == 0 ? a : j == 1 ? b : c));
    cells.push_back(yes ? 1 : 0);
  }
  const UnitRows open_rows = singles(4, cells);
  const Sensitive<UnitRows> rows{UnitRows(open_rows)};
  for (const char* delta : {"0", "1e-6"}) {
    const Epsilon epsilon = Epsilon::parse("2").value();
    Sums sums = open(
        training("2", delta, classifier_shares(task, epsilon, Delta::parse(delta).value())), rows);
    const auto model = fit_classifier(sums, task);
    ASSERT_TRUE(model.has_value());
    std::vector<double> x(3);
    double right = 0;
    for (std::size_t r = 0; r < open_rows.ends.size(); ++r) {
      model->features.encode(open_rows.row(r), x);
      right += model->choose(x) == static_cast<std::size_t>(open_rows.row(r)[3]) ? 1 / 20000.0 : 0;
    }
    EXPECT_GT(right, best - 0.02) << delta;
    const auto estimate = estimate_accuracy(sums, *model, task, 3);
    ASSERT_TRUE(estimate.has_value());
    EXPECT_EQ(estimate->size(), 3u);  // all, and for each value of the group column
    EXPECT_NEAR((*estimate)[0].accuracy, right, 3 * (*estimate)[0].half_width + 0.005);
  }
}

TEST(Classifier, ManyClasses) {
  ClassifierTask task;
  task.columns = {
      real_column("a", -5, 5), real_column("b", -5, 5), {"y", 0, 1, 1, {"p", "q", "r"}}};
  task.features = {0, 1};
  task.target = 2;
  std::mt19937_64 random(4);
  std::normal_distribution<double> normal;
  std::vector<std::int64_t> cells;
  for (int i = 0; i < 9000; ++i) {
    const int c = i % 3;
    cells.push_back(task.columns[0].cell(normal(random) * 0.5 + (c == 0 ? 2 : -1)));
    cells.push_back(task.columns[1].cell(normal(random) * 0.5 + (c == 1 ? 2 : -1)));
    cells.push_back(c);
  }
  const UnitRows open_rows = singles(3, cells);
  const Sensitive<UnitRows> rows{UnitRows(open_rows)};
  Sums sums = open(
      training("2", "0", classifier_shares(task, Epsilon::trusted(2), Delta::trusted(0))), rows);
  const auto model = fit_classifier(sums, task);
  ASSERT_TRUE(model.has_value());
  int right = 0;
  std::vector<double> x(2);
  for (std::size_t r = 0; r < 9000; ++r) {
    model->features.encode(open_rows.row(r), x);
    right += model->choose(x) == r % 3 ? 1 : 0;
  }
  EXPECT_GT(right, 8700);
}

// A third of the rows has a class that nobody listed: they say nothing of the others, and the
// accuracy is of rows with a class. A third has a group that nobody listed: "all" holds them.
TEST(Classifier, ClassesAndGroupsThatAreNotListed) {
  ClassifierTask task;
  task.columns = {
      real_column("a", -5, 5), {"y", 0, 1, 1, {"p", "q"}}, {"g", 0, 1, 1, {"one", "two"}}};
  task.features = {0};
  task.target = 1;
  std::vector<std::int64_t> cells;
  for (int i = 0; i < 9000; ++i) {
    const int y = i % 3;  // 2: not listed, and it lies where q does
    cells.push_back(task.columns[0].cell(y == 0 ? -2 : 2));
    cells.push_back(y);
    cells.push_back((i / 3) % 3);
  }
  const Sensitive<UnitRows> rows{singles(3, cells)};
  Sums sums = open(
      training("4", "0", classifier_shares(task, Epsilon::trusted(4), Delta::trusted(0))), rows);
  const auto model = fit_classifier(sums, task);
  ASSERT_TRUE(model.has_value());
  const std::vector<double> at{0.4};
  EXPECT_GT(model->probabilities(at)[1], 0.7);  // as 0.5 if the others counted as p
  const auto found = estimate_accuracy(sums, *model, task, 2);
  ASSERT_TRUE(found.has_value());
  ASSERT_EQ(found->size(), 3u);
  EXPECT_NEAR((*found)[0].count, 6000, 300);  // scale 10 of 3 noisy counts
  EXPECT_NEAR((*found)[1].count, 2000, 200);
  EXPECT_GT((*found)[0].accuracy, 0.95);
}

// The class depends on |a| and on c: no line separates it. Of 12,000 rows 0.9 have the class that
// the rule says; noise moves the accuracy by less than 0.01 (six deviations).
TEST(NaiveBayes, SeesWhatGoesUpAndDown) {
  ClassifierTask task;
  task.columns = {
      real_column("a", -1, 1), {"c", 0, 1, 1, {"u", "v", "w"}}, {"y", 0, 1, 1, {"in", "out"}}};
  task.features = {0, 1};
  task.target = 2;
  std::mt19937_64 random(14);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<std::int64_t> cells;
  for (int i = 0; i < 12000; ++i) {
    const double a = uniform(random);
    const bool out = (std::abs(a) > 0.5) != (random() % 10 == 0);
    const std::size_t c = random() % 4;  // 3 is not listed
    cells.insert(cells.end(), {task.columns[0].cell(a), static_cast<std::int64_t>(c), out ? 1 : 0});
  }
  cells.insert(cells.end(), {kMissing, 0, 1, 0, kMissing, 1, 0, 0, 2, 0, 0, kMissing});
  const UnitRows open_rows = singles(3, cells);
  const Sensitive<UnitRows> rows{UnitRows(open_rows)};
  for (const char* delta : {"0", "1e-6"}) {
    Sums sums = open(training("1", delta, naive_bayes_shares()), rows);
    const auto model = fit_naive_bayes(sums, task, 8);
    ASSERT_TRUE(model.has_value());
    double right = 0;
    for (std::size_t r = 0; r < 12000; ++r) {
      const auto p =
          model->probabilities({task.columns[0], task.columns[1]}, open_rows.row(r).subspan(0, 2));
      right += (p[1] > 0.5) == (open_rows.row(r)[2] == 1) ? 1 / 12000.0 : 0;
    }
    EXPECT_GT(right, 0.88) << delta;
    const auto estimate = estimate_accuracy(sums, *model, task, 1);
    ASSERT_TRUE(estimate.has_value());
    ASSERT_EQ(estimate->size(), 4u);
    EXPECT_NEAR((*estimate)[1].accuracy, 0.9, 3 * (*estimate)[1].half_width + 0.03);
    const auto again =
        model_of_json(to_json({{task.columns[0], task.columns[1]}, *model, "y", {}}, {}));
    ASSERT_TRUE(again.has_value());
    const auto out = predict(*again, *parse_csv("c,a\nu,0.9\nnew,0.1\n,0.9\nu,x\n"));
    EXPECT_EQ(out->rows[0][2], "out");
    EXPECT_EQ(out->rows[1][2], "in");
    EXPECT_EQ(out->rows[2][2] + out->rows[3][2], "");
  }
  EXPECT_FALSE(check_naive_bayes(task, 1));
}

// Sources that are off: nobody, one class only, constant columns, more features than people, all
// missing, categories unseen. Every fit ends in finite numbers, and no error depends on rows.
TEST(Fits, EveryTableGivesFiniteNumbers) {
  std::vector<Column> columns;
  for (int i = 0; i < 30; ++i)
    columns.push_back(real_column(("x" + std::to_string(i)).c_str(), 0, 1));
  columns.push_back({"c", 0, 1, 1, {"a", "b"}});
  columns.push_back({"y", 0, 1, 1, {"no", "yes"}});
  const std::size_t width = columns.size();
  std::vector<std::size_t> features;
  for (std::size_t i = 0; i + 1 < width; ++i) features.push_back(i);
  const auto table = [&](std::size_t people, std::int64_t x, std::int64_t c, std::int64_t y) {
    std::vector<std::int64_t> cells;
    for (std::size_t r = 0; r < people; ++r) {
      for (int i = 0; i < 30; ++i) cells.push_back(x);
      cells.insert(cells.end(), {c, y});
    }
    return singles(width, cells);
  };
  std::vector<UnitRows> tables;
  tables.push_back(table(0, 0, 0, 0));             // empty
  tables.push_back(table(5, 100, 0, 1));           // more features than people, constant, one class
  tables.push_back(table(500, kMissing, 0, 1));    // all missing
  tables.push_back(table(500, 65536, 2, 2));       // categories unseen, in the target too
  tables.push_back(table(500, 1LL << 60, -7, 1));  // cells that no engine hands over
  const auto finite = [](const std::vector<double>& v) {
    return std::all_of(v.begin(), v.end(), [](double x) { return std::isfinite(x); });
  };
  for (std::size_t t = 0; t < tables.size(); ++t) {
    SCOPED_TRACE(t);
    const Sensitive<UnitRows> rows{UnitRows(tables[t])};
    for (const char* delta : {"0", "1e-6"}) {
      const Delta d = Delta::parse(delta).value();
      const ClassifierTask task{columns, features, width - 1};
      Sums classes =
          open(training("1", delta, classifier_shares(task, Epsilon::trusted(1), d)), rows);
      const auto classifier = fit_classifier(classes, task);
      ASSERT_TRUE(classifier.has_value());
      EXPECT_TRUE(finite(classifier->weights[0]) && finite(classifier->intercepts));
      const auto estimate = estimate_accuracy(classes, *classifier, task, width - 2);
      ASSERT_TRUE(estimate.has_value());
      for (const auto& e : *estimate) EXPECT_TRUE(e.accuracy >= 0 && e.accuracy <= 1);
      Sums counts = open(training("1", delta, naive_bayes_shares()), rows);
      const auto bayes = fit_naive_bayes(counts, task, 4);
      ASSERT_TRUE(bayes.has_value());
      for (const auto& one : bayes->tables) EXPECT_TRUE(finite(one));
      const RegressionTask line{columns, {0, 1, 2, 30}, 3, 0};
      Sums moments = open(training("1", delta, regression_shares()), rows);
      const auto regression = fit_regression(moments, line);
      ASSERT_TRUE(regression.has_value());
      EXPECT_TRUE(finite(regression->coefficients) && std::isfinite(regression->intercept));
      const ClusterTask groups{columns, {0, 1, 2}, 4};
      Sums places = open(training("1", delta, cluster_shares(groups)), rows);
      const auto clusters = fit_clusters(places, groups);
      ASSERT_TRUE(clusters.has_value());
      for (const auto& centre : clusters->centres) EXPECT_TRUE(finite(centre));
      const std::vector<Column> few(columns.end() - 4, columns.end());
      UnitRows cut = singles(4, {});
      for (std::size_t r = 0; r < tables[t].ends.size(); ++r) {
        const auto row = tables[t].row(r).subspan(width - 4);
        cut.cells.insert(cut.cells.end(), row.begin(), row.end());
        cut.ends.push_back(r + 1);
      }
      const Sensitive<UnitRows> narrow(std::move(cut));
      const SyntheticTask table_task{few};
      Sums marginals = open(training("1", delta, synthetic_shares(table_task)), narrow);
      const auto made = fit_synthetic(marginals, table_task);
      ASSERT_TRUE(made.has_value());
      for (const auto& m : made->marginals) EXPECT_TRUE(finite(m.released) && finite(m.synthetic));
      Sums bars = open(training("1", delta, distribution_shares()), narrow);
      const auto histograms = fit_distribution(bars, {few, 16});
      ASSERT_TRUE(histograms.has_value());
      for (const auto& h : *histograms) EXPECT_TRUE(finite(h.shares()));
      EXPECT_TRUE(std::isfinite((*histograms)[0].quantile(0.5)));
    }
    NetworkTask net;
    net.columns = columns;
    net.features = features;
    net.target = width - 1;
    net.steps = 5;
    Sums steps =
        open(network_training(net, Epsilon::trusted(1), Delta::parse("1e-6").value()), rows);
    const auto network = fit_network(steps, net);
    ASSERT_TRUE(network.has_value());
    EXPECT_TRUE(finite(network->weights));
  }
}

TEST(Regression, CoefficientsLieInTheirIntervals) {
  RegressionTask task;
  task.columns = {real_column("a", -4, 4), real_column("b", -4, 4), real_column("y", -20, 20)};
  task.features = {0, 1};
  task.target = 2;
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  std::vector<std::int64_t> cells;
  for (int i = 0; i < 20000; ++i) {
    const double a = normal(random);
    const double b = normal(random);
    cells.push_back(task.columns[0].cell(a));
    cells.push_back(task.columns[1].cell(b));
    cells.push_back(task.columns[2].cell(3 + 2 * a - b + normal(random)));
  }
  const Sensitive<UnitRows> rows(singles(3, cells));
  for (const char* delta : {"0", "1e-6"}) {
    Sums sums = open(training("3", delta, regression_shares()), rows);
    const auto model = fit_regression(sums, task);
    ASSERT_TRUE(model.has_value());
    EXPECT_NEAR(model->coefficients[0] / 4, 2, 0.3) << delta;  // per unit
    EXPECT_NEAR(model->coefficients[1] / 4, -1, 0.3) << delta;
    EXPECT_NEAR(model->intercept, 3, 0.3) << delta;
    for (std::size_t i = 0; i < 2; ++i) {
      const double truth = i == 0 ? 8 : -4;
      EXPECT_LT(std::abs(model->coefficients[i] - truth), 4 * model->half_widths[i] + 0.1) << delta;
      EXPECT_LT(model->half_widths[i], 1.5) << delta;
    }
  }
}

TEST(Matrix, LiftsWhatIsBelow) {
  Symmetric m(3);  // eigenvalues -1, 3 and 2
  m.set(0, 0, 1), m.set(1, 1, 1), m.set(0, 1, 2), m.set(2, 2, 2);
  const Symmetric same = lifted(m, -5);
  const Symmetric up = lifted(m, 0.5);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(same(i, j), m(i, j), 1e-12);
  }
  EXPECT_NEAR(up(0, 0), 1.75, 1e-12);  // (3 + 0.5) / 2
  EXPECT_NEAR(up(0, 1), 1.25, 1e-12);  // (3 - 0.5) / 2
  EXPECT_NEAR(up(2, 2), 2, 1e-12);
}

/// A clinic's visits: cost = 200 + 20 age + 600 in the second of three clinics, with a deviation of
/// 200 for a person and 200 for a visit; people have 1 to `rows_each` visits.
struct Visits {
  static constexpr double kCoefficients[] = {2000, 0, 600, 0};  // of encoded features
  RegressionTask task;
  UnitRows rows;

  Visits(std::uint64_t seed, int people, std::int64_t rows_each) {
    task.columns = {real_column("age", 0, 100),
                    {"clinic", 0, 1, 1, {"a", "b", "c"}},
                    real_column("cost", 0, 5000)};
    task.features = {0, 1};
    task.target = 2;
    task.rows_each = rows_each;
    rows.columns = 3;
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    for (int p = 0; p < people; ++p) {
      const double age = 60 + 15 * normal(random);
      const double own = 200 * normal(random);
      const std::int64_t visits =
          1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(rows_each));
      for (std::int64_t v = 0; v < visits; ++v) {
        const auto clinic = static_cast<std::int64_t>(random() % 3);
        const double cost = 200 + 20 * age + (clinic == 1 ? 600 : 0) + own + 200 * normal(random);
        rows.cells.insert(rows.cells.end(),
                          {task.columns[0].cell(age), clinic, task.columns[2].cell(cost)});
      }
      rows.ends.push_back(rows.cells.size() / 3);
    }
  }

  Regression fit(const char* delta) const {
    const Sensitive<UnitRows> sealed{UnitRows(rows)};
    Sums sums = open(training("1", delta, regression_shares()), sealed);
    return fit_regression(sums, task).value();
  }

  /// Root mean squared, in deviations of what cannot be known (283).
  double error(const Regression& model) const {
    std::vector<double> x(4);
    double squares = 0;
    const std::size_t n = rows.cells.size() / 3;
    for (std::size_t r = 0; r < n; ++r) {
      const std::span<const std::int64_t> row(&rows.cells[3 * r], 3);
      model.features.encode(row, x);
      squares += std::pow(model.predict(x) - task.columns[2].value(row[2]), 2);
    }
    return std::sqrt(squares / static_cast<double>(n)) / std::hypot(200, 200);
  }
};

// Units with many rows are clipped in every look, in each by another factor. With the fault planted
// (a look that divides by the rows of the first one, as for units of one row) the model is wrong by
// 5.9 deviations; without it the error is 1.001, and noise moves it by 0.001.
TEST(Regression, ManyRowsOfAUnitAreDividedByTheirOwnCount) {
  Visits visits(1, 20000, 4);
  for (const char* delta : {"0", "1e-6"}) {
    visits.task.rows_each = 4;
    const Regression model = visits.fit(delta);
    EXPECT_LT(visits.error(model), 1.02) << delta;
    const std::vector<double>& w = model.coefficients;
    EXPECT_NEAR(w[1] + w[2] + w[3], 0, 1e-6);  // a clinic that is not listed: in between
    visits.task.rows_each = 1;
    EXPECT_GT(visits.error(visits.fit(delta)), 2) << delta;
  }
}

// 640 tables of their own, of which the interval of age should hold the truth in 608 or more. Fewer
// than 540 of so many have a chance below 1e-6 (binomial). Intervals of a quarter of the width must
// fail, and so must some that are too wide to say anything.
struct Held {
  int all = 0, age = 0, age_by_a_quarter = 0, clinic = 0;
  double age_width = 0, clinic_width = 0;  ///< means
};

Held intervals(int people) {
  Held out;
  for (const char* delta : {"0", "1e-6"}) {
    for (const std::int64_t rows_each : {1, 6}) {
      for (std::uint64_t i = 0; i < 160; ++i, ++out.all) {
        const Regression model = Visits(100 + i, people, rows_each).fit(delta);
        const double off = std::abs(model.coefficients[0] - Visits::kCoefficients[0]);
        const double clinic_off = std::abs(model.coefficients[2] - 400);  // beside the mean of all
        out.age += off < model.half_widths[0] ? 1 : 0;
        out.age_by_a_quarter += off < model.half_widths[0] / 4 ? 1 : 0;
        out.clinic += clinic_off < model.half_widths[2] ? 1 : 0;
        out.age_width += model.half_widths[0] / 640;
        out.clinic_width += model.half_widths[2] / 640;
      }
    }
  }
  return out;
}

TEST(Regression, IntervalsHoldTheTruth) {
  const Held held = intervals(10000);
  EXPECT_GE(held.age, 540);
  EXPECT_LT(held.age_by_a_quarter, 540);
  EXPECT_LT(held.age_width, Visits::kCoefficients[0] / 2);  // about 300
  EXPECT_GE(held.clinic, 540);
  EXPECT_LT(held.clinic_width, 300);  // 650 and more where what all marks share is counted
}

// Noise is half of age's variance here. Intervals that trust the moments as measured hold the truth
// in about 530 of 640, so that this sees them nine times of ten.
TEST(Regression, IntervalsHoldTheTruthOfFewPeople) {
  const Held held = intervals(1000);
  EXPECT_GE(held.age, 540);
  EXPECT_GE(held.clinic, 540);
  EXPECT_LT(held.age_by_a_quarter, 540);
}

/// 10,000 people with `each` rows of their own, whose class follows a logistic law.
struct Answers {
  ClassifierTask task;
  UnitRows rows{.columns = 4, .cells = {}, .ends = {}};
  double best = 0;  ///< the mean loss of the law itself

  explicit Answers(int each) {
    task.columns = {real_column("a", -3, 3),
                    real_column("b", 0, 100),
                    {"c", 0, 1, 1, {"u", "v"}},
                    {"y", 0, 1, 1, {"no", "yes"}}};
    task.features = {0, 1, 2};
    task.target = 3;
    task.rows_each = each;
    std::mt19937_64 random(3);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform;
    for (int p = 0; p < 10000; ++p) {
      for (int r = 0; r < each; ++r) {
        const double a = std::clamp(normal(random), -3.0, 3.0);
        const double b = 50 + 15 * normal(random);
        const auto c = static_cast<std::int64_t>(random() % 2);
        const double z = 1.5 * a + 0.03 * (b - 50) + (c == 1 ? 0.5 : -0.5);
        const bool yes = uniform(random) < 1 / (1 + std::exp(-z));
        best += std::log(1 + std::exp(yes ? -z : z)) / (10000.0 * each);
        rows.cells.insert(rows.cells.end(),
                          {task.columns[0].cell(a), task.columns[1].cell(b), c, yes ? 1 : 0});
      }
      rows.ends.push_back(rows.cells.size() / 4);
    }
  }

  /// The mean loss beyond the law's.
  double loss(const char* delta) const {
    const Sensitive<UnitRows> sealed{UnitRows(rows)};
    const auto shares = classifier_shares(task, Epsilon::trusted(1), Delta::parse(delta).value());
    Sums sums = open(training("1", delta, shares), sealed);
    const Classifier model = fit_classifier(sums, task).value();
    EXPECT_NEAR(model.weights[0][2] + model.weights[0][3], 0, 1e-9);  // one not listed: in between
    std::vector<double> x(4);
    double sum = 0;
    for (std::size_t at = 0; at < rows.cells.size(); at += 4) {
      const std::span<const std::int64_t> row(&rows.cells[at], 4);
      model.features.encode(row, x);
      const double p = model.probabilities(x)[1];
      sum -= std::log(std::max(row[3] == 1 ? p : 1 - p, 1e-300));
    }
    return sum / static_cast<double>(rows.cells.size() / 4) - best;
  }
};

// The same fault planted makes weights of ten times their size and a loss above 1, nine times in
// ten or more: of six fits one shows it, but for a chance of 1e-6.
TEST(Classifier, ManyRowsOfAUnitAreDividedByTheirOwnCount) {
  Answers answers(8);
  for (const char* delta : {"0", "1e-6"}) {
    answers.task.rows_each = 8;
    EXPECT_LT(answers.loss(delta), 0.1) << delta;
    answers.task.rows_each = 1;
    double worst = 0;
    for (int i = 0; i < 6; ++i) worst = std::max(worst, answers.loss(delta));
    EXPECT_GT(worst, 0.5) << delta;
  }
}

TEST(Clusters, FindsSeparatedCentresInTwoAndFiveDimensions) {
  for (const std::size_t d : {std::size_t{2}, std::size_t{5}}) {
    ClusterTask task;
    for (std::size_t i = 0; i < d; ++i) {
      task.columns.push_back(real_column(("x" + std::to_string(i)).c_str(), 0, 10));
      task.features.push_back(i);
    }
    task.k = 3;
    std::mt19937_64 random(6);
    std::normal_distribution<double> normal;
    std::vector<std::int64_t> cells;
    const double centres[] = {2, 5, 8};
    for (int i = 0; i < 12000; ++i) {
      for (std::size_t j = 0; j < d; ++j) {
        cells.push_back(task.columns[j].cell(centres[i % 3] + 0.3 * normal(random)));
      }
    }
    const Sensitive<UnitRows> rows(singles(d, cells));
    Sums sums = open(training("2", "1e-6", cluster_shares(task)), rows);
    auto found = fit_clusters(sums, task);
    ASSERT_TRUE(found.has_value());
    std::sort(found->centres.begin(), found->centres.end());
    for (std::size_t c = 0; c < 3; ++c) {
      for (std::size_t j = 0; j < d; ++j) EXPECT_NEAR(found->centres[c][j], centres[c], 0.2);
      EXPECT_NEAR(found->sizes[c], 4000, 400);
    }
  }
  ClusterTask none;
  none.columns = {{"c", 0, 1, 1, {"a", "b"}}};
  none.features = {0};
  EXPECT_FALSE(check_task(none));
}

// What would not fit into memory is found before it is charged.
TEST(Fits, RefuseMoreNumbersThanMemoryHolds) {
  std::vector<Column> columns;
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < 64; ++i) {
    all.push_back(i);
    columns.push_back(real_column("x", 0, 1));
    columns.back().name += std::to_string(i);
  }
  EXPECT_TRUE(check_task(SyntheticTask{.columns = columns}).has_value());
  EXPECT_FALSE(check_task(SyntheticTask{.columns = columns, .bins = 256}).has_value());
  EXPECT_TRUE(check_task(ClusterTask{columns, all, 1000}).has_value());
  for (std::size_t i = 64; i < 128; ++i) {
    all.push_back(i);
    columns.push_back(columns[i - 64]);
  }
  EXPECT_FALSE(check_task(ClusterTask{columns, all, 1000}).has_value());
  Column many{.name = "y"};
  for (std::size_t v = 0; v < kValuesMax; ++v) many.categories.push_back(std::to_string(v));
  columns.push_back(many);
  EXPECT_TRUE(check_task(ClassifierTask{columns, {0, 1}, 128}).has_value());
  EXPECT_FALSE(check_naive_bayes({columns, all, 128}, 256).has_value());
  EXPECT_FALSE(check_task(RegressionTask{columns, {0, 128}, 1}).has_value());
  columns[128].categories.push_back("one more");
  EXPECT_FALSE(check_task(ClassifierTask{columns, {0, 1}, 128}).has_value());
}

TEST(Network, RefusesARateThatCannotLearn) {
  NetworkTask task;
  task.columns = {real_column("a", -1, 1), {"y", 0, 1, 1, {"p", "q"}}};
  task.features = {0};
  task.target = 1;
  EXPECT_TRUE(check_task(task).has_value());
  for (const double rate : {0.0, -1.0, 1e300, std::nan("")}) {
    task.rate = rate;
    EXPECT_FALSE(check_task(task).has_value()) << rate;
  }
}

// Two classes that no line separates: the hidden layer is needed.
TEST(Network, LearnsWhatALineCannot) {
  NetworkTask task;
  task.columns = {real_column("a", -1, 1),
                  real_column("b", -1, 1),
                  real_column("c", -1, 1),
                  {"y", 0, 1, 1, {"same", "other"}}};
  task.features = {0, 1, 2};
  task.target = 3;
  task.hidden = 32;
  task.steps = 150;
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<std::int64_t> cells;
  for (int i = 0; i < 6000; ++i) {
    const double a = uniform(random);
    const double b = uniform(random);
    const double c = uniform(random);
    cells.push_back(task.columns[0].cell(a));
    cells.push_back(task.columns[1].cell(b));
    cells.push_back(task.columns[2].cell(c));
    const double mean = (a + b + c) / 3;
    cells.push_back((a - mean) * (b - mean) > 0 ? 0 : 1);
  }
  const UnitRows open_rows = singles(4, cells);
  const Sensitive<UnitRows> rows{UnitRows(open_rows)};
  std::uint64_t seen = 0;
  task.progress = [&](std::uint64_t done, std::uint64_t) -> Result<void> {
    seen = done;
    return {};
  };
  Sums sums =
      open(network_training(task, Epsilon::trusted(50), Delta::parse("1e-5").value()), rows);
  const auto model = fit_network(sums, task);
  ASSERT_TRUE(model.has_value());
  EXPECT_EQ(seen, task.steps);
  EXPECT_EQ(sums.rounds_done(), task.steps);
  int right = 0;
  std::vector<double> x(3);
  for (std::size_t r = 0; r < 6000; ++r) {
    model->features.encode(open_rows.row(r), x);
    right += (model->probabilities(x)[1] > 0.5) == (open_rows.row(r)[3] == 1) ? 1 : 0;
  }
  EXPECT_GT(right, 4500);  // a line has two thirds at most
  EXPECT_FALSE(plan::terms_of(network_training(task, Epsilon::trusted(1), Delta::trusted(0)),
                              Neighbours::kAddRemove));
}

TEST(Distribution, QuantilesAndLawsOfAHistogram) {
  DistributionTask task{{real_column("x", 0, 100), {"c", 0, 1, 1, {"a", "b"}}}, 50};
  std::mt19937_64 random(8);
  std::normal_distribution<double> normal(40, 10);
  std::vector<std::int64_t> cells;
  for (int i = 0; i < 20000; ++i) {
    cells.push_back(task.columns[0].cell(normal(random)));
    cells.push_back(i % 4 == 0 ? 1 : 0);
  }
  const Sensitive<UnitRows> rows(singles(2, cells));
  Sums sums = open(training("1", "0", distribution_shares()), rows);
  const auto found = fit_distribution(sums, task);
  ASSERT_TRUE(found.has_value());
  EXPECT_NEAR((*found)[0].quantile(0.5), 40, 1.5);
  EXPECT_NEAR((*found)[0].quantile(0.9), 52.8, 2);
  EXPECT_NEAR((*found)[1].shares()[1], 0.25, 0.01);
  const ParametricFit fit = parametric_fit((*found)[0]);
  EXPECT_NEAR(fit.mean, 40, 1);
  EXPECT_EQ(fit.laws.front().name, "normal");
  EXPECT_EQ(nearest_shares({2, 0, 0}), (std::vector<double>{1, 0, 0}));
}

TEST(Synthetic, PairsOfColumnsAgreeWithTheData) {
  SyntheticTask task;
  task.columns = {
      {"a", 0, 1, 1, {"0", "1", "2"}}, {"b", 0, 1, 1, {"0", "1", "2"}}, real_column("x", 0, 16)};
  std::mt19937_64 random(9);
  std::vector<std::int64_t> cells;
  double agree = 0;
  for (int i = 0; i < 20000; ++i) {
    const auto a = static_cast<std::int64_t>(random() % 3);
    const std::int64_t b = random() % 5 == 0 ? static_cast<std::int64_t>(random() % 3) : a;
    agree += a == b ? 1 / 20000.0 : 0;
    cells.insert(cells.end(), {a, b, task.columns[2].cell(static_cast<double>(4 * a) + 1)});
  }
  const Sensitive<UnitRows> rows(singles(3, cells));
  Sums sums = open(training("2", "1e-6", synthetic_shares(task)), rows);
  const auto made = fit_synthetic(sums, task);
  ASSERT_TRUE(made.has_value());
  EXPECT_NEAR(static_cast<double>(made->rows.size()), 20000, 500);
  double same = 0;
  for (const auto& row : made->rows) same += row[0] == row[1] ? 1.0 : 0;
  EXPECT_NEAR(same / static_cast<double>(made->rows.size()), agree, 0.02);
  for (const ReleasedMarginal& m : made->marginals) EXPECT_LT(m.distance(), 0.05);
  EXPECT_EQ(value_text(task.columns[0], 2, 16, 7), "2");
}

// Of three columns any two have nothing to do with each other; the third is their sum, modulo 2,
// but for one row in five. People have 1 to 6 rows. Noise moves a share by less than 0.02 (six
// deviations); a model without the triple is wrong by 0.3, one that mixes the looks' totals by
// more.
TEST(Synthetic, TakesInATripleThatNoPairShows) {
  SyntheticTask task;
  for (const char* name : {"a", "b", "c", "d"}) task.columns.push_back({name, 0, 1, 1, {"0", "1"}});
  std::mt19937_64 random(19);
  UnitRows rows{.columns = 4, .cells = {}, .ends = {}};
  for (int p = 0; p < 10000; ++p) {
    for (auto left = 1 + random() % 6; left > 0; --left) {
      const auto a = static_cast<std::int64_t>(random() % 2);
      const auto b = static_cast<std::int64_t>(random() % 2);
      const std::int64_t c = random() % 5 == 0 ? 1 - (a ^ b) : a ^ b;
      rows.cells.insert(rows.cells.end(), {a, b, c, random() % 10 == 0 ? 1 : 0});
    }
    rows.ends.push_back(rows.cells.size() / 4);
  }
  const Sensitive<UnitRows> sealed(std::move(rows));
  for (const char* delta : {"0", "1e-6"}) {
    Sums sums = open(training("2", delta, synthetic_shares(task)), sealed);
    const auto made = fit_synthetic(sums, task);
    ASSERT_TRUE(made.has_value());
    double odd = 0, rare = 0;
    for (const auto& row : made->rows) {
      odd += (row[0] ^ row[1]) == row[2] ? 1.0 : 0;
      rare += static_cast<double>(row[3]);
    }
    EXPECT_NEAR(odd / static_cast<double>(made->rows.size()), 0.8, 0.03) << delta;
    EXPECT_NEAR(rare / static_cast<double>(made->rows.size()), 0.1, 0.03) << delta;
  }
}

TEST(Model, DatesAreReadAndWrittenAsDates) {
  Regression fitted;
  Column day{.name = "day", .low = 18262, .high = 20817};  // 2020 to 2026
  day.is_date = true;
  fitted.features = Features({day}, {0});
  fitted.coefficients = {100};
  fitted.half_widths = {1};
  fitted.high = 1000;
  fitted.intercept = 500;
  const auto model = model_of_json(to_json({{day}, fitted, "cost", {}}, {}));
  ASSERT_TRUE(model.has_value()) << model.error().message;
  const auto predicted =
      predict(*model, {{"day"}, {{"2020-01-01"}, {"2026-12-30"}, {"18262"}, {"2031-01-01"}}});
  ASSERT_TRUE(predicted.has_value());
  EXPECT_EQ(predicted->rows[0][1], "400");
  EXPECT_EQ(predicted->rows[1][1], "600");
  EXPECT_EQ(predicted->rows[2][1], "");     // no date
  EXPECT_EQ(predicted->rows[3][1], "600");  // the nearest end
  EXPECT_EQ(value_text(day, 0, 1, 366), "2021-01-01");
}

TEST(Model, ReadsBackAndPredicts) {
  const std::vector<Column> columns{real_column("a", -5, 5), {"c", 0, 1, 1, {"x", "y"}}};
  Classifier classifier{Features(columns, {0, 1}), {"no", "yes"}, {{10, 1, -1}}, {0}};
  const std::string text = to_json({columns, classifier, "t", {{"all", {100, 0.9, 0.01}}}},
                                   {"people", "", "s", "1", "0", "", "1"});
  EXPECT_NE(text.find("\"epsilon\": \"1\""), std::string::npos);
  const auto model = model_of_json(text);
  ASSERT_TRUE(model.has_value());
  ASSERT_EQ(model->accuracy.size(), 1u);
  EXPECT_EQ(model->accuracy[0].second.accuracy, 0.9);
  const auto out =
      predict(*model, *parse_csv("a,c,other\n4,x,1\n-4,y,\"2,3\"\n,x,4\nword,x,5\n2,new,6\n"));
  ASSERT_TRUE(out.has_value());
  EXPECT_EQ(out->header.back(), "probability_yes");
  EXPECT_EQ(out->rows[0][3], "yes");
  EXPECT_EQ(out->rows[1][3], "no");
  EXPECT_EQ(out->rows[1][2], "2,3");
  EXPECT_EQ(out->rows[2][3], "");  // missing
  EXPECT_EQ(out->rows[3][3], "");  // no number
  EXPECT_EQ(out->rows[4][3], "yes");
  EXPECT_FALSE(predict(*model, *parse_csv("a\n1\n")));
  for (const char* bad : {"", "{}", "[1]", "{\"format\": \"discreet model 1\"}"}) {
    EXPECT_FALSE(model_of_json(bad)) << bad;
  }
  std::string cut = text;
  cut.replace(cut.find("-1.0"), 4, "");
  EXPECT_FALSE(model_of_json(cut));
  EXPECT_FALSE(parse_csv("a,b\n1\n"));
  EXPECT_FALSE(parse_csv("a,\"b\n1,2\n"));
}

}  // namespace
}  // namespace discreet::learn::learn_test
