// SPDX-License-Identifier: Apache-2.0
// The sensitivity of counts: a whole number, because the proofs of the mechanisms with a threshold
// shift integer noise by it.
#pragma once

#include "privacy/quantity.h"

namespace discreet::mechanism {

/// Fails with: kInvalidInput unless the sensitivity is a whole number between 1 and 2^62.
inline Result<Int128> whole_sensitivity(const Sensitivity& sensitivity) {
  const Rational& value = sensitivity.value();
  if (value.denominator() != 1 || value > power_of_two(62)) {
    return invalid_input(
        "the sensitivity of a count must be a whole number between 1 and 2^62; got " +
        sensitivity.to_string());
  }
  return to_int128(value.numerator());
}

}  // namespace discreet::mechanism
