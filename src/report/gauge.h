// SPDX-License-Identifier: Apache-2.0
// A fuel gauge: how much of a budget is left.
#pragma once

#include <string>

#include "numeric/rational.h"

namespace discreet::report {

/// "████████████░░░░░░░░  62 % left", `left` of `cap`, rounded down: a gauge never promises more
/// than there is. Requires: 0 <= left <= cap, cap > 0.
std::string gauge(const Rational& left, const Rational& cap, int columns = 30);

}  // namespace discreet::report
