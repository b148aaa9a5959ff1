// SPDX-License-Identifier: Apache-2.0
#include "learn/naive_bayes.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "learn/distribution.h"

namespace discreet::learn {
namespace {

std::vector<Column> features_of(const ClassifierTask& task) {
  std::vector<Column> out;
  for (const std::size_t at : task.features) out.push_back(task.columns[at]);
  return out;
}

/// False when a cell is missing.
bool cells_of(const ClassifierTask& task, std::span<const std::int64_t> row,
              std::vector<std::int64_t>& cells) {
  cells.clear();
  for (const std::size_t at : task.features) {
    if (row[at] == kMissing) return false;
    cells.push_back(row[at]);
  }
  return true;
}

/// What is left of an estimate when its own error explains part of it (positive-part James-Stein
/// for one number).
double shrunk(double estimate, double variance) {
  if (estimate == 0) return 0;
  return estimate * std::max(0.0, 1 - variance / (estimate * estimate));
}

}  // namespace

std::vector<double> NaiveBayes::probabilities(const std::vector<Column>& features,
                                              std::span<const std::int64_t> cells) const {
  std::vector<double> scores = log_priors;
  for (std::size_t f = 0; f < features.size(); ++f) {
    const std::int64_t bin = bin_of(features[f], cells[f], bins);
    if (bin < 0) continue;
    for (std::size_t c = 0; c < scores.size(); ++c) {
      scores[c] += tables[f][static_cast<std::size_t>(bin) * scores.size() + c];
    }
  }
  softmax(scores);
  return scores;
}

Result<void> check_naive_bayes(const ClassifierTask& task, std::size_t bins) {
  DISCREET_TRY(check_task(task));
  if (bins < 2 || bins > kBinsMax) {
    return invalid_input("--bins must lie between 2 and " + std::to_string(kBinsMax));
  }
  double each = 1;
  for (const Column& column : features_of(task)) {
    each += static_cast<double>(bin_count(column, bins));
  }
  return check_entries(each * static_cast<double>(task.columns[task.target].categories.size()),
                       "take fewer --bins or --features");
}

std::vector<Rational> naive_bayes_shares() { return {95, 5}; }

Result<NaiveBayes> fit_naive_bayes(Sums& sums, const ClassifierTask& task, std::size_t bins) {
  DISCREET_TRY(check_naive_bayes(task, bins));
  const std::vector<Column> features = features_of(task);
  NaiveBayes out{task.columns[task.target].categories, bins, {}, {}};
  const std::size_t k = out.classes.size();
  // Where each feature's table begins; the classes' own counts come first.
  std::vector<std::size_t> first{k};
  for (const Column& column : features) first.push_back(first.back() + bin_count(column, bins) * k);
  const auto ones = static_cast<double>(features.size() + 1);
  std::vector<std::int64_t> cells;
  DISCREET_ASSIGN(const std::vector<double> counts,
                  sums.sparse(first.back(), sums.pure() ? ones : std::sqrt(ones),
                              [&](std::span<const std::int64_t> row, Sums::Pairs& pairs) {
                                const std::optional<std::size_t> truth = class_of(task, row);
                                if (!truth || !cells_of(task, row, cells)) return;
                                const std::size_t c = *truth;
                                pairs.emplace_back(c, 1.0);
                                for (std::size_t f = 0; f < features.size(); ++f) {
                                  const std::int64_t bin = bin_of(features[f], cells[f], bins);
                                  if (bin < 0) continue;
                                  pairs.emplace_back(
                                      first[f] + static_cast<std::size_t>(bin) * k + c, 1.0);
                                }
                              }));
  const double noise = sums.deviation();
  const double least = noise + 1;  // a count below its noise says no more than its noise
  std::vector<double> sizes;
  double all = 0;
  for (std::size_t c = 0; c < k; ++c) {
    sizes.push_back(std::max(counts[c], least));
    all += sizes.back();
  }
  for (const double size : sizes) out.log_priors.push_back(std::log(size / all));
  for (std::size_t f = 0; f < features.size(); ++f) {
    std::vector<double>& table = out.tables.emplace_back();
    for (std::size_t at = first[f]; at < first[f + 1]; at += k) {
      double here = 0;
      for (std::size_t c = 0; c < k; ++c) here += std::max(counts[at + c], 0.0);
      here = std::max(here, least);
      for (std::size_t c = 0; c < k; ++c) {
        const double count = std::max(counts[at + c], least);
        const double expected = std::max(here * sizes[c] / all, least);
        // To first order: noise on the count, and chance.
        const double variance = noise * noise / (count * count) + 1 / count;
        table.push_back(shrunk(std::log(count / expected), variance));
      }
    }
  }
  return out;
}

Result<std::vector<AccuracyEstimate>> estimate_accuracy(Sums& sums, const NaiveBayes& model,
                                                        const ClassifierTask& task,
                                                        std::size_t group) {
  const std::vector<Column> features = features_of(task);
  std::vector<std::int64_t> cells;
  return estimate_accuracy(
      sums,
      [&](std::span<const std::int64_t> row) -> std::optional<std::size_t> {
        if (!cells_of(task, row, cells)) return std::nullopt;
        const std::vector<double> p = model.probabilities(features, cells);
        return static_cast<std::size_t>(std::max_element(p.begin(), p.end()) - p.begin());
      },
      task, group);
}

}  // namespace discreet::learn
