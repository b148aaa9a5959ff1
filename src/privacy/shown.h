// SPDX-License-Identifier: Apache-2.0
// Prices and budgets as people read them: exact where that takes few digits, else rounded to the
// side that is safe to believe. What is charged is divided among measurements in shares that are
// rounded down, so that 2 becomes 1.9999999999986; the ledger keeps and shows that.
#pragma once

#include <string>

#include "privacy/cost.h"

namespace discreet {

/// Requires: amount >= 0.
/// Promise: at least nine significant digits and six decimals of a large number are kept; it is the
/// amount where those say it, else not below it (kUp: prices, what was spent) or not above it
/// (kDown: what is left), by less than a part in 10^8.
std::string shown(const Rational& amount, Round direction);

/// "epsilon 0.333333334, delta 0.000001": never below what is charged.
std::string shown_price(const Cost& cost);

}  // namespace discreet
