// SPDX-License-Identifier: Apache-2.0
// Prices in words and as fields.
#pragma once

#include <cstdint>
#include <string>

#include "cli/payer.h"
#include "privacy/cost.h"
#include "report/table.h"

namespace discreet::cli {

/// "epsilon 50" for a hundred uses at epsilon 1/2: basic composition.
std::string total_price(const Cost& cost, std::uint64_t uses);

/// The line "price  epsilon 0.5, charged to no budget" and a field for every notion in which the
/// mechanism is proved. Exact numbers are strings: 1/3 has no other form. `budget` says who pays.
void add_price(report::Sheet& sheet, const Cost& cost, const std::string& budget = kNoBudget);

/// "95 %"
std::string percent(const Confidence& confidence);

}  // namespace discreet::cli
