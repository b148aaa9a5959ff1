// SPDX-License-Identifier: Apache-2.0
// Noise on values that the caller already holds. Whoever types a number into the command line knows
// it; the budget, if one is named, is for those who will read the output.
#pragma once

#include <utility>

#include "cli/payer.h"
#include "mechanism/clipped_sums.h"
#include "mechanism/door.h"

namespace discreet::cli {

/// The only caller of Receipt::unaccounted.
class OwnValues {
 public:
  /// `payer` is asked first; what it pays for is this one release.
  template <mechanism::Listed M>
  static Result<Released<typename M::Output>> release(
      const M& mechanism, typename M::Input value,
      const Confidence& confidence = default_confidence(), Payer* payer = nullptr) {
    DISCREET_ASSIGN(Receipt receipt, receipt_for(mechanism.noise(), mechanism.cost(), payer));
    return mechanism::Door::release(mechanism, Sensitive<typename M::Input>(std::move(value)),
                                    std::move(receipt), {.confidence = confidence});
  }

  /// Paid by nobody: what needs no ledger, such as an array of Python's.
  template <mechanism::Listed M>
  static Result<Released<typename M::Output>> release_unpaid(const M& mechanism,
                                                             typename M::Input value,
                                                             const Confidence& confidence) {
    return mechanism::Door::release(mechanism, Sensitive<typename M::Input>(std::move(value)),
                                    Receipt::unaccounted(mechanism.noise(), mechanism.cost()),
                                    {.confidence = confidence});
  }

  /// Paid by nobody: a series over rows that were made up.
  static Result<mechanism::ClippedSums> open_unpaid(const mechanism::ClippedSums::Terms& terms) {
    return mechanism::ClippedSums::open(terms, Receipt::unaccounted(terms.noise(), terms.cost()));
  }

 private:
  static Result<Receipt> receipt_for(NoiseSpec noise, Cost cost, Payer* payer) {
    if (payer == nullptr || !payer->pays()) {
      return Receipt::unaccounted(std::move(noise), std::move(cost));
    }
    const Hash plan = ledger::sha256(noise.text);
    return payer->pay(Charge(payer->units(), {{std::move(noise), std::move(cost)}}, plan,
                             payer->fresh_request_id()));
  }
};

}  // namespace discreet::cli
