// SPDX-License-Identifier: Apache-2.0
// Only the command line may run a mechanism off the books.
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
Receipt misuse() { return Receipt::unaccounted({"laplace"}, Cost{}); }
#endif
