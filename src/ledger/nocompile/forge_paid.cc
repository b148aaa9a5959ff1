// SPDX-License-Identifier: Apache-2.0
// Only the ledger says that a charge is durable (L1).
// expect: private within this context
#include "ledger/answer.h"

using namespace discreet;
using namespace discreet::ledger;
Sequence fine(const Paid& paid) { return paid.charge(); }
#ifdef MISUSE
Paid misuse() { return Paid(std::vector<Receipt>(), 1, Hash{}, 1, false); }
#endif
