// SPDX-License-Identifier: Apache-2.0
// A receipt cannot be put in the place of another.
// expect: use of deleted function
#include <bit>
#include <cstring>
#include <functional>
#include <iostream>
#include <vector>

#include "privacy/recorder.h"
#include "privacy/released.h"
#include "privacy/sensitive.h"

using namespace discreet;
void fine(Receipt r) { Receipt s(std::move(r)); }
#ifdef MISUSE
void misuse(Receipt r, Receipt s) { s = std::move(r); }
#endif
