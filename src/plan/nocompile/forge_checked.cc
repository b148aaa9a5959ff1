// SPDX-License-Identifier: Apache-2.0
// Only the checker makes a Checked: whoever has one has a question whose price was recomputed.
// expect: private within this context
#include "plan/checker.h"

using namespace discreet;
void fine(const plan::Checked& checked) { (void)checked.charge(); }
#ifdef MISUSE
plan::Checked misuse(Charge charge) { return plan::Checked(std::move(charge)); }
#endif
