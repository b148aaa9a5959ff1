// SPDX-License-Identifier: Apache-2.0
// A sealed list cannot be walked.
// expect: no matching function for call to .begin
#include <bit>
#include <cstring>
#include <functional>
#include <iostream>
#include <vector>

#include "privacy/recorder.h"
#include "privacy/released.h"
#include "privacy/sensitive.h"

using namespace discreet;
int fine(std::vector<int> v) {
  for (int x : v) return x;
  return 0;
}
#ifdef MISUSE
int misuse(Sensitive<std::vector<int>> v) {
  for (int x : v) return x;
  return 0;
}
#endif
