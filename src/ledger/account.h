// SPDX-License-Identifier: Apache-2.0
// An account: a cap, and what was charged against it, for the whole namespace and for its blocks.
//
//   spent(b) = common + extra(b)     common: charges that name no block; they concern everybody
//
// Theorem (proof: ledger.md, "Blocks"). Let every charge's price hold for the namespace's relation
// of neighbours on all its units, and let a charge that names blocks depend on units of those
// blocks only. Then all answers together have the guarantee
//   add or remove one    max over b of spent(b)
//   replace one          common + the two largest extra(b): the unit that leaves and the one that
//                        comes may sit in two blocks, and a charge on everybody covers both at once
// for amounts and deltas each. An account admits a price only while this bound stays within the
// cap.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "ledger/record.h"
#include "privacy/cost.h"

namespace discreet::ledger {

/// Blocks by their number; none: all.
using Blocks = std::span<const std::size_t>;

class Account {
 public:
  Account(const Price& cap, Neighbours neighbours) : cap_(cap), neighbours_(neighbours) {}

  /// Cost: the number of blocks named.
  bool admits(const Price& price, Blocks blocks) const;
  /// Requires: admits(price, blocks).
  void add(const Price& price, Blocks blocks);
  void raise(const Price& more);
  /// From here on everything counts as spent.
  void exhaust();

  const Price& cap() const { return cap_; }
  /// The cap without what exhaust() took: what may ever be spent by charges that are in the history.
  Price owned() const {
    return {cap_.amount.minus_or_zero(lost_.amount), cap_.delta.minus_or_zero(lost_.delta)};
  }
  /// The bound of the theorem.
  Price spent() const;
  /// What is left for charges on everybody.
  Price left() const;
  /// The largest price that these blocks can still pay. Cost: the number of all blocks.
  Price left(Blocks blocks) const;
  Price spent_on_block(std::size_t block) const;

 private:
  /// The two largest extras, each with its block.
  class Peaks {
   public:
    /// Requires: not less than what was noted for the block before.
    void note(std::size_t block, const Amount& extra);
    Amount bound(Neighbours neighbours) const;

   private:
    struct Peak {
      std::size_t block = static_cast<std::size_t>(-1);
      Amount extra;
    };
    Peak first_;
    Peak second_;
  };

  Price extra(std::size_t block) const;
  Amount left_of(Amount Price::* part, Blocks blocks) const;

  Price cap_;
  Price lost_;
  Neighbours neighbours_;
  Price common_;
  std::vector<Price> extra_;  // as long as the highest block that was charged
  Peaks amounts_;
  Peaks deltas_;
};

}  // namespace discreet::ledger
