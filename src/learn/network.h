// SPDX-License-Identifier: Apache-2.0
// A small network trained by noisy gradients (DP-SGD): one hidden layer beside a straight path,
// softmax. Every step is a clipped sum of per-unit gradients over a Poisson sample; the number of
// steps, the sampling and the noise are fixed and priced by the accountant before the first.
//
// Written out rather than taken from a library: there are a few thousand weights, and per-unit
// gradients on the kernel's grid are what no library offers.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "learn/features.h"
#include "learn/sums.h"
#include "plan/training.h"

namespace discreet::learn {

class Parts;

struct NetworkTask {
  std::vector<Column> columns;
  std::vector<std::size_t> features;
  std::size_t target = 0;  ///< a categorical column
  std::size_t hidden = 16;
  std::uint64_t steps = 60;  ///< the first only finds the middle of the rows
  double sampling = 0.9;     ///< the chance of a unit to be in a step's sample
  double rate = 2;           ///< of learning, for gradients of length at most 1
  double momentum = 0.9;
  std::uint64_t seed = 1;  ///< of the first weights, which are public
  /// Told after each step: steps done of all, epsilon spent so far is the whole from the start.
  std::function<Result<void>(std::uint64_t done, std::uint64_t all)> progress = {};
};

/// scores = U tanh(A x' + a) / sqrt(h) + S x' + s. x' is the encoded row less its own mean, scaled
/// to length 1, less `centre` (a released mean), scaled again.
struct Network {
  Features features;
  std::vector<std::string> classes;
  std::size_t hidden = 0;
  std::vector<double> centre;
  std::vector<double> weights;  ///< A (h x d), a (h), U (k x h), S (k x d), s (k)
  std::uint64_t steps = 0;      ///< that were taken; fewer than planned after an accident

  std::vector<double> probabilities(std::span<const double> encoded) const;
};

Result<void> check_task(const NetworkTask& task);
/// The series of its steps, for the checker to price: the accountant solves the noise.
/// `parts`: how many processes may take turns (parts.h).
plan::Training network_training(const NetworkTask& task, const Epsilon& epsilon, const Delta& delta,
                                std::uint64_t parts = 1);
Result<Network> fit_network(Sums& sums, const NetworkTask& task);
/// Goes on where another process stopped; steps whose part it took to its grave are left out.
Result<Network> fit_network(Parts& parts, const NetworkTask& task);

}  // namespace discreet::learn
