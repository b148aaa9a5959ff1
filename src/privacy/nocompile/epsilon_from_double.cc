// SPDX-License-Identifier: Apache-2.0
// A privacy parameter is not a bare number.
// expect: cannot convert|could not convert|no matching function
#include <bit>
#include <cstring>
#include <functional>
#include <iostream>
#include <vector>

#include "privacy/recorder.h"
#include "privacy/released.h"
#include "privacy/sensitive.h"

using namespace discreet;
Result<Epsilon> fine() { return Epsilon::parse("0.1"); }
#ifdef MISUSE
Epsilon misuse() { return 0.1; }
#endif
