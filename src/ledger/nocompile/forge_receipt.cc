// SPDX-License-Identifier: Apache-2.0
// Being in the ledger's folder does not make one the ledger.
// expect: private within this context
#include "ledger/answer.h"

namespace discreet::ledger {
std::size_t fine(const Paid& paid) { return paid.receipts.size(); }
#ifdef MISUSE
Receipt misuse() { return Receipt({"laplace"}, Cost{}, "1"); }
#endif
}  // namespace discreet::ledger
