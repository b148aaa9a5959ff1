// SPDX-License-Identifier: Apache-2.0
// The token cannot be forged from other bytes.
// expect: no matching function|constraints not satisfied|is_trivially_copyable
#include <bit>
#include <cstring>
#include <functional>
#include <iostream>
#include <vector>

#include "privacy/recorder.h"
#include "privacy/released.h"
#include "privacy/sensitive.h"

using namespace discreet;
struct Empty {};
int fine() { return std::bit_cast<int>(1u); }
#ifdef MISUSE
int misuse(const Sensitive<int>& x) { return x.reveal(std::bit_cast<Unseal>(Empty{})); }
#endif
