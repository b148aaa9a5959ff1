// SPDX-License-Identifier: Apache-2.0
#include "mechanism/top_k.h"

#include <utility>

#include "mechanism/draws.h"
#include "random/select.h"

namespace discreet::mechanism {
namespace {

Rational whole(std::size_t n) { return Rational(Integer(n)); }

}  // namespace

TopK::TopK(Options options)
    : options_(std::move(options)),
      weight_per_unit_(options_.epsilon.value() /
                       (2 * whole(options_.k) * options_.sensitivity.value())) {}

Result<TopK> TopK::make(Options options) {
  if (options.k == 0 || options.k > options.candidates) {
    return invalid_input("k must be at least 1 and at most the number of candidates, " +
                         std::to_string(options.candidates) + "; got " + std::to_string(options.k));
  }
  return TopK(std::move(options));
}

NoiseSpec TopK::noise() const {
  return {"top-k(epsilon=" + options_.epsilon.to_string() + ",sensitivity=" +
          options_.sensitivity.to_string() + ",candidates=" + std::to_string(options_.candidates) +
          ",k=" + std::to_string(options_.k) + ")"};
}

Cost TopK::cost() const {
  const Rational& epsilon = options_.epsilon.value();
  return {.epsilon = options_.epsilon,
          .rho = Rho::trusted(epsilon * epsilon / (8 * whole(options_.k))),
          .delta = Delta::trusted(0)};
}

Integer TopK::shortfall(const Confidence& confidence) const {
  // A union bound: each round may fail with a k-th of what may fail in all. The first round has
  // the most candidates, and its bound is the largest.
  const Rational each = 1 - (1 - confidence.value()) / whole(options_.k);
  return worst_shortfall(options_.candidates, weight_per_unit_, Confidence::trusted(each));
}

template <random::BitSource B>
TopK::Output TopK::draw(const Input& scores, B& bits) const {
  DISCREET_CHECK(scores.size() == options_.candidates);
  Input left = scores;
  Output names(scores.size());
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = i;
  Output chosen;
  while (chosen.size() < options_.k) {
    const std::size_t at = random::exponential_select(left, weight_per_unit_, bits);
    chosen.push_back(names[at]);
    left[at] = left.back();
    names[at] = names.back();
    left.pop_back();
    names.pop_back();
  }
  left.resize(left.capacity());  // so that the wipe covers the popped scores too
  wipe(left);
  return chosen;
}

DISCREET_DRAWS(TopK)

}  // namespace discreet::mechanism
