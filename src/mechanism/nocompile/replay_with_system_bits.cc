// SPDX-License-Identifier: Apache-2.0
// Replays are for tapes: on the system's bits a value leaves only by release, with a receipt.
// expect: constraints not satisfied|no matching function
#include "mechanism/door.h"
#include "mechanism/laplace.h"

using namespace discreet;
using namespace discreet::mechanism;

struct Zeros : random::Tape<6> {
  std::uint64_t take(int) override { return 0; }
};

Audited<Int128> fine(const Laplace& laplace, const Sensitive<Int128>& value, Zeros& tape) {
  return Door::replay(laplace, value, tape);
}
#ifdef MISUSE
Audited<Int128> misuse(const Laplace& laplace, const Sensitive<Int128>& value,
                       random::SystemBits& bits) {
  return Door::replay(laplace, value, bits);
}
#endif
