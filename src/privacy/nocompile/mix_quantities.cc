// SPDX-License-Identifier: Apache-2.0
// An epsilon is not compared with a delta.
// expect: no match for .operator<.|could not convert|no match for
#include <bit>
#include <cstring>
#include <functional>
#include <iostream>
#include <vector>

#include "privacy/recorder.h"
#include "privacy/released.h"
#include "privacy/sensitive.h"

using namespace discreet;
bool fine(Epsilon a, Epsilon b) { return a < b; }
#ifdef MISUSE
bool misuse(Epsilon a, Delta b) { return a < b; }
#endif
