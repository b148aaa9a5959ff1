// SPDX-License-Identifier: Apache-2.0
#include "ledger/account.h"

#include <algorithm>

#include "base/check.h"

namespace discreet::ledger {

void Account::Peaks::note(std::size_t block, const Amount& extra) {
  if (block == first_.block) {
    first_.extra = extra;
  } else if (extra > first_.extra) {
    second_ = first_;
    first_ = {block, extra};
  } else if (block == second_.block || extra > second_.extra) {
    second_ = {block, extra};
  }
}

Amount Account::Peaks::bound(Neighbours neighbours) const {
  return neighbours == Neighbours::kAddRemove ? first_.extra
                                              : first_.extra.saturating_plus(second_.extra);
}

Price Account::extra(std::size_t block) const {
  return block < extra_.size() ? extra_[block] : Price();
}

bool Account::admits(const Price& price, Blocks blocks) const {
  Price common = common_;
  Peaks amounts = amounts_;
  Peaks deltas = deltas_;
  if (blocks.empty()) {
    common.amount = common.amount.saturating_plus(price.amount);
    common.delta = common.delta.saturating_plus(price.delta);
  }
  for (const std::size_t block : blocks) {
    const Price before = extra(block);
    amounts.note(block, before.amount.saturating_plus(price.amount));
    deltas.note(block, before.delta.saturating_plus(price.delta));
  }
  return common.amount.plus_fits(amounts.bound(neighbours_), cap_.amount) &&
         common.delta.plus_fits(deltas.bound(neighbours_), cap_.delta);
}

void Account::add(const Price& price, Blocks blocks) {
  DISCREET_CHECK(admits(price, blocks));
  if (blocks.empty()) {
    common_.amount.add(price.amount);
    common_.delta.add(price.delta);
  }
  for (const std::size_t block : blocks) {
    if (block >= extra_.size()) extra_.resize(block + 1);
    extra_[block].amount.add(price.amount);
    extra_[block].delta.add(price.delta);
    amounts_.note(block, extra_[block].amount);
    deltas_.note(block, extra_[block].delta);
  }
}

void Account::raise(const Price& more) {
  cap_.amount.add(more.amount);
  cap_.delta.add(more.delta);
}

void Account::exhaust() {
  lost_ = cap_;
  common_ = cap_;
  extra_.clear();
  amounts_ = {};
  deltas_ = {};
}

Price Account::spent() const {
  return {common_.amount.saturating_plus(amounts_.bound(neighbours_)),
          common_.delta.saturating_plus(deltas_.bound(neighbours_))};
}

Price Account::left() const { return left({}); }

Price Account::left(Blocks blocks) const {
  return {left_of(&Price::amount, blocks), left_of(&Price::delta, blocks)};
}

Amount Account::left_of(Amount Price::* part, Blocks blocks) const {
  if (blocks.empty()) return (cap_.*part).minus_or_zero(spent().*part);
  Amount inside;  // the largest and the second largest extra of the blocks named
  Amount inside2;
  Amount outside;  // the largest of the others
  for (std::size_t block = 0; block < extra_.size(); ++block) {
    const Amount value = extra_[block].*part;
    if (std::find(blocks.begin(), blocks.end(), block) == blocks.end()) {
      outside = std::max(outside, value);
    } else {
      inside2 = std::max(inside2, std::min(inside, value));
      inside = std::max(inside, value);
    }
  }
  const Amount rest = (cap_.*part).minus_or_zero(common_.*part).minus_or_zero(inside);
  if (neighbours_ == Neighbours::kAddRemove) return rest;
  // A pair with one block inside grows by the price, one with two by twice the price.
  const Amount one = rest.minus_or_zero(outside);
  if (blocks.size() == 1) return one;
  return std::min(one, *Amount::from_units(rest.minus_or_zero(inside2).units() / 2));
}

Price Account::spent_on_block(std::size_t block) const {
  const Price own = extra(block);
  return {common_.amount.saturating_plus(own.amount), common_.delta.saturating_plus(own.delta)};
}

}  // namespace discreet::ledger
