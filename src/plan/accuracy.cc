// SPDX-License-Identifier: Apache-2.0
#include "plan/accuracy.h"

#include "plan/grid.h"

namespace discreet::plan {
namespace {

constexpr int kMantissas = 9'000;  // 1000 .. 9999
constexpr int kLeastExponent = -12;
constexpr int kGreatestExponent = 0;

// The candidates in order: mantissa * 10^exponent.
Epsilon candidate(int index) {
  return Epsilon::trusted(Rational(1'000 + index % kMantissas) *
                          power_of_ten(kLeastExponent + index / kMantissas));
}

}  // namespace

ExpectedError expected_error(const Step& step, const Confidence& confidence) {
  if (const auto* quantiles = std::get_if<mechanism::Quantiles>(&step.noise)) {
    return {std::nullopt, quantiles->rank_shortfall(confidence)};
  }
  if (const auto* bent = std::get_if<mechanism::SvLaplace>(&step.noise)) {
    return {in_units(step, bent->accuracy(confidence)->half_width), std::nullopt};
  }
  const auto* laplace = std::get_if<mechanism::LaplaceVector>(&step.noise);
  const Integer width =
      laplace != nullptr ? laplace->half_width(confidence)
                         : std::get<mechanism::GaussianVector>(step.noise).half_width(confidence);
  return {in_units(step, Rational(width)), std::nullopt};
}

Rational in_units(const Step& step, const Rational& integer) { return step.lowered.step * integer; }

Result<Epsilon> least_epsilon(const Plan& plan, const policy::Policy& policy,
                              const std::function<bool(const Checked&)>& good) {
  if (policy.santha_vazirani) {
    return Error{
        Code::kUnsupported,
        "an error is solved for on fair coins only; under randomness: santha-vazirani give "
        "an epsilon from 0.01 to 5, and see its error with discreet explain"};
  }
  const auto checked = [&](int index) {
    Plan priced = plan;
    priced.epsilon = candidate(index);
    return Checker::check(std::move(priced), policy, "");
  };
  // A refusal at a small epsilon (noise beyond the mechanisms' range) is as bad as a wide interval.
  const auto enough = [&](int index) {
    const auto result = checked(index);
    return result.has_value() && good(*result);
  };
  int high = (kGreatestExponent - kLeastExponent + 1) * kMantissas - 1;
  DISCREET_ASSIGN(const Checked best, checked(high));
  if (!good(best)) {
    return invalid_input("no epsilon up to " + candidate(high).to_string() +
                         " reaches that error; allow a larger one");
  }
  int low = -1;
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    (enough(middle) ? high : low) = middle;
  }
  return candidate(high);
}

Result<Epsilon> least_epsilon(const Plan& plan, const policy::Policy& policy, std::size_t step,
                              const Rational& error, const Confidence& confidence) {
  if (step >= plan.measurements.size()) return invalid_input("there is no such measurement");
  if (error.sign() <= 0) return invalid_input("the error to reach must be above 0");
  return least_epsilon(plan, policy, [&](const Checked& checked) {
    const ExpectedError expected = expected_error(checked.steps()[step], confidence);
    return (expected.half_width ? *expected.half_width : *expected.ranks) <= error;
  });
}

}  // namespace discreet::plan
