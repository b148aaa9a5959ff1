// SPDX-License-Identifier: Apache-2.0
// Charges for tests of what lies below the plan's checker.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "privacy/receipt.h"

namespace discreet {

class ChargeForTests {
 public:
  static Charge make(ChargedUnits units, std::vector<ChargeLine> lines, Hash plan,
                     std::string request_id) {
    return Charge(std::move(units), std::move(lines), plan, std::move(request_id));
  }
};

}  // namespace discreet
