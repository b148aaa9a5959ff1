// SPDX-License-Identifier: Apache-2.0
// Only the checker of plans makes a charge.
// expect: private within this context
#include <bit>
#include <cstring>
#include <functional>
#include <iostream>
#include <vector>

#include "privacy/recorder.h"
#include "privacy/released.h"
#include "privacy/sensitive.h"

using namespace discreet;
void fine(const Charge&) {}
#ifdef MISUSE
Charge misuse() { return Charge(ChargedUnits{}, std::vector<ChargeLine>{}, Hash{}, "id"); }
#endif
