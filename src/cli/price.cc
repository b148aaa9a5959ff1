// SPDX-License-Identifier: Apache-2.0
#include "cli/price.h"

#include "cli/own_values.h"

namespace discreet::cli {

using report::Cell;

std::string total_price(const Cost& cost, std::uint64_t uses) {
  const Rational n(to_integer(static_cast<Int128>(uses)));
  std::string text = cost.epsilon ? "epsilon " + (cost.epsilon->value() * n).to_string()
                                  : "rho " + (cost.rho->value() * n).to_string();
  if (cost.delta.value().sign() > 0) text += ", delta " + (cost.delta.value() * n).to_string();
  return text;
}

void add_price(report::Sheet& sheet, const Cost& cost, const std::string& budget) {
  sheet.line("price", to_string(cost) + ", " + budget);
  if (cost.epsilon) sheet.field("epsilon", Cell::words(cost.epsilon->to_string()));
  if (cost.rho) sheet.field("rho", Cell::words(cost.rho->to_string()));
  sheet.field("delta", Cell::words(cost.delta.to_string()));
  sheet.field("budget", Cell::words(budget));
}

std::string percent(const Confidence& confidence) {
  return (confidence.value() * 100).to_string() + " %";
}

}  // namespace discreet::cli
