// SPDX-License-Identifier: Apache-2.0
// A charge is answered once.
// expect: use of deleted function
#include "ledger/answer.h"

using namespace discreet;
using namespace discreet::ledger;
Paid fine(Paid&& paid) { return std::move(paid); }
#ifdef MISUSE
Paid misuse(const Paid& paid) { return paid; }
#endif
