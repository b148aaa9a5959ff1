// SPDX-License-Identifier: Apache-2.0
// Deriving from a listed mechanism does not get one listed.
// expect: constraints not satisfied|no matching function
#include "mechanism/door.h"
#include "mechanism/laplace.h"

using namespace discreet;
using namespace discreet::mechanism;

class Quieter : public Laplace {
 public:
  explicit Quieter(const Laplace& laplace) : Laplace(laplace) {}
};

bool fine(const Quieter& quieter, Sensitive<Int128> value, Receipt receipt) {
  const Laplace& laplace = quieter;  // as what it is
  return Door::release(laplace, std::move(value), std::move(receipt)).has_value();
}
#ifdef MISUSE
bool misuse(const Quieter& quieter, Sensitive<Int128> value, Receipt receipt) {
  return Door::release(quieter, std::move(value), std::move(receipt)).has_value();
}
#endif
