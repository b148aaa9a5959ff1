// SPDX-License-Identifier: Apache-2.0
#include "engine/lowering/dialect.h"

#include <charconv>

#include "base/check.h"
#include "plan/grid.h"

namespace discreet::engine::lowering {

std::optional<DecimalType> decimal_type(const StoredColumn& stored) {
  const std::string& name = stored.type_name;
  const std::size_t open = name.find('(');
  const std::size_t comma = name.find(',');
  if (open == name.npos || comma == name.npos || comma < open) return std::nullopt;
  DecimalType type{0, 0};
  const char* const end = name.data() + name.size();
  const auto precision = std::from_chars(name.data() + open + 1, end, type.precision);
  const auto scale = std::from_chars(name.data() + comma + 1, end, type.scale);
  const bool fine = precision.ec == std::errc() && precision.ptr == name.data() + comma &&
                    scale.ec == std::errc() && scale.ptr < end && *scale.ptr == ')';
  if (!fine || type.scale < 0 || type.scale > type.precision) return std::nullopt;
  return type;
}

std::string decimal_digits(const Rational& value, int scale) {
  const Rational shifted = value * plan::power_of_ten(scale);
  DISCREET_CHECK(shifted.denominator() == 1);
  std::string digits = Integer(abs(shifted.numerator())).get_str();
  const auto places = static_cast<std::size_t>(scale);
  if (digits.size() <= places) digits.insert(0, places + 1 - digits.size(), '0');
  const std::size_t point = digits.size() - places;
  std::string out = (shifted.sign() < 0 ? "-" : "") + digits.substr(0, point);
  if (places > 0) out += "." + digits.substr(point);
  return out;
}

}  // namespace discreet::engine::lowering
