// SPDX-License-Identifier: Apache-2.0
// An un-noised text cannot become part of a message.
// expect: no match for .operator[+]
#include <bit>
#include <cstring>
#include <functional>
#include <iostream>
#include <vector>

#include "privacy/recorder.h"
#include "privacy/released.h"
#include "privacy/sensitive.h"

using namespace discreet;
std::string fine() { return std::string("count ") + "1"; }
#ifdef MISUSE
std::string misuse(const Sensitive<std::string>& x) { return std::string("count ") + x; }
#endif
