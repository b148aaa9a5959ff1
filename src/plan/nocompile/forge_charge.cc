// SPDX-License-Identifier: Apache-2.0
// A front end cannot write a charge, not even for a plan that it made itself.
// expect: private within this context
#include "plan/checker.h"

using namespace discreet;
Hash fine(const Charge& charge) { return charge.plan(); }
#ifdef MISUSE
Charge misuse() { return Charge({"patients", Neighbours::kAddRemove, {}}, {}, Hash{}, "id"); }
#endif
