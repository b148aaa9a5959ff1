// SPDX-License-Identifier: Apache-2.0
// The mechanism for bent coins. Its distribution is walked on fair ones; what it claims is its
// epsilon under every source, so the price is held against the source that makes the most of one
// outcome (source/tree.h).
#include <algorithm>

#include "audit/cases.h"
#include "audit/source/tree.h"
#include "mechanism/sv_laplace.h"

namespace discreet::audit {
namespace {

/// ln of what the best source reaches for one outcome, either way round.
Rational best_source(const mechanism::SvLaplace& mechanism, const Inputs<Int128>& inputs,
                     const Rational& gamma, int depth) {
  Outcomes outcomes;
  const auto a = tape_leaves<1>(mechanism, inputs.a, depth, outcomes);
  const auto b = tape_leaves<1>(mechanism, inputs.b, depth, outcomes);
  const std::size_t number = outcomes.texts().size();
  const Rational ratio = std::max(TapeTree(a, b).best_outcome(number, gamma),
                                  TapeTree(b, a).best_outcome(number, gamma));
  return log(Interval::around(ratio, 128)).low();
}

/// Pr[cell k] = S((2k+1)q - 2y) - S((2k-1)q - 2y) with S from powers of two, to the table's
/// rounding.
Pair sv_laplace(const Progress& progress) {
  const auto mechanism = mechanism::SvLaplace::make({.sensitivity = Sensitivity::trusted(1),
                                                     .epsilon = Epsilon::trusted(1),
                                                     .gamma = Rational::ratio(1, 20),
                                                     .low = 0,
                                                     .high = 3});
  const random::SvShape shape = mechanism.value().shape();
  // 2^(-d J / H - 1), give or take half a unit in the table's last place.
  const auto half_power = [shape](std::int64_t d) -> Range {
    constexpr int kPrecision = 128;
    const Interval power =
        exp(log(Interval::around(2, kPrecision)) *
            Interval::around(Rational::ratio(-d * shape.halvings - shape.period, shape.period),
                             kPrecision));
    const Rational off = power.high() * power_of_two(1 - shape.bits);
    return {power.low() - off, power.high() + off};
  };
  const auto s = [&half_power](std::int64_t h) {
    return h < 0 ? half_power(-h) : complement(half_power(h));
  };
  const auto theorem = [&](Int128 x, Int128 answer) -> std::optional<Range> {
    const auto y = static_cast<std::int64_t>(x);
    const auto at = static_cast<std::int64_t>(answer);
    if (at < -40 || at > 40) return std::nullopt;  // near the outermost cells
    const Range high = s(2 * at + shape.q - 2 * y);
    const Range low = s(2 * at - shape.q - 2 * y);
    return Range{high.low - low.high, high.high - low.low};
  };
  const Inputs<Int128> inputs{1, 2, "1 | 2"};
  Pair pair = audit<1>(mechanism.value(), inputs, 34, theorem, progress);
  pair.epsilon = best_source(mechanism.value(), inputs, Rational::ratio(1, 20), 34);
  return pair;
}

}  // namespace

std::vector<Case> source_cases() { return {{"sv-laplace", sv_laplace}}; }

}  // namespace discreet::audit
