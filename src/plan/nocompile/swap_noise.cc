// SPDX-License-Identifier: Apache-2.0
// What was checked cannot be changed afterwards: not its noise, not its bounds.
// expect: (assignment of member|discards qualifiers|no match for|passing 'const)
#include "plan/checker.h"

using namespace discreet;
std::int64_t fine(const plan::Checked& checked) { return checked.plan().bounds.groups_per_unit; }
#ifdef MISUSE
void misuse(plan::Checked& checked) { checked.plan().bounds.groups_per_unit = 1000; }
#endif
