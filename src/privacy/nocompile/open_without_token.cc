// SPDX-License-Identifier: Apache-2.0
// Opening needs the token.
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
void fine(const Sensitive<int>&) {}
#ifdef MISUSE
int misuse(const Sensitive<int>& x) { return x.reveal(); }
#endif
