// SPDX-License-Identifier: Apache-2.0
// Any text is a rational or an error; what parses is read back from its own text as the same
// number.
#include "numeric/rational.h"

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace discreet;
  Result<Rational> parsed = Rational::parse(std::string(reinterpret_cast<const char*>(data), size));
  if (!parsed) return 0;
  const Rational& value = parsed.value();
  DISCREET_CHECK(value.denominator() > 0);
  DISCREET_CHECK(Rational(value.floor()) <= value && value <= Rational(value.ceil()));
  DISCREET_CHECK(value.to_double(Round::kDown) <= value.to_double(Round::kUp));
  std::string text = value.to_string();
  // parse() refuses very long texts, and the fraction of a short one ("1e-999") may be long.
  if (text.size() > 1000) return 0;
  Result<Rational> again = Rational::parse(text);
  DISCREET_CHECK(again.has_value() && again.value() == value);
  return 0;
}
