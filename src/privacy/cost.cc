// SPDX-License-Identifier: Apache-2.0
#include "privacy/cost.h"

#include "numeric/interval.h"

namespace discreet {

std::string to_string(Neighbours neighbours) {
  return neighbours == Neighbours::kAddRemove ? "add or remove one" : "replace one";
}

Cost pure_cost(const Epsilon& epsilon) {
  return {.epsilon = epsilon,
          .rho = Rho::trusted(epsilon.value() * epsilon.value() / 2),
          .delta = Delta::trusted(0)};
}

std::optional<Rational> group_delta_factor(const Rational& epsilon, std::int64_t moves) {
  DISCREET_CHECK(moves >= 1 && epsilon.sign() >= 0);
  // k e^((k-1) epsilon) is above the sum, and all that is ever needed of it.
  const Rational exponent = epsilon * Rational(moves - 1);
  if (exponent > Rational(60)) return std::nullopt;
  if (exponent.sign() == 0) return Rational(moves);
  constexpr int kPrecision = 96;
  return Rational(moves) * exp(Interval::around(exponent, kPrecision)).high();
}

Cost group_cost(const Cost& one, std::int64_t moves) {
  DISCREET_CHECK(moves >= 1);
  if (moves == 1) return one;
  const Rational k(moves);
  Cost all;
  if (one.epsilon) {
    auto epsilon = Epsilon::of(k * one.epsilon->value());
    if (epsilon) all.epsilon = std::move(epsilon).value();
  }
  if (one.delta.value().sign() == 0) {
    if (one.rho) all.rho = Rho::trusted(k * k * one.rho->value());
    return all;
  }
  const auto factor =
      all.epsilon ? group_delta_factor(one.epsilon->value(), moves) : std::optional<Rational>();
  const auto delta = factor ? Delta::of(*factor * one.delta.value())
                            : Result<Delta>(invalid_input("no group privacy"));
  if (!delta) return {};
  all.rho = Rho::trusted(all.epsilon->value() * all.epsilon->value() / 2);
  all.delta = *delta;
  return all;
}

std::string to_string(const Cost& cost) {
  std::string text = cost.epsilon ? "epsilon " + cost.epsilon->to_string()
                                  : "rho " + (cost.rho ? cost.rho->to_string() : "none");
  if (cost.delta.value().sign() > 0) text += ", delta " + cost.delta.to_string();
  return text;
}

}  // namespace discreet
