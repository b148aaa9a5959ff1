// SPDX-License-Identifier: Apache-2.0
// The tree of all tapes of one mechanism on two neighbours, and what a Santha-Vazirani source can
// make of it. Where a tape did not end within the depth, the tree counts it against the source: so
// a ratio that is reached here is reached, whatever happens deeper.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "audit/walk.h"
#include "mechanism/door.h"
#include "mechanism/sv_certificate.h"

namespace discreet::audit {

/// A run: it read `length` bits, the first bits of `at`, and ended in `outcome`; -1 if it did not.
struct TapeLeaf {
  Uint128 at = 0;
  int length = 0;
  int outcome = -1;
};

/// Numbers for outcomes, by what they print as.
class Outcomes {
 public:
  int of(const std::string& text);
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::map<std::string, int> numbers_;
  std::vector<std::string> texts_;
};

/// Which way a source leans after the first `length` bits of `prefix`: -1 towards 0, 1 towards 1, 0
/// not at all.
using Lean = std::function<int(Uint128 prefix, int length)>;

struct Strategy {
  std::string name;
  Lean lean;
};

/// Sources that know nothing of the mechanism.
Strategy fair_source();
Strategy steady_source();   ///< always towards 1
Strategy copying_source();  ///< towards the bit before

class TapeTree {
 public:
  /// From all runs on both neighbours, each in the order of the tapes.
  TapeTree(const std::vector<TapeLeaf>& a, const std::vector<TapeLeaf>& b);

  struct Reached {
    Rational ratio;  ///< Pr[M(D) in S] / Pr[M(D') in S], at least
    Rational t, u;   ///< the two, unresolved tapes counted against the source
  };

  /// What one given source reaches. `in_set[o]` says whether outcome o is in S.
  Reached under(const Strategy& source, const std::vector<bool>& in_set,
                const Rational& gamma) const;
  /// What the best source for S reaches: by dynamic programming, then exactly.
  Reached best(const std::vector<bool>& in_set, const Rational& gamma,
               Strategy* found = nullptr) const;
  /// The single outcome, and direction, that a source can make the most of.
  Rational best_outcome(std::size_t outcomes, const Rational& gamma) const;

  std::size_t size() const { return nodes_.size(); }

 private:
  struct Node {
    int child[2] = {-1, -1};
    int a = -1;
    int b = -1;
    Uint128 prefix = 0;
    int length = 0;
  };
  int build(const std::vector<TapeLeaf>& a, std::size_t& i, const std::vector<TapeLeaf>& b,
            std::size_t& j, Uint128 at, int length);
  /// Leans for each node, best for t - lambda u.
  std::vector<int> leans_for(const std::vector<bool>& in_set, double gamma, double lambda,
                             double& ratio) const;
  Reached evaluate(const std::vector<int>& leans, const std::vector<bool>& in_set,
                   const Rational& gamma) const;

  std::vector<Node> nodes_;  // children before parents; the last is the root
};

/// All runs of `mechanism` on `input`, to the depth.
template <int kWidth, class M>
std::vector<TapeLeaf> tape_leaves(const M& mechanism, const typename M::Input& input, int depth,
                                  Outcomes& outcomes) {
  const Sensitive<typename M::Input> sealed{typename M::Input(input)};
  std::vector<TapeLeaf> leaves;
  Walk({.depth = depth})
      .template each<kWidth>(
          [&](Tape<kWidth>& tape) {
            return M::describe(mechanism::Door::replay(mechanism, sealed, tape).outcome());
          },
          [&](Uint128 at, int used, const std::optional<std::string>& text) {
            leaves.push_back({at, used, text ? outcomes.of(*text) : -1});
            return true;
          });
  return leaves;
}

}  // namespace discreet::audit
