// SPDX-License-Identifier: Apache-2.0
#include "audit/one_run.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace discreet::audit {
namespace {

/// Pr[Binomial(n, p) = k]
double exactly(std::uint64_t n, double p, std::uint64_t k) {
  const auto a = static_cast<double>(k);
  const auto b = static_cast<double>(n - k);
  return std::exp(std::lgamma(a + b + 1) - std::lgamma(a + 1) - std::lgamma(b + 1) +
                  a * std::log(p) + b * std::log1p(-p));
}

/// The theorem's bound.
double chance(const Guesses& guesses, double epsilon, double delta) {
  const double p = 1 / (1 + std::exp(-epsilon));
  double at_least = 0;
  for (std::uint64_t k = guesses.right; k <= guesses.all; ++k) {
    at_least += exactly(guesses.all, p, k);
  }
  double slope = 0;
  double below = 0;
  for (std::uint64_t i = 1; delta > 0 && i <= guesses.right; ++i) {
    below += exactly(guesses.all, p, guesses.right - i);
    slope = std::max(slope, below / static_cast<double>(i));
  }
  const auto m = static_cast<double>(std::max(guesses.canaries, guesses.all));
  return at_least + 2 * m * delta * slope;
}

}  // namespace

double one_run_epsilon(const Guesses& guesses, double beta, double delta) {
  double low = 0;
  double high = 30;
  const auto refuted = [&](double epsilon) { return chance(guesses, epsilon, delta) <= beta; };
  if (!refuted(0)) return 0;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (refuted(middle) ? low : high) = middle;
  }
  return low;
}

Guesses guess_by_score(const std::vector<double>& scores, const std::vector<bool>& in) {
  DISCREET_CHECK(scores.size() == in.size());
  std::vector<std::size_t> order(scores.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
  Guesses out;
  out.canaries = order.size();
  out.all = 2 * (order.size() / 4);
  for (std::size_t rank = 0; rank < order.size() / 4; ++rank) {
    out.right += in[order[rank]] ? 1 : 0;
    out.right += in[order[order.size() - 1 - rank]] ? 0 : 1;
  }
  return out;
}

}  // namespace discreet::audit
