// SPDX-License-Identifier: Apache-2.0
#include "privacy/shown.h"

namespace discreet {

std::string shown(const Rational& amount, Round direction) {
  if (amount.sign() == 0) return "0";
  const Rational ten(10);
  Rational scale(1'000'000);
  while (amount * scale < Rational(100'000'000)) scale = scale * ten;
  const Rational units = amount * scale;
  return (Rational(direction == Round::kUp ? units.ceil() : units.floor()) / scale).to_string();
}

std::string shown_price(const Cost& cost) {
  std::string text = "rho none";
  if (cost.rho) text = "rho " + shown(cost.rho->value(), Round::kUp);
  if (cost.epsilon) text = "epsilon " + shown(cost.epsilon->value(), Round::kUp);
  if (cost.delta.value().sign() > 0) text += ", delta " + shown(cost.delta.value(), Round::kUp);
  return text;
}

}  // namespace discreet
