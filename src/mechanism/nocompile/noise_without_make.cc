// SPDX-License-Identifier: Apache-2.0
// Noise whose scale nobody checked cannot be put into a mechanism.
// expect: is private within this context
#include "mechanism/laplace.h"

using namespace discreet;
using namespace discreet::mechanism;

Result<Laplace> fine(const LaplaceOptions& options) { return Laplace::make(options); }
#ifdef MISUSE
Laplace misuse(const LaplaceNoise& noise) { return Laplace(noise); }
#endif
