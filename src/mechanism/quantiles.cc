// SPDX-License-Identifier: Apache-2.0
#include "mechanism/quantiles.h"

#include <algorithm>
#include <utility>

#include "mechanism/describe.h"
#include "mechanism/exponential.h"

namespace discreet::mechanism {
namespace {

constexpr std::int64_t kEnd = std::int64_t{1} << 62;
constexpr int kDenominatorMax = 1 << 20;
constexpr int kTargetBits = 100;
constexpr std::size_t kPlaces = 16;  // of a key's values in a recording

/// How far one row moves the score: max(a, b - a).
Integer row_weight(const Rational& fraction) {
  const Integer a = fraction.numerator();
  const Integer rest = fraction.denominator() - a;
  return a > rest ? a : rest;
}

/// w = epsilon / (2 k r max(a, b-a))
Rational weight_of(const Quantiles::Options& options) {
  return options.epsilon.value() /
         (2 * Rational(options.keys_per_unit) * Rational(options.rows_per_unit) *
          Rational(row_weight(options.fraction)));
}

std::size_t points_of(const Quantiles::Options& options) {
  return static_cast<std::size_t>(options.high - options.low) + 1;
}

Result<void> check(const Quantiles::Options& options) {
  if (options.keys_per_unit < 1 || options.rows_per_unit < 1) {
    return invalid_input("a unit must be allowed at least one key and one row in it; got " +
                         std::to_string(options.keys_per_unit) + " and " +
                         std::to_string(options.rows_per_unit));
  }
  if (options.fraction.sign() < 0 || options.fraction > Rational(1) ||
      options.fraction.denominator() > kDenominatorMax) {
    return invalid_input(
        "the fraction of a quantile must be between 0 and 1, with a denominator of at most "
        "1048576, such as 0.5 or 0.999");
  }
  if (options.side < -1 || options.side > 1) {
    return invalid_input("the side of a quantile must be -1, 0 or 1; got " +
                         std::to_string(options.side));
  }
  if (options.low > options.high) {
    return invalid_input("the low bound, " + std::to_string(options.low) +
                         ", must not exceed the high bound, " + std::to_string(options.high));
  }
  if (options.low < -kEnd || options.high > kEnd || options.high - options.low > kEnd) {
    return invalid_input(
        "a quantile's range must lie within 2^62 of zero and be at most 2^62 wide: use a coarser "
        "step");
  }
  return {};
}

}  // namespace

Quantiles::Quantiles(Options options, std::shared_ptr<const QuantileLevels> levels)
    : options_(std::move(options)), levels_(std::move(levels)) {}

Result<Quantiles> Quantiles::make(Options options) {
  DISCREET_TRY(check(options));
  const Rational weight = weight_of(options);
  Integer target = 0;
  if (options.side != 0) {
    target = options.side * (worst_shortfall(points_of(options), weight, options.confidence) + 1);
  }
  if (Rational(target).abs() >= power_of_two(kTargetBits)) {
    return invalid_input(
        "epsilon is too small for an end of a quantile's interval: the rank would be moved by more "
        "rows than there can be; give it more");
  }
  auto levels = std::make_shared<const QuantileLevels>(
      QuantileLevels::Options{.a = to_int128(options.fraction.numerator()),
                              .b = to_int128(options.fraction.denominator()),
                              .target = to_int128(target),
                              .weight = weight,
                              .low = options.low,
                              .high = options.high});
  return Quantiles(std::move(options), std::move(levels));
}

NoiseSpec Quantiles::noise() const {
  return {"quantiles(epsilon=" + options_.epsilon.to_string() +
          ",keys_per_unit=" + std::to_string(options_.keys_per_unit) +
          ",rows_per_unit=" + std::to_string(options_.rows_per_unit) +
          ",fraction=" + options_.fraction.to_string() + ",side=" + std::to_string(options_.side) +
          ",low=" + std::to_string(options_.low) + ",high=" + std::to_string(options_.high) +
          ",confidence=" + options_.confidence.to_string() + ")"};
}

Cost Quantiles::cost() const {
  const Rational& epsilon = options_.epsilon.value();
  return {.epsilon = options_.epsilon,
          .rho = Rho::trusted(epsilon * epsilon / (8 * Rational(options_.keys_per_unit))),
          .delta = Delta::trusted(0)};
}

Integer Quantiles::shortfall(const Confidence& confidence) const {
  return worst_shortfall(points_of(options_), weight_of(options_), confidence);
}

Rational Quantiles::rank_shortfall(const Confidence& confidence) const {
  return Rational::ratio(shortfall(confidence), options_.fraction.denominator());
}

std::vector<Int128> Quantiles::coordinates(const Input& keys) {
  std::vector<Int128> out(keys.size() * kPlaces, 0);
  for (std::size_t key = 0; key < keys.size(); ++key) {
    for (const auto& [value, count] : keys[key]) {
      out[key * kPlaces + static_cast<std::uint64_t>(value) % kPlaces] += count;
    }
  }
  return out;
}

std::string Quantiles::describe(const Output& values) { return describe_entries(values); }

}  // namespace discreet::mechanism
