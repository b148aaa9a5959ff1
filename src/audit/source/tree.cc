// SPDX-License-Identifier: Apache-2.0
#include "audit/source/tree.h"

#include <algorithm>
#include <memory>

namespace discreet::audit {
namespace {

bool bit_of(Uint128 prefix, int i) { return (prefix >> (127 - i) & 1) == 1; }

/// In T unless unresolved; in U also when unresolved.
bool in_t(int outcome, const std::vector<bool>& in_set) {
  return outcome >= 0 && in_set[static_cast<std::size_t>(outcome)];
}
bool in_u(int outcome, const std::vector<bool>& in_set) {
  return outcome < 0 || in_set[static_cast<std::size_t>(outcome)];
}

}  // namespace

int Outcomes::of(const std::string& text) {
  const auto [at, fresh] = numbers_.emplace(text, static_cast<int>(texts_.size()));
  if (fresh) texts_.push_back(text);
  return at->second;
}

Strategy fair_source() {
  return {"fair", [](Uint128, int) { return 0; }};
}
Strategy steady_source() {
  return {"steady", [](Uint128, int) { return 1; }};
}
Strategy copying_source() {
  return {"copies the last bit", [](Uint128 prefix, int length) {
            if (length == 0) return 0;
            return bit_of(prefix, length - 1) ? 1 : -1;
          }};
}

TapeTree::TapeTree(const std::vector<TapeLeaf>& a, const std::vector<TapeLeaf>& b) {
  std::size_t i = 0;
  std::size_t j = 0;
  build(a, i, b, j, 0, 0);
}

int TapeTree::build(const std::vector<TapeLeaf>& a, std::size_t& i, const std::vector<TapeLeaf>& b,
                    std::size_t& j, Uint128 at, int length) {
  Node node{.a = a[i].outcome, .b = b[j].outcome, .prefix = at, .length = length};
  if (a[i].length > length || b[j].length > length) {
    const Uint128 half = at + (Uint128{1} << (127 - length));
    node.child[0] = build(a, i, b, j, at, length + 1);
    if (i + 1 < a.size() && a[i + 1].at == half) ++i;
    if (j + 1 < b.size() && b[j + 1].at == half) ++j;
    node.child[1] = build(a, i, b, j, half, length + 1);
  }
  nodes_.push_back(node);
  return static_cast<int>(nodes_.size()) - 1;
}

std::vector<int> TapeTree::leans_for(const std::vector<bool>& in_set, double gamma, double lambda,
                                     double& ratio) const {
  std::vector<int> leans(nodes_.size());
  std::vector<double> t(nodes_.size());
  std::vector<double> u(nodes_.size());
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    const Node& node = nodes_[k];
    if (node.child[0] < 0) {
      t[k] = in_t(node.a, in_set) ? 1 : 0;
      u[k] = in_u(node.b, in_set) ? 1 : 0;
      continue;
    }
    const auto zero = static_cast<std::size_t>(node.child[0]);
    const auto one = static_cast<std::size_t>(node.child[1]);
    const double apart = (t[one] - lambda * u[one]) - (t[zero] - lambda * u[zero]);
    leans[k] = apart > 0 ? 1 : -1;
    const double p = (1 + leans[k] * gamma) / 2;
    t[k] = p * t[one] + (1 - p) * t[zero];
    u[k] = p * u[one] + (1 - p) * u[zero];
  }
  ratio = u.back() > 0 ? t.back() / u.back() : 0;
  return leans;
}

TapeTree::Reached TapeTree::evaluate(const std::vector<int>& leans, const std::vector<bool>& in_set,
                                     const Rational& gamma) const {
  // Integers over (2d)^length from the leaves up: gamma = n/d, a bit has (d +- n) / 2d.
  const Integer n = gamma.numerator();
  const Integer d = gamma.denominator();
  struct Sum {
    Integer t, u;
    int depth = 0;  // both are over (2d)^depth
  };
  std::vector<Sum> sums(nodes_.size());
  const auto lift = [&](const Integer& x, int by) {
    Integer factor;
    mpz_pow_ui(factor.get_mpz_t(), Integer(2 * d).get_mpz_t(), static_cast<unsigned long>(by));
    return Integer(x * factor);
  };
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    const Node& node = nodes_[k];
    if (node.child[0] < 0) {
      sums[k] = {in_t(node.a, in_set) ? 1 : 0, in_u(node.b, in_set) ? 1 : 0, 0};
      continue;
    }
    const Sum& zero = sums[static_cast<std::size_t>(node.child[0])];
    const Sum& one = sums[static_cast<std::size_t>(node.child[1])];
    const int depth = std::max(zero.depth, one.depth);
    const Integer p = d + leans[k] * n;
    const Integer r = d - leans[k] * n;
    sums[k] = {Integer(p * lift(one.t, depth - one.depth) + r * lift(zero.t, depth - zero.depth)),
               Integer(p * lift(one.u, depth - one.depth) + r * lift(zero.u, depth - zero.depth)),
               depth + 1};
  }
  const Sum& root = sums.back();
  const Rational over(lift(1, root.depth));
  const Rational t = Rational(root.t) / over;
  const Rational u = Rational(root.u) / over;
  return {u.sign() == 0 ? Rational(0) : t / u, t, u};
}

TapeTree::Reached TapeTree::under(const Strategy& source, const std::vector<bool>& in_set,
                                  const Rational& gamma) const {
  std::vector<int> leans;
  leans.reserve(nodes_.size());
  for (const Node& node : nodes_) leans.push_back(source.lean(node.prefix, node.length));
  return evaluate(leans, in_set, gamma);
}

TapeTree::Reached TapeTree::best(const std::vector<bool>& in_set, const Rational& gamma,
                                 Strategy* found) const {
  const double bend = gamma.to_double(Round::kDown);
  double lambda = 1;
  double ratio = 0;
  std::vector<int> leans = leans_for(in_set, bend, lambda, ratio);
  for (int round = 0; round < 60 && ratio > lambda * (1 + 1e-12); ++round) {
    lambda = ratio;
    leans = leans_for(in_set, bend, lambda, ratio);
  }
  if (found != nullptr) {
    const auto table = std::make_shared<std::map<std::pair<Uint128, int>, int>>();
    for (std::size_t k = 0; k < nodes_.size(); ++k) {
      (*table)[{nodes_[k].prefix, nodes_[k].length}] = leans[k];
    }
    *found = {"best for this set", [table](Uint128 prefix, int length) {
                const auto at = table->find({prefix, length});
                return at == table->end() ? 0 : at->second;
              }};
  }
  return evaluate(leans, in_set, gamma);
}

Rational TapeTree::best_outcome(std::size_t outcomes, const Rational& gamma) const {
  const double bend = gamma.to_double(Round::kDown);
  double most = 0;
  std::vector<bool> chosen;
  for (std::size_t o = 0; o < outcomes; ++o) {
    std::vector<bool> only(outcomes);
    only[o] = true;
    double lambda = 1;
    double ratio = 0;
    leans_for(only, bend, lambda, ratio);
    for (int round = 0; round < 20 && ratio > lambda * (1 + 1e-9); ++round) {
      lambda = ratio;
      leans_for(only, bend, lambda, ratio);
    }
    if (ratio > most) {
      most = ratio;
      chosen = only;
    }
  }
  return chosen.empty() ? Rational(0) : best(chosen, gamma).ratio;
}

}  // namespace discreet::audit
