// SPDX-License-Identifier: Apache-2.0
// How precisely to measure each residual so that a workload of marginals has the least error for
// its price.
//
// Model. Attributes i with n_i >= 2 values. The residual of a set A, measured with noise of
// variance s_A on the cells (mechanism/residual_table.md, in rows), costs rho = p_A m^2 / (2 s_A)
// with
//     p_A = product over i in A of (n_i - 1)/n_i,
// and the cells of the marginal on B, put together from all A within B, have the variance
//     V_B = sum over A within B of s_A p_A / product over j in B but not A of n_j^2.
//
// Theorem 1 (total error). With weights w_B >= 0 let v_A = sum over B containing A of
// w_B (cells of B) p_A / product over j in B - A of n_j^2. Over all s_A > 0 with sum p_A/s_A <= c,
// sum v_A s_A is least, namely (sum of sqrt(v_A p_A))^2 / c, at s_A = sqrt(p_A/v_A) (sum sqrt(v p))
// / c. Proof. Cauchy-Schwarz: sum sqrt(v p) = sum sqrt(v s) sqrt(p/s) <= sqrt(sum v s) sqrt(c),
// with equality where v_A s_A is proportional to p_A/s_A. This is the optimum over all unbiased
// linear Gaussian mechanisms [Xiao-He-Zhang-Kifer 2023]; here only the optimum over residuals is
// claimed, and the closed form is what the test compares with.
//
// Theorem 2 (worst error). max over B of V_B/w_B is, for the best s, the largest over weights l on
// the simplex of the least total under weights l_B/(w_B cells_B); `worst` climbs in l and reports
// the gap between that lower bound and what its s attains.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "numeric/rational.h"

namespace discreet::publish {

using AttributeSet = std::vector<int>;  ///< increasing indices

struct Attribute {
  std::string name;
  std::int64_t values = 2;
};

struct Marginal {
  AttributeSet attributes;
  double weight = 1;  ///< how much an error in each of its cells counts
};

enum class Objective {
  kTotal,  ///< the weighted sum of all cells' variances
  kWorst,  ///< the largest V_B / weight
};

/// Which residual gets which variance, for a whole price of `sum p_A / s_A = 1`.
struct MarginalPlan {
  std::map<AttributeSet, double> variances;  ///< s_A, for the closure of the workload
  double objective = 0;                      ///< of this plan, at price 1
  double bound = 0;                          ///< no plan of residuals is better than this
};

/// p_A, exactly.
Rational precision_cost(const std::vector<Attribute>& attributes, const AttributeSet& set);

/// V_B of a plan at price 1.
double cell_variance(const std::vector<Attribute>& attributes, const MarginalPlan& plan,
                     const AttributeSet& marginal);

/// Fails with: kInvalidInput for no marginals, a set that names an attribute twice or not at all, a
/// marginal that is asked twice, a weight that is not positive and finite, an attribute of fewer
/// than 2 values, a closure of more than 10^6 sets.
Result<MarginalPlan> plan_marginals(const std::vector<Attribute>& attributes,
                                    const std::vector<Marginal>& workload, Objective objective);

}  // namespace discreet::publish
