// SPDX-License-Identifier: Apache-2.0
// A rational is not made from a rounded number.
// expect: ambiguous|no matching function|conversion
#include <bit>
#include <cstring>
#include <functional>
#include <iostream>
#include <vector>

#include "privacy/recorder.h"
#include "privacy/released.h"
#include "privacy/sensitive.h"

using namespace discreet;
Rational fine() { return Rational(1); }
#ifdef MISUSE
Rational misuse() { return Rational(0.1); }
#endif
