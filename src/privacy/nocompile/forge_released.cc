// SPDX-License-Identifier: Apache-2.0
// Only a mechanism makes a released value.
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
int fine(const Released<int>& x) { return x.value(); }
#ifdef MISUSE
Released<int> misuse() { return Released<int>(1, Provenance{}); }
#endif
