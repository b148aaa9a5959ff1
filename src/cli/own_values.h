// SPDX-License-Identifier: Apache-2.0
// Noise on values that the caller already holds. Whoever types a number into the command line knows
// it, so there is no budget to charge; what is printed says so.
#pragma once

#include <utility>

#include "mechanism/door.h"

namespace discreet::cli {

/// The only caller of Receipt::unaccounted.
class OwnValues {
 public:
  template <mechanism::Listed M>
  static Result<Released<typename M::Output>> release(
      const M& mechanism, typename M::Input value,
      const Confidence& confidence = default_confidence()) {
    return mechanism::Door::release(mechanism, Sensitive<typename M::Input>(std::move(value)),
                                    Receipt::unaccounted(mechanism.noise(), mechanism.cost()),
                                    {.confidence = confidence});
  }
};

inline constexpr const char* kNoBudget = "charged to no budget";

}  // namespace discreet::cli
