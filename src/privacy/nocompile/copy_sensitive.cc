// SPDX-License-Identifier: Apache-2.0
// An un-noised value cannot be copied.
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
void fine(Sensitive<int> x) { Sensitive<int> y(std::move(x)); }
#ifdef MISUSE
void misuse(Sensitive<int> x) { Sensitive<int> y(x); }
#endif
