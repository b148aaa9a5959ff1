// SPDX-License-Identifier: Apache-2.0
// Optimal composition of k equal uses, by its finite sum. Declared in composition.h; proof in
// notions.md, "Optimal".
#include <algorithm>

#include "accounting/composition.h"
#include "accounting/constants.h"
#include "accounting/outward.h"

namespace discreet::accounting {
namespace {

constexpr const char* kOptimalTheorem = "optimal composition [KOV15 Thm 3.3]";

/// The sums over l = 0 ... count-1 flipped answers out of k of P_l = C(k,l) p^{k-l} (1-p)^l and of
/// Q_l = C(k,l) p^l (1-p)^{k-l}, where p = 1/(1 + e^-eps). An outcome with l flips has the loss
/// (k - 2l) eps.
class Flips {
 public:
  Flips(const Rational& epsilon, std::uint64_t k)
      : k_(k),
        shrink_(exp(at(0) - at(epsilon))),
        grow_(exp(at(epsilon))),
        p_mass_(exp(at(0) - at(Rational(static_cast<std::int64_t>(k))) * log(at(1) + shrink_))),
        q_mass_(p_mass_ * exp(at(0) - at(epsilon * Rational(static_cast<std::int64_t>(k))))) {}

  /// Takes in one more l.
  void add() {
    p_sum = p_sum + p_mass_;
    q_sum = q_sum + q_mass_;
    const Interval step = at(Rational::ratio(Integer(static_cast<unsigned long>(k_ - count)),
                                             Integer(static_cast<unsigned long>(count + 1))));
    p_mass_ = p_mass_ * step * shrink_;
    q_mass_ = q_mass_ * step * grow_;
    ++count;
  }

  Interval p_sum = at(0);
  Interval q_sum = at(0);
  std::uint64_t count = 0;

 private:
  std::uint64_t k_;
  Interval shrink_;
  Interval grow_;
  Interval p_mass_;
  Interval q_mass_;
};

/// (1 - delta)^k.
Interval kept(const EpsilonDelta& each, std::uint64_t k) {
  if (each.delta.sign() == 0) return at(1);
  return exp(at(Rational(static_cast<std::int64_t>(k))) * log(at(Rational(1) - each.delta)));
}

// Past this loss e^x leaves MPFR's range. A single outcome, no flips at all, then decides: its mass
// p^k is 1 but for k e^-eps.
const Rational kWholeMax = power_of_two(28);

Interval no_flips(const EpsilonDelta& each, std::uint64_t k) {
  return exp(at(0) - at(Rational(static_cast<std::int64_t>(k))) *
                         log(at(1) + exp(at(0) - at(each.epsilon))));
}

void require(const EpsilonDelta& each, std::uint64_t k) {
  DISCREET_CHECK(k >= 1 && k <= 1'000'000);
  DISCREET_CHECK(each.epsilon.sign() > 0 && each.delta.sign() >= 0 && each.delta < 1);
}

}  // namespace

Bounds optimal_delta(const EpsilonDelta& each, std::uint64_t k, const Rational& epsilon) {
  require(each, k);
  const Rational all(static_cast<std::int64_t>(k));
  if (epsilon >= all * each.epsilon && each.delta.sign() == 0) return {0, 0, kOptimalTheorem};
  if (all * each.epsilon > kWholeMax) {
    if (epsilon >= all * each.epsilon)
      return {0, std::min(1.0, up(at(1) - kept(each, k))), kOptimalTheorem};
    const Interval loss = at(0) - no_flips(each, k) * expm1(at(epsilon - all * each.epsilon));
    return {std::clamp(down(loss), 0.0, 1.0), 1, kOptimalTheorem};
  }
  // Outcomes count while (k - 2l) eps > epsilon.
  const Integer terms = ((all - epsilon / each.epsilon) / Rational(2)).ceil();
  Flips flips(each.epsilon, k);
  for (Integer l = 0; l < terms; ++l) flips.add();
  Interval loss = at(0);
  if (flips.count > 0) loss = flips.p_sum - exp(at(epsilon)) * flips.q_sum;
  const Interval delta = at(1) - kept(each, k) * (at(1) - loss);
  return {std::clamp(down(delta), 0.0, 1.0), std::clamp(up(delta), 0.0, 1.0), kOptimalTheorem};
}

Bounds optimal_epsilon(const EpsilonDelta& each, std::uint64_t k, const Rational& delta) {
  require(each, k);
  DISCREET_CHECK(delta.sign() >= 0 && delta < 1);
  const Interval left_over = kept(each, k);
  if (!certainly_less(at(0), left_over)) return {0, kInfinity, kOptimalTheorem};
  const Interval wanted = at(1) - at(Rational(1) - delta) / left_over;
  if (certainly_less(wanted, at(0))) return {kInfinity, kInfinity, kOptimalTheorem};
  const Rational whole = each.epsilon * Rational(static_cast<std::int64_t>(k));
  if (!certainly_less(at(0), wanted)) {
    // Nothing to spare, for sure or as far as one can tell.
    return {down(at(whole)), each.delta.sign() == 0 ? up(at(whole)) : kInfinity, kOptimalTheorem};
  }
  if (whole > kWholeMax) {
    const Interval left = at(1) - wanted / no_flips(each, k);
    const double lower =
        certainly_less(at(0), left) ? std::max(0.0, down(at(whole) + log(left))) : 0.0;
    return {lower, up(at(whole)), kOptimalTheorem};
  }
  // eps' = max over L of ln((P_L - wanted) / Q_L), with the sums over l < L: each event gives a
  // lower bound, and the best one is exact. The best L is the first at which the sum at eps' = (k -
  // 2L) eps reaches `wanted`.
  Bounds out{0, 0, kOptimalTheorem};
  Flips flips(each.epsilon, k);
  Interval factor = exp(at(whole));
  const Interval shrink = exp(at(0) - at(Rational(2) * each.epsilon));
  while (2 * flips.count <= k) {
    flips.add();
    factor = factor * shrink;
    const Interval reached = flips.p_sum - factor * flips.q_sum;
    if (certainly_less(reached, wanted) && 2 * flips.count < k) continue;
    const Interval left = flips.p_sum - wanted;
    if (certainly_less(at(0), left)) {
      const Interval epsilon = log(left / flips.q_sum);
      out.lower = std::max(out.lower, down(epsilon));
      out.upper = std::max(out.upper, up(epsilon));
    }
    if (certainly_less(wanted, reached)) break;
  }
  return out;
}

}  // namespace discreet::accounting
