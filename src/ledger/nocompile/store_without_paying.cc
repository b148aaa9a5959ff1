// SPDX-License-Identifier: Apache-2.0
// What was not paid for cannot be stored, and so not sent.
// expect: cannot convert
#include "ledger/ledger.h"

using namespace discreet;
using namespace discreet::ledger;
bool fine(Ledger& ledger, Paid paid) { return ledger.store(std::move(paid), "bytes").has_value(); }
#ifdef MISUSE
bool misuse(Ledger& ledger) { return ledger.store(Sequence{1}, "bytes").has_value(); }
#endif
