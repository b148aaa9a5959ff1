// SPDX-License-Identifier: Apache-2.0
// The statistical audit: lower bounds of epsilon from samples alone, as somebody would who cannot
// read the code.
//
//   D and D' are drawn from in equal numbers. One half of the samples chooses a set S of outputs,
//   the other half says how often each side falls into it:
//     epsilon >= ln((p - delta) / p'),  p and p' the Clopper-Pearson ends against us.
//   histogram    S is a set of outputs with a high ratio of counts
//   classifier   S is where a logistic regression on the outputs is surest of D
//
// Guarantee: with probability at least the stated confidence, the bound is true of the mechanism on
// this pair; so a bound above the claim refutes it, wrongly with at most 1 - confidence. A bound
// below the claim proves nothing: the power against a planted fault (noise a fifth too small; of
// sv-laplace, whose shapes are few, a third) stands beside it.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "audit/exact.h"

namespace discreet::audit {

struct StatisticalOptions {
  std::uint64_t samples = 200'000;  ///< of each side
  std::uint64_t seed = 1;
  double confidence = 0.999;  ///< of each bound
  int threads = 0;            ///< 0: as many as the machine has
  int power_runs = 0;         ///< how often the planted fault is tried; 0: not at all
  Progress progress = {};
  std::function<bool()> stopped = {};
};

struct StatisticalRow {
  std::string mechanism;
  double claimed = 0;
  double delta = 0;
  double histogram = 0;  ///< lower bound of epsilon; 0 if none
  double classifier = 0;
  std::uint64_t samples = 0;
  int caught = 0;  ///< planted faults refuted, of `power_runs`
  int power_runs = 0;
  bool refuted = false;  ///< a bound exceeds the claim
  bool partial = false;
};

std::vector<std::string> statistical_names();

/// Fails with: kNotFound, naming the known ones; kInvalidInput for fewer than 1000 samples.
Result<StatisticalRow> run_statistical(std::string_view name, const StatisticalOptions& options);

}  // namespace discreet::audit
