// SPDX-License-Identifier: Apache-2.0
// A result cannot be ignored.
// expect: nodiscard|ignoring return
#include <bit>
#include <cstring>
#include <functional>
#include <iostream>
#include <vector>

#include "privacy/recorder.h"
#include "privacy/released.h"
#include "privacy/sensitive.h"

using namespace discreet;
void fine() { (void)Epsilon::parse("1").has_value(); }
#ifdef MISUSE
void misuse() { Epsilon::parse("1"); }
#endif
