// SPDX-License-Identifier: Apache-2.0
// Only a mechanism consumes a receipt.
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
void fine(Receipt) {}
#ifdef MISUSE
void misuse(Receipt r) { (void)r.consume({"laplace"}, Cost{}); }
#endif
