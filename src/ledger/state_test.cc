// SPDX-License-Identifier: Apache-2.0
#include "ledger/state.h"

#include <gtest/gtest.h>

#include <functional>

#include "ledger/ledger_for_tests.h"

namespace discreet::ledger::state_test {
namespace {

using namespace fixture;

/// Writes a history by hand.
class Writer {
 public:
  Writer() : key_(*OwnerKey::generate()) {
    Record created;
    created.detail = to_detail(LedgerTerms{.id = "test", .owner = key_.public_key()});
    EXPECT_TRUE(add(created));
  }
  Result<void> add(Record record) { return state.apply(sealed(std::move(record))); }
  Record sealed(Record record) const {
    record.sequence = state.next();
    record.hash = chain(state.hash(), record);
    if (is_signed(record.kind)) record.signature = key_.sign(bytes_of(record.hash));
    return record;
  }
  Record record(Kind kind, const Price& amount = {}, const std::string& analyst = "ann") const {
    Record out;
    out.kind = kind;
    out.time_ms = state.time_ms();
    out.units = "patients";
    out.analyst = analyst;
    out.price = amount;
    return out;
  }
  void declare(NamespaceTerms terms) {
    terms.name = "patients";
    Record space = record(Kind::kNamespace, terms.cap, "");
    space.detail = to_detail(terms);
    EXPECT_TRUE(add(space));
    EXPECT_TRUE(add(record(Kind::kAnalyst, terms.cap)));
  }
  const NamespaceState& space() const { return **state.find("patients"); }

  State state;

