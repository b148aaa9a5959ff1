// SPDX-License-Identifier: Apache-2.0
// An un-noised value cannot be hashed.
// expect: deleted function|no match for call
#include <bit>
#include <cstring>
#include <functional>
#include <iostream>
#include <vector>

#include "privacy/recorder.h"
#include "privacy/released.h"
#include "privacy/sensitive.h"

using namespace discreet;
std::size_t fine() { return std::hash<int>{}(1); }
#ifdef MISUSE
std::size_t misuse(const Sensitive<int>& x) { return std::hash<Sensitive<int>>{}(x); }
#endif
