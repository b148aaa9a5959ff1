// SPDX-License-Identifier: Apache-2.0
#include "ledger/account.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "ledger/ledger_for_tests.h"

namespace discreet::ledger::account_test {
namespace {

using namespace fixture;

constexpr std::size_t kBlocks = 5;

/// The theorem word by word, over a list of all charges, in small integers.
struct Reference {
  struct Paid {
    std::int64_t amount;
    std::vector<std::size_t> blocks;
  };
  Neighbours neighbours;
  std::int64_t cap;
  std::vector<Paid> paid;

  std::int64_t bound() const {
    std::int64_t common = 0;
    std::vector<std::int64_t> extra(kBlocks);
    for (const Paid& one : paid) {
      if (one.blocks.empty()) common += one.amount;
      for (const std::size_t block : one.blocks) extra[block] += one.amount;
    }
    std::int64_t worst = 0;
    for (std::size_t a = 0; a < kBlocks; ++a) {
      worst = std::max(worst, extra[a]);
      for (std::size_t b = 0; b < a && neighbours == Neighbours::kReplaceOne; ++b) {
        worst = std::max(worst, extra[a] + extra[b]);
      }
    }
    return common + worst;
  }
  bool admits(std::int64_t amount, const std::vector<std::size_t>& blocks) const {
    Reference after = *this;
    after.paid.push_back({amount, blocks});
    return after.bound() <= cap;
  }
};

Price units(std::int64_t amount) { return {*Amount::from_units(amount), Amount()}; }

RC_GTEST_PROP(Account, IsTheTheoremOverAnyHistory, ()) {
  const Neighbours neighbours = *rc::gen::element(Neighbours::kAddRemove, Neighbours::kReplaceOne);
  const std::int64_t cap = *rc::gen::inRange<std::int64_t>(1, 200);
  Account account(units(cap), neighbours);
  Reference reference{neighbours, cap, {}};
  const int steps = *rc::gen::inRange(1, 60);
  for (int i = 0; i < steps; ++i) {
    const std::int64_t amount = *rc::gen::inRange<std::int64_t>(0, 12);
    std::vector<std::size_t> blocks;
    const unsigned mask = *rc::gen::inRange(0U, 1U << kBlocks);
    for (std::size_t b = 0; b < kBlocks; ++b) {
      if ((mask >> b) & 1U) blocks.push_back(b);
    }
    const bool admits = reference.admits(amount, blocks);
    RC_ASSERT(account.admits(units(amount), blocks) == admits);
    // What is left is the largest price that fits.
    const auto left = static_cast<std::int64_t>(account.left(blocks).amount.units());
    RC_ASSERT(reference.admits(left, blocks));
    RC_ASSERT(!reference.admits(left + 1, blocks));
    if (!admits) continue;
    account.add(units(amount), blocks);
    reference.paid.push_back({amount, blocks});
    RC_ASSERT(account.spent() == units(reference.bound()));
  }
}

TEST(Account, TenMillionTenthsAreExactlyAMillion) {
  Account account(price("1000000"), Neighbours::kAddRemove);
  const Price tenth = price("0.1");
  for (int i = 0; i < 10'000'000; ++i) account.add(tenth, {});
  EXPECT_EQ(account.spent().amount.to_string(), "1000000");
  EXPECT_EQ(account.left(), Price());
  EXPECT_FALSE(account.admits(price("0.000000000000000001"), {}));
}

TEST(Account, AmountAndDeltaAreBoundedEachForItself) {
  Account account(price("1", "0.1"), Neighbours::kReplaceOne);
  const std::vector<std::size_t> a = {0};
  const std::vector<std::size_t> b = {1};
  const std::vector<std::size_t> c = {2};
  account.add(price("0.6", "0"), a);
  account.add(price("0.4", "0"), b);
  account.add(price("0", "0.1"), c);
  EXPECT_EQ(account.spent(), price("1", "0.1"));
  EXPECT_FALSE(account.admits(price("0.000000000000000001"), a));
  EXPECT_TRUE(account.admits(price("0.4"), c));  // another pair, not a third
  EXPECT_FALSE(account.admits(price("0", "0.000000000000000001"), a));
}

TEST(Account, AChargeOnEverybodyCoversAReplacementOnce) {
  Account account(price("1"), Neighbours::kReplaceOne);
  account.add(price("1"), {});
  EXPECT_EQ(account.spent(), price("1"));
}

TEST(Account, AfterARecoveryOnlyATopUpGivesBudget) {
  Account account(price("1", "0.1"), Neighbours::kAddRemove);
  const std::vector<std::size_t> one = {3};
  account.add(price("0.3"), one);
  account.exhaust();
  EXPECT_EQ(account.left(one), Price());
  EXPECT_FALSE(account.admits(price("0.1"), one));
  account.raise(price("0.25"));
  EXPECT_EQ(account.left(one), price("0.25"));
  EXPECT_EQ(account.left(), price("0.25"));
  account.add(price("0.25"), {});
  EXPECT_EQ(account.spent(), account.cap());
}

TEST(Account, PricesBeyondAllBoundsAreRefusedNotWrapped) {
  Account account(price("1099511627776"), Neighbours::kReplaceOne);
  const Price largest{*Amount::from_units(kInt128Max), *Amount::from_units(kInt128Max)};
  const std::vector<std::size_t> both = {0, 1};
  EXPECT_FALSE(account.admits(largest, {}));
  EXPECT_FALSE(account.admits(largest, both));
  account.add(price("1"), both);
  EXPECT_FALSE(account.admits(largest, both));
}

}  // namespace
}  // namespace discreet::ledger::account_test
