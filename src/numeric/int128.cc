// SPDX-License-Identifier: Apache-2.0
#include "numeric/int128.h"

#include <algorithm>

namespace discreet {

std::string to_string(Int128 value) {
  // The magnitude in unsigned arithmetic: -kInt128Min does not fit a signed one.
  Uint128 magnitude = value < 0 ? -static_cast<Uint128>(value) : static_cast<Uint128>(value);
  std::string digits;
  do {
    digits += static_cast<char>('0' + static_cast<int>(magnitude % 10));
    magnitude /= 10;
  } while (magnitude != 0);
  if (value < 0) digits += '-';
  std::reverse(digits.begin(), digits.end());
  return digits;
}

}  // namespace discreet
