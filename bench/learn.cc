// SPDX-License-Identifier: Apache-2.0
// Fits on the sets that bench/learn_peers.py writes: bench learn FOLDER DRAWS TASK... prints one
// JSON object {"task": {"value": mean over the draws, "deviation": ..., "seconds": mean, of the
// processor}}.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "bench.h"
#include "learn/clusters.h"
#include "learn/linear.h"
#include "learn/logistic.h"
#include "learn/naive_bayes.h"
#include "learn/network.h"
#include "learn/synthetic.h"
#include "mechanism/receipt_for_tests.h"
#include "mechanism/rounded_gaussian_vector.h"

namespace discreet::learn_bench {
namespace {

using learn::Column;
using mechanism::ClippedSums;
using mechanism::UnitRows;

/// A CSV file of numbers without a header.
struct Table {
  std::size_t columns = 0;
  std::vector<double> cells;
  std::size_t rows() const { return cells.size() / columns; }
  double at(std::size_t r, std::size_t c) const { return cells[r * columns + c]; }
};

Table read_table(const std::string& path) {
  std::ifstream in(path);
  if (!in) bench::fail("cannot read " + path);
  std::stringstream text;
  text << in.rdbuf();
  const std::string all = text.str();
  Table out;
  const char* at = all.c_str();
  std::size_t width = 0;
  while (*at != 0) {
    char* end = nullptr;
    out.cells.push_back(std::strtod(at, &end));
    ++width;
    if (*end == '\n') {
      out.columns = width;
      width = 0;
    }
    at = *end == 0 ? end : end + 1;
  }
  return out;
}

/// Rows [begin, end) on the columns' grids, each row a unit.
UnitRows rows_of(const Table& table, const std::vector<Column>& columns, std::size_t begin,
                 std::size_t end) {
  UnitRows out{.columns = columns.size(), .cells = {}, .ends = {}};
  for (std::size_t r = begin; r < end; ++r) {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const double x = table.at(r, c);
      out.cells.push_back(columns[c].categorical() ? static_cast<std::int64_t>(x)
                                                   : columns[c].cell(x));
    }
    out.ends.push_back(out.ends.size() + 1);
  }
  return out;
}

struct Privacy {
  std::string epsilon;
  std::string delta;  ///< "0": pure
  std::string text() const {
    return " epsilon " + epsilon + (delta == "0" ? "" : " delta " + delta);
  }
};

learn::Sums open(const Privacy& privacy, std::vector<Rational> shares,
                 const Sensitive<UnitRows>& rows) {
  const ClippedSums::Options options{.shares = std::move(shares)};
  const Epsilon epsilon = Epsilon::parse(privacy.epsilon).value();
  const Delta delta = Delta::parse(privacy.delta).value();
  const auto terms = delta.value() == 0 ? ClippedSums::Terms::pure(epsilon, options)
                                        : ClippedSums::Terms::gaussian(epsilon, delta, options);
  return learn::Sums(
      ClippedSums::open(terms.value(), cli::OwnValues::mint(terms->noise(), terms->cost())).value(),
      rows);
}

int draws = 1;
bool first = true;

/// A figure that was measured along with another.
void report(const std::string& name, double value) {
  std::cout << (first ? "{" : ",\n ") << "\"" << name << "\": {\"value\": " << value
            << ", \"deviation\": 0, \"seconds\": 0}" << std::flush;
  first = false;
}

/// Runs `fit` so many times; it returns the score, or leaves that to `judge`, which is not timed.
void measure(const std::string& name, const std::function<double(int)>& fit,
             const std::function<double()>& judge = {}) {
  double sum = 0;
  double squares = 0;
  double seconds = 0;
  for (int i = 0; i < draws; ++i) {
    const std::clock_t start = std::clock();
    double score = fit(i);
    seconds += static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    if (judge) score = judge();
    sum += score;
    squares += score * score;
  }
  const double mean = sum / draws;
  std::cout << (first ? "{" : ",\n ") << "\"" << name << "\": {\"value\": " << mean
            << ", \"deviation\": " << std::sqrt(std::max(squares / draws - mean * mean, 0.0))
            << ", \"seconds\": " << seconds / draws << "}" << std::flush;
  first = false;
}

void classification(const std::string& folder) {
  const Table table = read_table(folder + "/classification.csv");
  const std::size_t d = table.columns - 1;
  const std::size_t n = table.rows() * 5 / 6;
  learn::ClassifierTask task;
  for (std::size_t c = 0; c < d; ++c) {
    // The first 20 are measured on some scale, the others are marks; what a policy would say.
    const double wide = c < 20 ? 6 : 1;
    task.columns.push_back(
        {"x" + std::to_string(c), c < 20 ? -wide : 0, wide, c < 20 ? 0x1p-16 : 1, {}});
    task.features.push_back(c);
  }
  task.columns.push_back({"y", 0, 1, 1, {"0", "1"}});
  task.target = d;
  const Sensitive<UnitRows> train(rows_of(table, task.columns, 0, n));
  const UnitRows test = rows_of(table, task.columns, n, table.rows());
  std::vector<double> x(d);
  for (const Privacy& privacy : std::vector<Privacy>{
           {"0.1", "0"}, {"1", "0"}, {"3", "0"}, {"0.1", "1e-6"}, {"1", "1e-6"}, {"3", "1e-6"}}) {
    // Fairness: beside the overall figure, the rarer and the more frequent value of a mark.
    double groups[2] = {0, 0};
    measure("classification" + privacy.text(), [&](int) {
      learn::Sums sums =
          open(privacy,
               learn::classifier_shares(task, Epsilon::parse(privacy.epsilon).value(),
                                        Delta::parse(privacy.delta).value()),
               train);
      const learn::Classifier model = learn::fit_classifier(sums, task).value();
      double right[2] = {0, 0};
      double all[2] = {0, 0};
      for (std::size_t r = 0; r < test.ends.size(); ++r) {
        model.features.encode(test.row(r), x);
        const std::size_t group = test.row(r)[d - 1] == 0 ? 0 : 1;
        all[group] += 1;
        right[group] += model.choose(x) == static_cast<std::size_t>(test.row(r)[d]) ? 1 : 0;
      }
      for (const int g : {0, 1}) groups[g] += right[g] / all[g] / draws;
      return (right[0] + right[1]) / static_cast<double>(test.ends.size());
    });
    for (const int g : {0, 1}) {
      report("classification where the last mark is " + std::to_string(g) + privacy.text(),
             groups[g]);
    }
  }
  for (const Privacy& privacy : std::vector<Privacy>{{"1", "0"}, {"1", "1e-6"}}) {
    measure("naive bayes" + privacy.text(), [&](int) {
      learn::Sums sums = open(privacy, learn::naive_bayes_shares(), train);
      const learn::NaiveBayes model = learn::fit_naive_bayes(sums, task, 16).value();
      const std::vector<Column> features(task.columns.begin(), task.columns.end() - 1);
      double right = 0;
      for (std::size_t r = 0; r < test.ends.size(); ++r) {
        const auto p = model.probabilities(features, test.row(r).subspan(0, d));
        right += (p[1] > p[0] ? 1 : 0) == test.row(r)[d] ? 1 : 0;
      }
      return right / static_cast<double>(test.ends.size());
    });
  }
}

/// The first `width` columns of FOLDER/table.csv, whose first line says how many values each has.
void synthetic(const std::string& folder, std::size_t width) {
  const Table table = read_table(folder + "/table.csv");
  learn::SyntheticTask task;
  for (std::size_t c = 0; c < width; ++c) {
    Column column{"c" + std::to_string(c), 0, 1, 1, {}};
    for (int v = 0; v < static_cast<int>(table.at(0, c)); ++v) {
      column.categories.push_back(std::to_string(v));
    }
    task.columns.push_back(std::move(column));
  }
  const UnitRows truth = rows_of(table, task.columns, 1, table.rows());
  const Sensitive<UnitRows> rows{UnitRows(truth)};
  for (const Privacy& privacy : std::vector<Privacy>{{"1", "1e-6"}, {"1", "0"}}) {
    learn::Synthetic made;
    measure(
        "synthetic table of " + std::to_string(width) + " columns" + privacy.text(),
        [&](int) {
          learn::Sums sums = open(privacy, learn::synthetic_shares(task), rows);
          made = learn::fit_synthetic(sums, task).value();
          return 0.0;
        },
        [&] {
          double sum = 0;
          int triples = 0;
          for (std::size_t a = 0; a < width; ++a) {
            for (std::size_t b = a + 1; b < width; ++b) {
              for (std::size_t c = b + 1; c < width; ++c, ++triples) {
                const std::size_t nb = task.columns[b].categories.size();
                const std::size_t nc = task.columns[c].categories.size();
                std::vector<double> cells(task.columns[a].categories.size() * nb * nc, 0.0);
                const auto at = [&](std::span<const std::int64_t> row) -> double& {
                  return cells[(static_cast<std::size_t>(row[a]) * nb +
                                static_cast<std::size_t>(row[b])) *
                                   nc +
                               static_cast<std::size_t>(row[c])];
                };
                for (std::size_t r = 0; r < truth.ends.size(); ++r) {
                  at(truth.row(r)) += 1 / static_cast<double>(truth.ends.size());
                }
                for (const auto& row : made.rows)
                  at(row) -= 1 / static_cast<double>(made.rows.size());
                for (const double x : cells) sum += std::abs(x) / 2;
              }
            }
          }
          return sum / triples;
        });
  }
}

void clusters(const std::string& folder, int dimensions, const Privacy& privacy) {
  const Table table = read_table(folder + "/blobs" + std::to_string(dimensions) + ".csv");
  learn::ClusterTask task;
  for (std::size_t c = 0; c < table.columns; ++c) {
    task.columns.push_back({"x" + std::to_string(c), 0, 1, 0x1p-20, {}});
    task.features.push_back(c);
  }
  task.k = 8;
  const Sensitive<UnitRows> rows(rows_of(table, task.columns, 0, table.rows()));
  measure("clusters " + std::to_string(dimensions) + " dimensions" + privacy.text(), [&](int) {
    learn::Sums sums = open(privacy, learn::cluster_shares(task), rows);
    const learn::Clusters model = learn::fit_clusters(sums, task).value();
    double cost = 0;
    for (std::size_t r = 0; r < table.rows(); ++r) {
      double least = 1e300;
      for (const std::vector<double>& centre : model.centres) {
        double distance = 0;
        for (std::size_t c = 0; c < table.columns; ++c) {
          distance += (table.at(r, c) - centre[c]) * (table.at(r, c) - centre[c]);
        }
        least = std::min(least, distance);
      }
      cost += least;
    }
    return cost / static_cast<double>(table.rows());
  });
}

/// FOLDER/regression_NAME.csv: a line of lows, a line of highs, then rows, the target last.
void regression(const std::string& folder, const std::string& name) {
  const Table table = read_table(folder + "/regression_" + name + ".csv");
  learn::RegressionTask task;
  for (std::size_t c = 0; c < table.columns; ++c) {
    const double low = table.at(0, c);
    const double high = table.at(1, c);
    task.columns.push_back({"x" + std::to_string(c), low, high, (high - low) * 0x1p-20, {}});
    if (c + 1 < table.columns) task.features.push_back(c);
  }
  task.target = table.columns - 1;
  const std::size_t n = 2 + (table.rows() - 2) * 4 / 5;
  const Sensitive<UnitRows> train(rows_of(table, task.columns, 2, n));
  const UnitRows test = rows_of(table, task.columns, n, table.rows());
  std::vector<double> x(task.features.size());
  for (const Privacy& privacy : std::vector<Privacy>{{"1", "0"}, {"1", "1e-6"}}) {
    measure("regression " + name + privacy.text(), [&](int) {
      learn::Sums sums = open(privacy, learn::regression_shares(), train);
      const learn::Regression model = learn::fit_regression(sums, task).value();
      double error = 0;
      for (std::size_t r = 0; r < test.ends.size(); ++r) {
        model.features.encode(test.row(r), x);
        const double miss = model.predict(x) - table.at(n + r, task.target);
        error += miss * miss;
      }
      return std::sqrt(error / static_cast<double>(test.ends.size()));
    });
  }
}

/// The mistake: training without privacy, then noise on the weights. One person may move them
/// anywhere within their length, so that is the sensitivity.
void add_noise_to_weights(std::vector<double>& weights, const Privacy& privacy) {
  double squares = 0;
  for (const double w : weights) squares += w * w;
  const auto mechanism =
      mechanism::RoundedGaussianVector::make({.sensitivity = Sensitivity::trusted(2 << 20),
                                              .epsilon = Epsilon::parse(privacy.epsilon).value(),
                                              .delta = Delta::parse(privacy.delta).value()})
          .value();
  const double grid = (1 << 20) / std::sqrt(squares);
  std::vector<std::int64_t> cells;
  for (const double w : weights) cells.push_back(static_cast<std::int64_t>(w * grid));
  const auto released =
      mechanism::Door::release(mechanism, Sensitive<std::vector<std::int64_t>>(std::move(cells)),
                               cli::OwnValues::for_use_of(mechanism))
          .value();
  for (std::size_t i = 0; i < weights.size(); ++i) {
    weights[i] = static_cast<double>(released.value()[i]) / grid;
  }
}

/// FOLDER/digits_SPLIT.csv: 64 pixels from 0 to 16 and the digit; the first 4/5 train.
void network(const std::string& folder, bool naive) {
  learn::NetworkTask task;
  for (std::size_t c = 0; c < 64; ++c) {
    task.columns.push_back({"p" + std::to_string(c), 0, 16, 1, {}});
    task.features.push_back(c);
  }
  task.columns.push_back({"digit", 0, 9, 1, {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}});
  task.target = 64;
  const Privacy privacy{"3", "1e-5"};
  const std::string what = std::string("network digits") + (naive ? " noise on final weights" : "");
  std::vector<double> right_of(10, 0.0), all_of(10, 0.0);
  measure(what + privacy.text(), [&](int i) {
    const Table table = read_table(folder + "/digits_" + std::to_string(i % 10) + ".csv");
    const std::size_t n = table.rows() * 4 / 5;
    const Sensitive<UnitRows> train(rows_of(table, task.columns, 0, n));
    const UnitRows test = rows_of(table, task.columns, n, table.rows());
    const Epsilon epsilon = Epsilon::parse(naive ? "1000000" : privacy.epsilon).value();
    const auto terms =
        plan::terms_of(learn::network_training(task, epsilon, Delta::parse(privacy.delta).value()),
                       Neighbours::kAddRemove);
    learn::Sums sums(
        ClippedSums::open(terms.value(), cli::OwnValues::mint(terms->noise(), terms->cost()))
            .value(),
        train);
    learn::Network model = learn::fit_network(sums, task).value();
    if (naive) add_noise_to_weights(model.weights, privacy);
    std::vector<double> x(64);
    double right = 0;
    for (std::size_t r = 0; r < test.ends.size(); ++r) {
      model.features.encode(test.row(r), x);
      const std::vector<double> p = model.probabilities(x);
      const std::int64_t digit = test.row(r)[64];
      const bool hit = std::max_element(p.begin(), p.end()) - p.begin() == digit;
      right += hit ? 1 : 0;
      right_of[static_cast<std::size_t>(digit)] += hit ? 1 : 0;
      all_of[static_cast<std::size_t>(digit)] += 1;
    }
    return right / static_cast<double>(test.ends.size());
  });
  // Fairness: the digit that it serves worst.
  double worst = 1;
  for (std::size_t c = 0; c < 10; ++c) worst = std::min(worst, right_of[c] / all_of[c]);
  report(what + ", its worst digit" + privacy.text(), worst);
}

int run(const bench::Words& words) {
  if (words.size() < 3) {
    std::cerr << "bench learn FOLDER DRAWS TASK...\n";
    return 2;
  }
  const std::string& folder = words[0];
  draws = std::stoi(words[1]);
  for (std::size_t i = 2; i < words.size(); ++i) {
    const std::string& task = words[i];
    if (task == "classification") classification(folder);
    if (task == "synthetic") {
      synthetic(folder, 5);
      synthetic(folder, 8);
    }
    if (task == "clusters") {
      clusters(folder, 2, {"1", "0"});
      clusters(folder, 10, {"1", "1e-6"});
    }
    if (task.starts_with("regression=")) regression(folder, task.substr(11));
    if (task == "network") {
      draws = std::min(draws, 10);  // the splits
      network(folder, false);
      network(folder, true);
    }
  }
  std::cout << "}\n";
  return 0;
}

const bench::Benchmark kBenchmark("learn", run);

}  // namespace
}  // namespace discreet::learn_bench
