// SPDX-License-Identifier: Apache-2.0
// A mechanism's own draw is private: it is reached through the door only.
// expect: is private within this context
#include "mechanism/door.h"
#include "mechanism/laplace.h"

using namespace discreet;
using namespace discreet::mechanism;

bool fine(const Laplace& laplace, Sensitive<Int128> value, Receipt receipt) {
  return Door::release(laplace, std::move(value), std::move(receipt)).has_value();
}
#ifdef MISUSE
Int128 misuse(const Laplace& laplace, random::SystemBits& bits) {
  return laplace.draw(Int128{42}, bits);
}
#endif
