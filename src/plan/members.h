// SPDX-License-Identifier: Apache-2.0
// Several units on one schema: persons in households (policy::Within). A question about persons'
// rows is charged to both namespaces.
//
// A member table says of each person p, by p's own rows in it, in which household h(p) it is (the
// least value, if p has several; none: p is nobody's, and left out). Of each household the first m
// persons by name count:
//     S(D) = { p : p has a household, and fewer than m persons of it come before p }
// and the question M is asked of D|S(D), the rows of these persons and all public rows.
//
// Theorem. Let the lines of M cost c if one person is added or removed, for all databases. Then M
// on D|S(D) costs
//     group_cost(c, 2) if a person is added or removed,
//     group_cost(c, m) if a household, that is all rows of all its persons, is.
// Proof. Let D' = D without p. Households other than h(p) keep their S. In h(p) the persons before
// p stay counted; p goes; of those behind p at most one comes up: everybody's number falls by one
// at most. So D|S(D) and D'|S(D') differ by p's rows and by one other person's: two steps, each of
// a person that is added or removed, each at cost c. Let D' = D without household h. All persons of
// other households keep their rows, so S changes by h's persons in it, which are at most m.
// group_cost is the theorem on chains of so many neighbours. (Without a household p counts in
// neither.)
//
// A limit is needed because nothing else bounds a household, and the two steps for a person are its
// price: who comes up for p depends on p. A limit that the owner merely declares, without cutting,
// would promise households nothing.
//
// The question's epsilon is what the dearest namespace pays: lines are calibrated to epsilon/k,
// k = max(2, m), and delta likewise (members.cc).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "plan/source.h"
#include "privacy/receipt.h"

namespace discreet::plan {

struct Members {
  std::string table;   ///< which says in which larger unit a unit is
  std::string unit;    ///< its column of the unit
  std::string larger;  ///< its column of the larger unit
  std::int64_t most = 1;
  friend bool operator==(const Members&, const Members&) = default;
};

/// How many smaller units one of them moves; a larger one moves Members::most.
inline constexpr std::int64_t kMovesOfAMember = 2;

/// None where the owner's namespace is within no other.
/// Fails with: kUnsupported for rows of two owners.
Result<std::optional<Members>> members_of(const Owner& owner, const policy::Policy& policy);

/// Adds to those who pay: the larger units, and how many smaller ones each of both moves.
void charge_larger(const Owner& owner, const std::optional<Members>& members, ChargedUnits& units);

/// What is left of a question's offer for the lines, so that nobody pays more than was offered.
struct Offer {
  Epsilon epsilon;
  Delta delta;
};
Result<Offer> offer_of(const Epsilon& epsilon, const Delta& delta,
                       const std::optional<Members>& members);

}  // namespace discreet::plan
