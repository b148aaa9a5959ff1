// SPDX-License-Identifier: Apache-2.0
// The readable samplers: short enough to be checked by eye against their source, and slow. The fast
// ones are compared with them, exactly, on all tapes.
#pragma once

#include "numeric/rational.h"
#include "privacy/quantity.h"
#include "random/bernoulli.h"
#include "random/bit_source.h"
#include "random/real_coin.h"

namespace discreet::random {

/// Lecture 2's discrete Laplace from coins: B0 says whether the noise is zero, with probability
/// (1-q)/(1+q); else Bf, a fair coin, is its sign, and E+, the waiting time for the first success
/// of coins that succeed with probability 1-q, its size. q = e^(-1/scale).
/// Theorem: Pr[a] = (1-q)/(1+q) q^|a|. Proof: 2q/(1+q) * 1/2 * q^(|a|-1) (1-q) for a != 0.
/// Cost: about `scale` coins.
class ReferenceLaplace {
 public:
  explicit ReferenceLaplace(const Scale& scale) : ReferenceLaplace(Rational(1) / scale.value()) {}

  template <BitSource B>
  Integer draw(B& bits) const {
    if (zero_.flip(bits)) return 0;
    const bool is_negative = bits.take(1) == 1;
    Integer waiting_time = 1;
    while (!success_.flip(bits)) ++waiting_time;
    return is_negative ? Integer(-waiting_time) : waiting_time;
  }

 private:
  explicit ReferenceLaplace(const Rational& epsilon)
      : zero_([epsilon](int precision) {
          // (1-q)/(1+q) = (1-q)/(2 - (1-q)), and 1-q by expm1 keeps its digits when q is near one.
          const Interval success = one_minus_q(epsilon, precision);
          return success / (Interval::around(2, precision) - success);
        }),
        success_([epsilon](int precision) { return one_minus_q(epsilon, precision); }) {}

  static Interval one_minus_q(const Rational& epsilon, int precision) {
    return Interval::around(0, precision) - expm1(Interval::around(-epsilon, precision));
  }

  RealCoin zero_;
  RealCoin success_;
};

/// Bernoulli(e^-x), 0 <= x <= 1, by von Neumann's series from rational coins alone: flip coins of
/// x/1, x/2, x/3, ... until the first tails, at the k-th; heads if k is odd.
/// Theorem: Pr[true] = e^-x. Proof: Pr[more than k heads in a row] = x^k/k!, so Pr[k odd] = (1 - x)
/// + (x^2/2 - x^3/6) + ... [CKS20, Algorithm 1].
template <BitSource B>
bool reference_bernoulli_exp(const Rational& x, B& bits) {
  int k = 1;
  while (bernoulli(x / Rational(k), bits)) ++k;
  return k % 2 == 1;
}

}  // namespace discreet::random
