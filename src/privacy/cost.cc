// SPDX-License-Identifier: Apache-2.0
#include "privacy/cost.h"

namespace discreet {

std::string to_string(Neighbours neighbours) {
  return neighbours == Neighbours::kAddRemove ? "add or remove one" : "replace one";
}

Cost pure_cost(const Epsilon& epsilon) {
  return {.epsilon = epsilon,
          .rho = Rho::trusted(epsilon.value() * epsilon.value() / 2),
          .delta = Delta::trusted(0)};
}

std::string to_string(const Cost& cost) {
  std::string text = cost.epsilon ? "epsilon " + cost.epsilon->to_string()
                                  : "rho " + (cost.rho ? cost.rho->to_string() : "none");
  if (cost.delta.value().sign() > 0) text += ", delta " + cost.delta.to_string();
  return text;
}

}  // namespace discreet
