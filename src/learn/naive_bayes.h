// SPDX-License-Identifier: Apache-2.0
// Naive Bayes: how often each bin of each feature occurs in each class, counted in one round. A row
// adds one count for each feature, so the noise of a count grows with the number of features (with
// a delta, with its root). It sees effects that are not monotone, which classify's linear scores do
// not; it does not see that features say the same thing twice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "learn/logistic.h"

namespace discreet::learn {

/// Scores add up: log prior + one table's entry for each feature.
struct NaiveBayes {
  std::vector<std::string> classes;
  std::size_t bins = 16;           ///< of a number's range
  std::vector<double> log_priors;  ///< of the classes
  /// For each feature: bins by classes, the logarithm of how much more often the bin occurs in the
  /// class than in all, shrunk by what noise and chance explain.
  std::vector<std::vector<double>> tables;

  /// `cells`: of the features, in order, none missing; a category that is not listed says nothing.
  std::vector<double> probabilities(const std::vector<Column>& features,
                                    std::span<const std::int64_t> cells) const;
};

inline constexpr std::size_t kBinsMax = 256;

/// What classify needs, and `bins` from 2 to kBinsMax.
Result<void> check_naive_bayes(const ClassifierTask& task, std::size_t bins);
/// The counts, and the accuracy.
std::vector<Rational> naive_bayes_shares();
Result<NaiveBayes> fit_naive_bayes(Sums& sums, const ClassifierTask& task, std::size_t bins);
/// As for a Classifier: one round.
Result<std::vector<AccuracyEstimate>> estimate_accuracy(Sums& sums, const NaiveBayes& model,
                                                        const ClassifierTask& task,
                                                        std::size_t group);

}  // namespace discreet::learn
