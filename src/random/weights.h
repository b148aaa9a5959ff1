// SPDX-License-Identifier: Apache-2.0
// Weights of a finite distribution as a rule: ask for any precision and get intervals with integer
// ends that contain them. The tables are built from these, and refined from these.
//
// Law: every function below rounds low ends down and high ends up, so the true value stays inside.
#pragma once

#include <functional>
#include <vector>

#include "numeric/interval.h"

namespace discreet::random {

/// A number x >= 0 with low <= 2^bits x <= high; `bits` is known from the context.
struct FixedInterval {
  Integer low;
  Integer high;
};

/// The weights, at 2^bits; not necessarily adding up to one.
/// Laws: (1) the numbers inside are the same for every `bits`; (2) widths / 2^bits tend to 0.
using WeightRule = std::function<std::vector<FixedInterval>(int bits)>;

/// Requires: x >= 0.
FixedInterval to_fixed(const Interval& x, int bits);
/// e^x. Requires: x <= 0.
FixedInterval fixed_exp(const Rational& x, int bits);
FixedInterval fixed_one(int bits);

FixedInterval sum(const FixedInterval& a, const FixedInterval& b);
/// a - b, or 0 where that is negative. Requires: a >= b as numbers.
FixedInterval difference(const FixedInterval& a, const FixedInterval& b);
FixedInterval product(const FixedInterval& a, const FixedInterval& b, int bits);
FixedInterval twice(const FixedInterval& a);
/// a / b. Requires: b.low > 0.
FixedInterval quotient(const FixedInterval& a, const FixedInterval& b, int bits);

}  // namespace discreet::random
