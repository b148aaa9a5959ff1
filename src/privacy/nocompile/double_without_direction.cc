// SPDX-License-Identifier: Apache-2.0
// A conversion to double names its direction.
// expect: no matching function|too few arguments
#include <bit>
#include <cstring>
#include <functional>
#include <iostream>
#include <vector>

#include "privacy/recorder.h"
#include "privacy/released.h"
#include "privacy/sensitive.h"

using namespace discreet;
double fine(const Rational& x) { return x.to_double(Round::kUp); }
#ifdef MISUSE
double misuse(const Rational& x) { return x.to_double(); }
#endif
