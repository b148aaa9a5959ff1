// SPDX-License-Identifier: Apache-2.0
// There is no empty receipt.
// expect: no matching function
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
Receipt misuse() { return Receipt{}; }
#endif
