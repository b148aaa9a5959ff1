// SPDX-License-Identifier: Apache-2.0
// Short spellings for the exact quantities that tests are full of.
#pragma once

#include "privacy/quantity.h"

namespace discreet::mechanism {

inline Rational rational(std::string_view text) { return Rational::parse(text).value(); }
inline Epsilon epsilon_of(std::string_view text) { return Epsilon::parse(text).value(); }
inline Delta delta_of(std::string_view text) { return Delta::parse(text).value(); }
inline Rho rho_of(std::string_view text) { return Rho::parse(text).value(); }
inline Sensitivity sensitivity_of(std::string_view text) {
  return Sensitivity::parse(text).value();
}
inline L2Squared l2_squared_of(std::string_view text) { return L2Squared::parse(text).value(); }
inline Scale scale_of(std::string_view text) { return Scale::parse(text).value(); }
inline Variance variance_of(std::string_view text) { return Variance::parse(text).value(); }
inline Step step_of(std::string_view text) { return Step::parse(text).value(); }
inline Confidence confidence_of(std::string_view text) { return Confidence::parse(text).value(); }

}  // namespace discreet::mechanism
