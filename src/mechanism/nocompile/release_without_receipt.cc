// SPDX-License-Identifier: Apache-2.0
// No answer without a receipt (K3).
// expect: no matching function|too few arguments
#include "mechanism/door.h"
#include "mechanism/laplace.h"

using namespace discreet;
using namespace discreet::mechanism;

bool fine(const Laplace& laplace, Sensitive<Int128> value, Receipt receipt) {
  return Door::release(laplace, std::move(value), std::move(receipt)).has_value();
}
#ifdef MISUSE
bool misuse(const Laplace& laplace, Sensitive<Int128> value) {
  return Door::release(laplace, std::move(value)).has_value();
}
#endif
