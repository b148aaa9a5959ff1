// SPDX-License-Identifier: Apache-2.0
// A till for tests: mints the receipts that only the ledger and the command line can mint in the
// product. It takes the name of the command line's class, so a program that links cli/ must not
// include it.
#pragma once

#include <utility>

#include "privacy/receipt.h"

namespace discreet::cli {

class OwnValues {
 public:
  static Receipt mint(NoiseSpec noise, Cost cost) {
    return Receipt::unaccounted(std::move(noise), std::move(cost));
  }
  /// A receipt for exactly this mechanism.
  template <class M>
  static Receipt for_use_of(const M& mechanism) {
    return Receipt::unaccounted(mechanism.noise(), mechanism.cost());
  }
};

}  // namespace discreet::cli
