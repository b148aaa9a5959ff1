// SPDX-License-Identifier: Apache-2.0
#include "publish/marginals.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace discreet::publish {
namespace {

constexpr std::size_t kAttributesMax = 20;  // of one marginal
constexpr std::size_t kClosureMax = 1'000'000;
constexpr int kClimbs = 2'000;

double size_of(const Attribute& attribute) { return static_cast<double>(attribute.values); }

double cost_of(const std::vector<Attribute>& attributes, const AttributeSet& set) {
  double cost = 1;
  for (const int i : set) {
    const double n = size_of(attributes[static_cast<std::size_t>(i)]);
    cost *= (n - 1) / n;
  }
  return cost;
}

double cell_count(const std::vector<Attribute>& attributes, const AttributeSet& set) {
  double cells = 1;
  for (const int i : set) cells *= size_of(attributes[static_cast<std::size_t>(i)]);
  return cells;
}

// Every subset A of B, with s_A's factor in V_B.
template <class F>
void for_each_subset(const std::vector<Attribute>& attributes, const AttributeSet& marginal, F f) {
  const std::size_t subsets = std::size_t{1} << marginal.size();
  for (std::size_t mask = 0; mask < subsets; ++mask) {
    AttributeSet set;
    double factor = 1;
    for (std::size_t bit = 0; bit < marginal.size(); ++bit) {
      const double n = size_of(attributes[static_cast<std::size_t>(marginal[bit])]);
      if (mask >> bit & 1) {
        set.push_back(marginal[bit]);
        factor *= (n - 1) / n;
      } else {
        factor /= n * n;
      }
    }
    f(std::move(set), factor);
  }
}

// The workload as numbers: which residuals each marginal is made of.
struct Closure {
  std::vector<AttributeSet> sets;
  std::vector<double> costs;                                         // p_A
  std::vector<std::vector<std::pair<std::size_t, double>>> factors;  // for each marginal
};

Closure closure_of(const std::vector<Attribute>& attributes,
                   const std::vector<Marginal>& workload) {
  Closure closure;
  std::map<AttributeSet, std::size_t> places;
  for (const Marginal& marginal : workload) {
    auto& factors = closure.factors.emplace_back();
    for_each_subset(attributes, marginal.attributes, [&](AttributeSet set, double factor) {
      const auto [at, is_new] = places.emplace(set, closure.sets.size());
      if (is_new) {
        closure.costs.push_back(cost_of(attributes, set));
        closure.sets.push_back(std::move(set));
      }
      factors.emplace_back(at->second, factor);
    });
  }
  return closure;
}

// Theorem 1 at c = 1, for weights of V_B.
struct Least {
  std::vector<double> variances;
  double total = 0;
};

Least least_total(const Closure& closure, const std::vector<double>& weights) {
  std::vector<double> v(closure.sets.size(), 0);
  for (std::size_t b = 0; b < weights.size(); ++b) {
    for (const auto& [a, factor] : closure.factors[b]) v[a] += weights[b] * factor;
  }
  double root = 0;
  for (std::size_t a = 0; a < v.size(); ++a) root += std::sqrt(v[a] * closure.costs[a]);
  Least least{std::vector<double>(v.size()), root * root};
  for (std::size_t a = 0; a < v.size(); ++a) {
    least.variances[a] = std::sqrt(closure.costs[a] / v[a]) * root;
  }
  return least;
}

double variance_of(const Closure& closure, std::size_t marginal, const std::vector<double>& s) {
  double variance = 0;
  for (const auto& [a, factor] : closure.factors[marginal]) variance += s[a] * factor;
  return variance;
}

MarginalPlan plan_of(const Closure& closure, const std::vector<double>& variances) {
  MarginalPlan plan;
  for (std::size_t a = 0; a < closure.sets.size(); ++a) {
    plan.variances.emplace(closure.sets[a], variances[a]);
  }
  return plan;
}

MarginalPlan total(const Closure& closure, const std::vector<Attribute>& attributes,
                   const std::vector<Marginal>& workload) {
  std::vector<double> weights;
  for (const Marginal& marginal : workload) {
    weights.push_back(marginal.weight * cell_count(attributes, marginal.attributes));
  }
  const Least least = least_total(closure, weights);
  MarginalPlan plan = plan_of(closure, least.variances);
  for (std::size_t b = 0; b < weights.size(); ++b) {
    plan.objective += weights[b] * variance_of(closure, b, least.variances);
  }
  plan.bound = least.total;
  return plan;
}

// Theorem 2: multiplicative weights on l. Every l gives a lower bound, every s an upper one.
MarginalPlan worst(const Closure& closure, const std::vector<Marginal>& workload) {
  const std::size_t n = workload.size();
  std::vector<double> l(n, 1.0 / static_cast<double>(n));
  std::vector<double> weights(n);
  MarginalPlan best;
  best.objective = HUGE_VAL;
  std::vector<double> best_variances;
  for (int climb = 0; climb < kClimbs; ++climb) {
    for (std::size_t b = 0; b < n; ++b) weights[b] = l[b] / workload[b].weight;
    const Least least = least_total(closure, weights);
    best.bound = std::max(best.bound, least.total);
    double largest = 0;
    double sum = 0;
    for (std::size_t b = 0; b < n; ++b) {
      const double at = variance_of(closure, b, least.variances) / workload[b].weight;
      largest = std::max(largest, at);
      l[b] *= std::sqrt(at);  // at = the derivative of the bound in l_b: a fixed point of l_b at_b
      sum += l[b];
    }
    for (double& each : l) each = std::max(each / sum, 1e-12);
    if (largest < best.objective) {
      best.objective = largest;
      best_variances = least.variances;
    }
    if (best.objective <= best.bound * (1 + 1e-6)) break;
  }
  MarginalPlan plan = plan_of(closure, best_variances);
  plan.objective = best.objective;
  plan.bound = best.bound;
  return plan;
}

Result<void> check(const std::vector<Attribute>& attributes,
                   const std::vector<Marginal>& workload) {
  if (workload.empty())
    return invalid_input("the workload asks for nothing; name at least one table");
  for (const Attribute& attribute : attributes) {
    if (attribute.values < 2) {
      return invalid_input("attribute " + in_quotes(attribute.name) +
                           " needs at least two values; leave it out");
    }
  }
  std::set<AttributeSet> seen;
  std::size_t closure = 0;
  for (const Marginal& marginal : workload) {
    const AttributeSet& set = marginal.attributes;
    for (std::size_t i = 0; i < set.size(); ++i) {
      const bool known = set[i] >= 0 && static_cast<std::size_t>(set[i]) < attributes.size();
      if (!known || (i > 0 && set[i] <= set[i - 1])) {
        return invalid_input("a table names each of its attributes once, in increasing order");
      }
    }
    if (set.size() > kAttributesMax) {
      return invalid_input("a table of more than 20 attributes; ask for smaller ones");
    }
    if (!(marginal.weight > 0) || !std::isfinite(marginal.weight)) {
      return invalid_input("a table's weight must be positive");
    }
    if (!seen.insert(set).second) {
      return invalid_input(
          "the workload asks for one table twice; give it a larger weight instead");
    }
    closure += std::size_t{1} << set.size();
    if (closure > kClosureMax) {
      return invalid_input("the workload's tables have more than 1000000 subsets; ask for fewer");
    }
  }
  return {};
}

}  // namespace

Rational precision_cost(const std::vector<Attribute>& attributes, const AttributeSet& set) {
  Rational cost(1);
  for (const int i : set) {
    const std::int64_t n = attributes[static_cast<std::size_t>(i)].values;
    cost = cost * Rational::ratio(n - 1, n);
  }
  return cost;
}

double cell_variance(const std::vector<Attribute>& attributes, const MarginalPlan& plan,
                     const AttributeSet& marginal) {
  double variance = 0;
  for_each_subset(attributes, marginal, [&](const AttributeSet& set, double factor) {
    variance += plan.variances.at(set) * factor;
  });
  return variance;
}

Result<MarginalPlan> plan_marginals(const std::vector<Attribute>& attributes,
                                    const std::vector<Marginal>& workload, Objective objective) {
  DISCREET_TRY(check(attributes, workload));
  const Closure closure = closure_of(attributes, workload);
  return objective == Objective::kTotal ? total(closure, attributes, workload)
                                        : worst(closure, workload);
}

}  // namespace discreet::publish
