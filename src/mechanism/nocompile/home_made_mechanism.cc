// SPDX-License-Identifier: Apache-2.0
// The door runs the listed mechanisms only: one that hands the value through, whatever it looks
// like, is not let in.
// expect: constraints not satisfied|no matching function
#include "mechanism/door.h"
#include "mechanism/laplace.h"

using namespace discreet;
using namespace discreet::mechanism;

class Echo {
 public:
  using Input = Int128;
  using Output = Int128;
  NoiseSpec noise() const { return {"echo"}; }
  Cost cost() const { return {}; }
  static std::optional<Accuracy> accuracy(const Confidence&) { return std::nullopt; }
  static std::vector<Int128> coordinates(const Int128& x) { return {x}; }
  static std::string describe(const Int128& x) { return to_string(x); }
  template <random::BitSource B>
  Int128 draw(const Int128& x, B&) const {
    return x;
  }
};

bool fine(const Laplace& laplace, Sensitive<Int128> value, Receipt receipt) {
  return Door::release(laplace, std::move(value), std::move(receipt)).has_value();
}
#ifdef MISUSE
bool misuse(const Echo& echo, Sensitive<Int128> value, Receipt receipt) {
  return Door::release(echo, std::move(value), std::move(receipt)).has_value();
}
#endif
