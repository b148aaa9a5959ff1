// SPDX-License-Identifier: Apache-2.0
#include "report/gauge.h"

#include "base/check.h"

namespace discreet::report {

std::string gauge(const Rational& left, const Rational& cap, int columns) {
  DISCREET_CHECK(left.sign() >= 0 && left <= cap && cap.sign() > 0);
  const Rational part = left / cap;
  const long full = (part * Rational(columns)).floor().get_si();
  const std::string percent = (part * Rational(100)).floor().get_str();
  std::string out;
  for (int column = 0; column < columns; ++column) out += column < full ? "█" : "░";
  return out + std::string(percent.size() < 3 ? 3 - percent.size() : 0, ' ') + " " + percent +
         " % left";
}

}  // namespace discreet::report
