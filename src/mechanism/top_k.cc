// SPDX-License-Identifier: Apache-2.0
#include "mechanism/top_k.h"

#include <utility>

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

}  // namespace discreet::mechanism
