// SPDX-License-Identifier: Apache-2.0
// A sealed value does not turn into a plain one.
// expect: cannot convert
#include <bit>
#include <cstring>
#include <functional>
#include <iostream>
#include <vector>

#include "privacy/recorder.h"
#include "privacy/released.h"
#include "privacy/sensitive.h"

using namespace discreet;
int fine(int x) { return x; }
#ifdef MISUSE
int misuse(const Sensitive<int>& x) { return x; }
#endif
