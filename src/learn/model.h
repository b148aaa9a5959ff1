// SPDX-License-Identifier: Apache-2.0
// Models as JSON with their certificate, and predictions from them. Everything here is after
// release: free, and says so.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "base/json.h"
#include "learn/clusters.h"
#include "learn/csv.h"
#include "learn/lesson.h"
#include "learn/linear.h"
#include "learn/logistic.h"
#include "learn/naive_bayes.h"
#include "learn/network.h"

namespace discreet::learn {

struct ClusterModel {
  std::vector<std::string> features;
  Clusters clusters;
};

/// Of a model's JSON, whose "format" is "discreet model 1".
inline constexpr int kModelFormat = 1;

/// A model with the columns that it reads, in order.
struct Model {
  std::vector<Column> columns;
  std::variant<Classifier, NaiveBayes, Regression, Network, ClusterModel> what;
  std::string target;
  std::vector<std::pair<std::string, AccuracyEstimate>> accuracy;  ///< overall, then by group
};

/// What was paid, what for, and that the rest is free; the same for everything that is learned.
Json to_json(const Certificate& certificate);
std::string to_json(const Model& model, const Certificate& certificate);
/// Fails with: kInvalidInput for what to_json did not write.
Result<Model> model_of_json(const std::string& text);

/// Cells of a column that the model could not take as they are.
struct Unread {
  std::string column;
  std::uint64_t unlisted = 0;  ///< of a listed column: as none of its values
  std::uint64_t unreadable =
      0;  ///< neither empty nor a number, or a date: the row has no prediction
};

/// The table with columns added: the prediction, probabilities of classes, the nearest centre.
/// Cells that are not numbers where numbers are due, and empty ones, give an empty prediction.
/// `unread`: what was not taken as it is, for each column that has such cells.
/// Fails with: kInvalidInput when a column is missing.
Result<Csv> predict(const Model& model, Csv table, std::vector<Unread>* unread = nullptr);

}  // namespace discreet::learn
