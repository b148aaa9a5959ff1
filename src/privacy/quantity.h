// SPDX-License-Identifier: Apache-2.0
// The quantities of differential privacy as types: exact, checked, and never mixed up. There is no
// bare number for a privacy parameter anywhere, and no way to a double that does not name its
// direction.
//
//   DISCREET_ASSIGN(auto epsilon, Epsilon::parse("0.1"));   // exactly 1/10
//   epsilon.value().to_double(Round::kUp);
#pragma once

#include <compare>
#include <string>
#include <string_view>

#include "numeric/rational.h"

namespace discreet {

/// What a quantity may be, and how to say so.
struct QuantityRule {
  std::string_view name;
  std::string_view range;  ///< completes "<name> must be ..."
  bool (*allows)(const Rational&);
};

Result<Rational> parse_quantity(const QuantityRule& rule, std::string_view text);
Result<Rational> check_quantity(const QuantityRule& rule, const Rational& value);

/// A number with a meaning. `Kind` gives it a rule.
template <class Kind>
class Quantity {
 public:
  /// Fails with: kInvalidInput, naming the quantity and its range.
  static Result<Quantity> parse(std::string_view text) {
    DISCREET_ASSIGN(Rational value, parse_quantity(Kind::rule(), text));
    return Quantity(std::move(value));
  }
  static Result<Quantity> of(const Rational& value) {
    DISCREET_ASSIGN(Rational checked, check_quantity(Kind::rule(), value));
    return Quantity(std::move(checked));
  }
  /// For values that our own code has computed. Requires: the rule allows it.
  static Quantity trusted(Rational value) {
    DISCREET_CHECK(Kind::rule().allows(value));
    return Quantity(std::move(value));
  }

  const Rational& value() const { return value_; }
  std::string to_string() const { return value_.to_string(); }

  friend bool operator==(const Quantity&, const Quantity&) = default;
  friend std::strong_ordering operator<=>(const Quantity& a, const Quantity& b) {
    return a.value_ <=> b.value_;
  }

 private:
  explicit Quantity(Rational value) : value_(std::move(value)) {}
  Rational value_;
};

// clang-format off
struct EpsilonKind     { static const QuantityRule& rule(); };
struct DeltaKind       { static const QuantityRule& rule(); };
struct RhoKind         { static const QuantityRule& rule(); };
struct SensitivityKind { static const QuantityRule& rule(); };
struct L2SquaredKind   { static const QuantityRule& rule(); };
struct ScaleKind       { static const QuantityRule& rule(); };
struct VarianceKind    { static const QuantityRule& rule(); };
struct StepKind        { static const QuantityRule& rule(); };
struct ConfidenceKind  { static const QuantityRule& rule(); };
// clang-format on

using Epsilon = Quantity<EpsilonKind>;  ///< pure privacy loss, in nats; > 0, at most 2^40
using Delta = Quantity<DeltaKind>;      ///< 0 <= delta < 1
using Rho = Quantity<RhoKind>;          ///< zCDP; > 0
using Sensitivity =
    Quantity<SensitivityKind>;              ///< absolute or L1 distance of neighbours' answers; > 0
using L2Squared = Quantity<L2SquaredKind>;  ///< the *square* of the L2 sensitivity, so that sqrt(k)
                                            ///< stays exact; > 0
using Scale = Quantity<ScaleKind>;          ///< of the Laplace distribution; 2^-40 <= s <= 2^40
using Variance = Quantity<VarianceKind>;    ///< sigma^2 of the Gaussian; 2^-40 <= sigma^2 <= 2^60
using Step = Quantity<StepKind>;            ///< the grid on which reals live; > 0
using Confidence = Quantity<ConfidenceKind>;  ///< 1 - beta; 0 < c < 1

/// 0.95
Confidence default_confidence();

}  // namespace discreet
