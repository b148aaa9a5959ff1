// SPDX-License-Identifier: Apache-2.0
// An error cannot be built from an un-noised value.
// expect: could not convert|no matching function|no match for
#include <bit>
#include <cstring>
#include <functional>
#include <iostream>
#include <vector>

#include "privacy/recorder.h"
#include "privacy/released.h"
#include "privacy/sensitive.h"

using namespace discreet;
Error fine() { return invalid_input("text"); }
#ifdef MISUSE
Error misuse(const Sensitive<std::string>& x) { return invalid_input(x); }
#endif
