// SPDX-License-Identifier: Apache-2.0
// ... nor can a copy of it be given away.
// expect: use of deleted function
#include "mechanism/door.h"
#include "mechanism/laplace.h"

using namespace discreet;
using namespace discreet::mechanism;

bool fine(const Laplace& laplace, Sensitive<Int128> value, Receipt receipt) {
  return Door::release(laplace, std::move(value), std::move(receipt)).has_value();
}
#ifdef MISUSE
bool misuse(const Laplace& laplace, Sensitive<Int128> value, const Receipt& receipt) {
  return Door::release(laplace, std::move(value), Receipt(receipt)).has_value();
}
#endif
