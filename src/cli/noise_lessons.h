// SPDX-License-Identifier: Apache-2.0
// What `discreet noise --help` teaches.
#pragma once

#include "cli/program.h"

namespace discreet::cli {

inline constexpr const char* kLaplaceExample =
    "discreet noise laplace --value 42 --sensitivity 1 --epsilon 1/2";
inline constexpr const char* kGaussianExample =
    "discreet noise gaussian --value 42 --sensitivity 1 --rho 0.1";
inline constexpr const char* kGeometricExample =
    "discreet noise geometric --value 42 --sensitivity 1 --epsilon 1/2 --upper 100";

Lesson noise_lesson();
Lesson laplace_lesson();
Lesson gaussian_lesson();
Lesson geometric_lesson();

}  // namespace discreet::cli
