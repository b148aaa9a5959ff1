// SPDX-License-Identifier: Apache-2.0
#include "privacy/quantity.h"

namespace discreet {
namespace {

bool positive(const Rational& x) { return x.sign() > 0; }
bool open_unit(const Rational& x) { return x.sign() > 0 && x < 1; }
bool half_open_unit(const Rational& x) { return x.sign() >= 0 && x < 1; }
bool positive_to_2_40(const Rational& x) { return positive(x) && x <= power_of_two(40); }
bool scale_range(const Rational& x) { return x >= power_of_two(-40) && x <= power_of_two(40); }
bool variance_range(const Rational& x) { return x >= power_of_two(-40) && x <= power_of_two(60); }

Error out_of_range(const QuantityRule& rule, std::string_view got) {
  return invalid_input(std::string(rule.name) + " must be " + std::string(rule.range) + "; got " +
                       in_quotes(got));
}

}  // namespace

Result<Rational> parse_quantity(const QuantityRule& rule, std::string_view text) {
  auto value = Rational::parse(text);
  if (!value) return out_of_range(rule, text);
  if (!rule.allows(*value)) return out_of_range(rule, text);
  return value;
}

Result<Rational> check_quantity(const QuantityRule& rule, const Rational& value) {
  if (!rule.allows(value)) return out_of_range(rule, value.to_string());
  return value;
}

const QuantityRule& EpsilonKind::rule() {
  static constexpr QuantityRule kRule{
      "epsilon", "a number above 0 and at most 2^40, such as 0.5 or 1/2", positive_to_2_40};
  return kRule;
}
const QuantityRule& DeltaKind::rule() {
  static constexpr QuantityRule kRule{
      "delta", "a number from 0 up to but not including 1, such as 1e-6", half_open_unit};
  return kRule;
}
const QuantityRule& RhoKind::rule() {
  static constexpr QuantityRule kRule{"rho", "a number above 0, such as 0.1", positive};
  return kRule;
}
const QuantityRule& SensitivityKind::rule() {
  static constexpr QuantityRule kRule{"sensitivity", "a number above 0, such as 1", positive};
  return kRule;
}
const QuantityRule& L2SquaredKind::rule() {
  static constexpr QuantityRule kRule{"squared L2 sensitivity", "a number above 0, such as 1",
                                      positive};
  return kRule;
}
const QuantityRule& ScaleKind::rule() {
  static constexpr QuantityRule kRule{"scale", "a number between 2^-40 and 2^40, such as 10",
                                      scale_range};
  return kRule;
}
const QuantityRule& VarianceKind::rule() {
  static constexpr QuantityRule kRule{"variance", "a number between 2^-40 and 2^60, such as 100",
                                      variance_range};
  return kRule;
}
const QuantityRule& StepKind::rule() {
  static constexpr QuantityRule kRule{"step", "a number above 0, such as 0.01", positive};
  return kRule;
}
const QuantityRule& ConfidenceKind::rule() {
  static constexpr QuantityRule kRule{"confidence", "a number between 0 and 1, such as 0.95",
                                      open_unit};
  return kRule;
}

Confidence default_confidence() { return Confidence::trusted(Rational::ratio(95, 100)); }

}  // namespace discreet
