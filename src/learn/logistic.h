// SPDX-License-Identifier: Apache-2.0
// Classification by linear scores: logistic regression for two classes, linear discriminants for
// more. No gradient descent from nowhere: for features that are near Gaussian given nothing, the
// logistic direction is Cov(x)^-1 Cov(x, y) up to a factor (Brillinger 1982), so that one release
// of d correlations does what hundreds of noisy gradients would; one Newton step from there mends
// what the features' shape spoils.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "learn/features.h"
#include "learn/sums.h"

namespace discreet::learn {

/// score_c(x) = weights[c] . features(x) + intercepts[c]; two classes have one score, the second
/// class's. Probabilities by the logistic function or softmax.
struct Classifier {
  Features features;
  std::vector<std::string> classes;
  std::vector<std::vector<double>> weights;
  std::vector<double> intercepts;

  std::vector<double> probabilities(std::span<const double> encoded) const;
  std::size_t choose(std::span<const double> encoded) const;
};

struct ClassifierTask {
  std::vector<Column> columns;
  std::vector<std::size_t> features;
  std::size_t target = 0;  ///< a categorical column
  /// The most rows that a unit may have, by the policy.
  std::int64_t rows_each = 1;
};

/// The class of a row; nothing where it is missing or not listed: such a row is left out.
std::optional<std::size_t> class_of(const ClassifierTask& task, std::span<const std::int64_t> row);

/// The rounds' shares of the budget. Where epsilon is small for so many features the Newton step
/// would be all noise, and has no round: a rule of public numbers.
std::vector<Rational> classifier_shares(const ClassifierTask& task, const Epsilon& epsilon,
                                        const Delta& delta);
/// Fails with: kInvalidInput when the target has fewer than two classes or there is no feature.
Result<void> check_task(const ClassifierTask& task);
Result<Classifier> fit_classifier(Sums& sums, const ClassifierTask& task);

/// How often a classifier is right among the units' rows: over all, and for each value of a public
/// column (`group`, an index; columns.size() for none). Rows of no listed group count in the first.
/// One round.
struct AccuracyEstimate {
  double count = 0;
  double accuracy = 0;
  double half_width = 0;  ///< at 95 %, of the noise alone
};
Result<std::vector<AccuracyEstimate>> estimate_accuracy(Sums& sums, const Classifier& classifier,
                                                        const ClassifierTask& task,
                                                        std::size_t group);
/// The same for anything that chooses a class for a row; nothing for a row that is left out.
using Choose = std::function<std::optional<std::size_t>(std::span<const std::int64_t> row)>;
Result<std::vector<AccuracyEstimate>> estimate_accuracy(Sums& sums, const Choose& choose,
                                                        const ClassifierTask& task,
                                                        std::size_t group);

}  // namespace discreet::learn
