// SPDX-License-Identifier: Apache-2.0
// A receipt cannot be made by hand.
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
Receipt misuse() { return Receipt({"laplace"}, Cost{}, "1"); }
#endif
