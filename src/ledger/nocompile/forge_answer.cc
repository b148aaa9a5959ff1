// SPDX-License-Identifier: Apache-2.0
// Only the ledger says that bytes are stored and may be sent (L2).
// expect: private within this context
#include "ledger/answer.h"

using namespace discreet;
using namespace discreet::ledger;
const std::string& fine(const Answer& answer) { return answer.bytes(); }
#ifdef MISUSE
Answer misuse() { return Answer("bytes that nobody stored", Record(), false); }
#endif
