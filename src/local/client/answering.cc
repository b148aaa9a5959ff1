// SPDX-License-Identifier: Apache-2.0
#include "local/client/answering.h"

namespace discreet::local {

Error another_survey() {
  return {Code::kConflict,
          "this survey has the fingerprint of another one that was answered; do not answer it"};
}

Result<void> pay(Ledger& ledger, Kept& kept, std::uint64_t price) {
  const std::uint64_t left = ledger.budget - ledger.spent;
  if (price > left) {
    return Error{Code::kBudget, "answering would cost epsilon " + nats(price) + ", and " +
                                    nats(left) + " of the lifetime budget " + nats(ledger.budget) +
                                    " is left; it does not come back with time"};
  }
  ledger.spent += price;
  kept.price += price;
  return {};
}

}  // namespace discreet::local
