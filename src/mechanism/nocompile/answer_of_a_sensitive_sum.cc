// SPDX-License-Identifier: Apache-2.0
// What the verbs make of sealed values is sealed.
// expect: cannot convert
#include "mechanism/verbs.h"

using namespace discreet;
using namespace discreet::mechanism;

Sensitive<Int128> fine(const Sensitive<std::vector<std::int64_t>>& rows) {
  return Verbs::count(rows);
}
#ifdef MISUSE
Int128 misuse(const Sensitive<std::vector<std::int64_t>>& rows) { return Verbs::count(rows); }
#endif
