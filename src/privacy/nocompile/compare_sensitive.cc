// SPDX-License-Identifier: Apache-2.0
// Un-noised values cannot be compared: a comparison is an answer.
// expect: no match for .operator==.
#include <bit>
#include <cstring>
#include <functional>
#include <iostream>
#include <vector>

#include "privacy/recorder.h"
#include "privacy/released.h"
#include "privacy/sensitive.h"

using namespace discreet;
bool fine(int x, int y) { return x == y; }
#ifdef MISUSE
bool misuse(Sensitive<int> x, Sensitive<int> y) { return x == y; }
#endif
