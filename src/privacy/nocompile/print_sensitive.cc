// SPDX-License-Identifier: Apache-2.0
// An un-noised value cannot be printed.
// expect: no match for .operator<<.
#include <bit>
#include <cstring>
#include <functional>
#include <iostream>
#include <vector>

#include "privacy/recorder.h"
#include "privacy/released.h"
#include "privacy/sensitive.h"

using namespace discreet;
void fine() {
  Sensitive<int> x(1);
  std::cout << 1;
}
#ifdef MISUSE
void misuse() {
  Sensitive<int> x(1);
  std::cout << x;
}
#endif