 private:
  OwnerKey key_;
};

TEST(State, AHundredThousandTenthsAreExactlyTenThousand) {
  Writer writer;
  writer.declare({.cap = price("10000")});
  const Record tenth = writer.record(Kind::kCharge, price("0.1"));
  for (int i = 0; i < 100'000; ++i) ASSERT_TRUE(writer.add(tenth));
  EXPECT_EQ(writer.space().total.spent(), price("10000"));
  const auto refused = writer.add(writer.record(Kind::kCharge, price("1e-18")));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kCorrupt);
  EXPECT_EQ(writer.space().charges, 100'000u);
}

TEST(State, WhatItExtendsItselfByOthersAccept) {
  Writer writer;
  writer.declare({.cap = price("1")});
  State reader = writer.state;
  Record record = writer.record(Kind::kCharge, price("1"));
  ASSERT_TRUE(writer.state.extend(record));
  EXPECT_EQ(record.hash, writer.state.hash());
  EXPECT_TRUE(reader.apply(record));
  EXPECT_EQ(reader.hash(), writer.state.hash());
  // What they do not accept it does not take either, and stays as it was.
  for (const auto& [changed, kind] : {std::pair{"the price", Kind::kCharge},
                                      {"the time", Kind::kAnswer},
                                      {"the analyst", Kind::kAnswer}}) {
    Record bad = writer.record(kind, price(kind == Kind::kCharge ? "1e-18" : "0"));
    if (changed == std::string("the time")) bad.time_ms -= 1;
    if (changed == std::string("the analyst")) bad.analyst = "nobody";
    EXPECT_FALSE(reader.apply(writer.sealed(bad))) << changed;
    EXPECT_FALSE(writer.state.extend(bad)) << changed;
    EXPECT_EQ(writer.state.hash(), record.hash) << changed;
  }
  Record first = writer.record(Kind::kCharge);
  EXPECT_FALSE(State().extend(first));
}

TEST(State, ARecordThatCannotBeIsRefusedAndChangesNothing) {
  Writer writer;
  writer.declare({.cap = price("1", "1e-6"), .block_attribute = "year"});
  ASSERT_TRUE(writer.add([&] {
    Record block = writer.record(Kind::kBlock);
    block.blocks = "2022";
    return block;
  }()));
  using Change = std::function<Record()>;
  const auto with = [&](Kind kind, const Price& amount,
                        const std::function<void(Record&)>& change) {
    return [&writer, kind, amount, change] {
      Record record = writer.record(kind, amount);
      change(record);
      return record;
    };
  };
  const std::vector<std::pair<const char*, Change>> cases = {
      {"overspent", with(Kind::kCharge, price("1.1"), [](Record&) {})},
      {"delta overspent", with(Kind::kCharge, price("0", "2e-6"), [](Record&) {})},
      {"no namespace", with(Kind::kCharge, price("1"), [](Record& r) { r.units = "x"; })},
      {"no analyst", with(Kind::kCharge, price("1"), [](Record& r) { r.analyst = "x"; })},
      {"no block", with(Kind::kCharge, price("1"), [](Record& r) { r.blocks = "4:2023"; })},
      {"bad blocks", with(Kind::kCharge, price("1"), [](Record& r) { r.blocks = "2022"; })},
      {"share overspent", with(Kind::kShare, price("1.1"), [](Record&) {})},
      {"answer to the future", with(Kind::kAnswer, {}, [](Record& r) { r.about = 99; })},
      {"back in time", with(Kind::kCharge, price("1"), [](Record& r) { r.time_ms = -1; })},
      {"a second creation", with(Kind::kCreated, {}, [](Record&) {})},
      {"block twice", with(Kind::kBlock, {}, [](Record& r) { r.blocks = "2022"; })},
      {"analyst twice", with(Kind::kAnalyst, price("1"), [](Record&) {})},
      {"analyst without cap", with(Kind::kAnalyst, {}, [](Record& r) { r.analyst = "x"; })},
      {"top-up of nobody", with(Kind::kTopUp, price("1"), [](Record& r) { r.analyst = "x"; })},
      {"top-up by nothing", with(Kind::kTopUp, {}, [](Record&) {})},
      {"huge top-up", with(Kind::kTopUp, price("1099511627776"), [](Record&) {})},
      {"namespace twice", with(Kind::kNamespace, price("1"),
                               [](Record& r) { r.detail = to_detail(NamespaceTerms{}); })},
  };
  const Hash before = writer.state.hash();
  for (const auto& [name, make] : cases) {
    const auto refused = writer.add(make());
    ASSERT_FALSE(refused) << name;
    EXPECT_EQ(refused.error().code, Code::kCorrupt) << name;
    EXPECT_NE(refused.error().message.find("record 4"), std::string::npos)
        << name << ": " << refused.error().message;
    EXPECT_EQ(writer.state.hash(), before);
    EXPECT_EQ(writer.space().total.spent(), Price());
  }
  EXPECT_TRUE(writer.add(writer.record(Kind::kCharge, price("1", "1e-6"))));
}

TEST(State, OnlyTheChainAndTheSignatureLetARecordIn) {
  Writer writer;
  writer.declare({.cap = price("1")});
  Writer stranger;
  Record forged = writer.record(Kind::kTopUp, price("1"), "");
  forged.sequence = writer.state.next();
  forged.hash = chain(writer.state.hash(), forged);
  EXPECT_FALSE(writer.state.apply(forged));
  forged.signature = stranger.sealed(forged).signature;
  EXPECT_FALSE(writer.state.apply(forged));
  Record skipped = writer.sealed(writer.record(Kind::kCharge, price("0.1")));
  skipped.sequence += 1;
  EXPECT_FALSE(writer.state.apply(skipped));
  Record edited = writer.sealed(writer.record(Kind::kCharge, price("0.1")));
  edited.price = price("0.01");
  EXPECT_FALSE(writer.state.apply(edited));
  Record first = writer.sealed(writer.record(Kind::kCharge, price("0.1")));
  State empty;
  EXPECT_FALSE(empty.apply(first));
}

TEST(State, ARecoverySpendsEverythingOfEverybody) {
  Writer writer;
  writer.declare({.cap = price("1", "1e-6")});
  ASSERT_TRUE(writer.add(writer.record(Kind::kRecovery)));
  EXPECT_EQ(writer.space().total.left(), Price());
  EXPECT_EQ((*writer.space().analyst("ann"))->left(), Price());
  EXPECT_EQ(writer.state.recoveries(), 1u);
}

/// All that a state shows.
std::string shown(const State& state) {
  const NamespaceState& space = **state.find("patients");
  std::string text = std::to_string(state.next()) + " " + std::string(bytes_of(state.hash())) +
                     " " + std::to_string(state.time_ms()) + " " + std::to_string(state.charges()) +
                     " " + std::to_string(space.charges) + " " + std::to_string(space.shares) +
                     " " + std::to_string(space.answers);
  for (const Account* account : {&space.total, *space.analyst("ann")}) {
    text += " " + account->spent().amount.to_string() + " " + account->spent().delta.to_string();
    for (std::size_t block = 0; block < space.blocks.size(); ++block) {
      text += " " + account->spent_on_block(block).amount.to_string();
    }
  }
  return text;
}

TEST(State, PaymentsThatWereTriedAreUndone) {
  Writer writer;
  writer.declare({.cap = price("10", "1e-3"), .block_attribute = "year"});
  for (const char* block : {"2024", "2025"}) {
    Record declared = writer.record(Kind::kBlock, {}, "");
    declared.blocks = block;
    ASSERT_TRUE(writer.add(declared));
  }
  const auto pay = [&](Kind kind, const char* blocks) {
    Record record = writer.record(kind, price("1", "1e-4"));
    if (*blocks != '\0') record.blocks = join_names({blocks});
    record.time_ms += 5;
    record.about = kind == Kind::kCharge ? 0 : writer.state.sequence();
    return writer.add(record);
  };
  ASSERT_TRUE(pay(Kind::kCharge, "2024"));
  const std::string before = shown(writer.state);
  for (int round = 0; round < 2; ++round) {
    writer.state.try_payments();
    EXPECT_TRUE(pay(Kind::kAlsoCharge, "2025"));  // the charge before may be joined
    EXPECT_TRUE(pay(Kind::kCharge, ""));
    EXPECT_TRUE(pay(Kind::kAnswer, ""));
    EXPECT_TRUE(pay(Kind::kShare, "2024"));
    EXPECT_TRUE(pay(Kind::kCharge, "2024"));
    EXPECT_FALSE(writer.add(writer.record(Kind::kTopUp, price("1"))));  // the owner's are not tried
    EXPECT_NE(shown(writer.state), before);
    writer.state.undo();
    EXPECT_EQ(shown(writer.state), before);
  }
  // As if nothing had been: the same payments once more, kept.
  writer.state.try_payments();
  EXPECT_TRUE(pay(Kind::kAlsoCharge, "2025"));
  writer.state.keep();
  EXPECT_TRUE(writer.add(writer.record(Kind::kTopUp, price("1"))));
  EXPECT_EQ(writer.space().total.spent_on_block(1).amount, price("1").amount);
}

TEST(State, AnUpgradeTouchesNoAccountAndNeverGoesBack) {
  Writer writer;
  writer.declare({.cap = price("10")});
  ASSERT_TRUE(writer.add(writer.record(Kind::kCharge, price("1"))));
  const auto upgraded = [&](int from, int to) {
    Record record = writer.record(Kind::kUpgraded, {}, "");
    record.units.clear();
    record.detail = to_detail(UpgradeTerms{.from = from, .to = to, .program = "0.9.0"});
    return record;
  };
  const std::string before = shown(writer.state);
  Record priced = upgraded(4, 6);
  priced.price = price("1");
  Record of_an_analyst = upgraded(4, 6);
  of_an_analyst.analyst = "ann";
  Record misspelt = upgraded(4, 6);
  misspelt.detail += "cap 100\n";
  for (const Record& wrong :
       {priced, of_an_analyst, misspelt, upgraded(6, 6), upgraded(6, 4), upgraded(0, 6)}) {
    EXPECT_EQ(writer.add(wrong).error().code, Code::kCorrupt);
  }
  Record unsigned_one = writer.sealed(upgraded(4, 6));
  unsigned_one.signature.clear();
  EXPECT_FALSE(writer.state.apply(unsigned_one));
  EXPECT_EQ(writer.add(upgraded(6, 7)).error().code, Code::kUnsupported);
  EXPECT_EQ(shown(writer.state), before);
  ASSERT_TRUE(writer.add(upgraded(4, 6)));
  EXPECT_EQ(writer.space().total.spent(), price("1"));
  EXPECT_EQ(writer.space().total.cap(), price("10"));
  EXPECT_EQ(writer.state.upgraded_to(), 6);
  EXPECT_FALSE(writer.add(upgraded(4, 5)));
}

TEST(State, ARecordOfAnUnknownKindIsRefusedByName) {
  Writer writer;
  Record record;
  record.kind = static_cast<Kind>(14);
  record.sequence = 1;
  const auto refused = writer.state.apply(record);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kUnsupported);
  EXPECT_NE(refused.error().message.find("record 1 is of kind 14"), std::string::npos);
}

}  // namespace
}  // namespace discreet::ledger::state_test
