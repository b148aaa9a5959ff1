// SPDX-License-Identifier: Apache-2.0
// Charges that a thread of this process works on, so that another one that asks the same waits for
// it in place of beginning a try of its own. Nothing of privacy rests on it: tries are counted in
// the history (L11). What other processes work on shows in try_lock.h.
#pragma once

#include "ledger/try_lock.h"
#include "privacy/receipt.h"

namespace discreet::ledger {

class UnderWay {
 public:
  /// From here on until it dies somebody works on the charge whose record has this hash, and holds
  /// `held`.
  explicit UnderWay(const Hash& charge, TryLock held = {});
  ~UnderWay();
  UnderWay(const UnderWay&) = delete;
  UnderWay& operator=(const UnderWay&) = delete;

  static bool has(const Hash& charge);
  /// Returns when nobody does any more.
  static void wait_for(const Hash& charge);

 private:
  const Hash charge_;
  TryLock lock_;
};

}  // namespace discreet::ledger
