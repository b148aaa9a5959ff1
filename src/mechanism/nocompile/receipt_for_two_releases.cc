// SPDX-License-Identifier: Apache-2.0
// A receipt pays for one release: it has to be given away, not lent or copied.
// expect: cannot bind rvalue reference|no matching function|use of deleted function
#include "mechanism/door.h"
#include "mechanism/laplace.h"

using namespace discreet;
using namespace discreet::mechanism;

bool fine(const Laplace& laplace, Sensitive<Int128> value, Receipt receipt) {
  return Door::release(laplace, std::move(value), std::move(receipt)).has_value();
}
#ifdef MISUSE
bool misuse(const Laplace& laplace, Sensitive<Int128> a, Sensitive<Int128> b, Receipt receipt) {
  return Door::release(laplace, std::move(a), receipt).has_value() &&
         Door::release(laplace, std::move(b), receipt).has_value();
}
#endif
