// SPDX-License-Identifier: Apache-2.0
// The token cannot be made outside its list of friends.
// expect: private within this context
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
int misuse(const Sensitive<int>& x) { return x.reveal(Unseal{}); }
#endif
