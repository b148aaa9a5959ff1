// SPDX-License-Identifier: Apache-2.0
// Charges that several namespaces pay: each its own price, all of them or none (L8).
#include <gtest/gtest.h>

#include <random>

#include "ledger/ledger_for_tests.h"

namespace discreet::ledger::also_test {
namespace {

using namespace fixture;
using fixture::Ask;

/// Persons pay for two units that move, households for `members`.
Charge both(const Ask& what, std::int64_t members = 3) {
  ChargedUnits persons{.name = "patients", .blocks = {}, .moves = 2};
  persons.also = {{.name = "households", .blocks = {}, .moves = members}};
  return ChargeForTests::make(persons, what.lines, Hash{1, 2, 3}, what.id);
}

class Also : public ::testing::Test {
 protected:
  void SetUp() override { begin("10"); }
  void begin(const char* households) {
    ledger = home.create();
    ASSERT_TRUE(ledger->add_namespace(
        {.name = "households",
         .cap = price(households, "1e-6"),
         .analysts = {{"ann", price(households, "1e-6")}, {"press", price("2", "1e-6")}}}));
  }
  Result<Outcome> ask_both(const Ask& what, std::int64_t members = 3) {
    return ledger->charge(both(what, members), what.question());
  }
  std::string spent_by(const std::string& analyst) {
    return spent(*ledger, analyst) + ", " + spent(*ledger, analyst, "households");
  }

  Home home;
  std::unique_ptr<Ledger> ledger;
};

TEST_F(Also, EachPaysItsOwnPriceInOneEntry) {
  const Ask what{.lines = {line("0.25")}};
  const auto quote = ledger->quote(both(what), what.question());
  ASSERT_TRUE(quote);
  ASSERT_EQ(quote->also.size(), 1U);
  EXPECT_EQ(quote->also[0].units, "households");
  EXPECT_EQ(quote->also[0].price, price("0.75"));
  EXPECT_EQ(quote->price, price("0.5"));
  EXPECT_TRUE(quote->fits);

  auto outcome = ask_both(what);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(spent_by("ann"), "0.5 0.5, 0.75 0.75");
  Paid paid = std::get<Paid>(std::move(*outcome));
  EXPECT_EQ(paid.receipts.size(), 1U);  // one release, whoever pays
  EXPECT_EQ(paid.receipts[0].cost(), what.lines[0].cost);
  ASSERT_TRUE(ledger->store(std::move(paid), "42"));

  // A repeat is free for both; another analyst's own caps pay in both.
  EXPECT_EQ(std::get<Answer>(*ask_both(what)).bytes(), "42");
  EXPECT_EQ(spent_by("ann"), "0.5 0.5, 0.75 0.75");
  EXPECT_EQ(std::get<Answer>(*ask_both({.analyst = "press", .lines = what.lines})).bytes(), "42");
  EXPECT_EQ(spent_by("press"), "0.5 0.5, 0.75 0.75");

  std::vector<Kind> kinds;
  ASSERT_TRUE(ledger->history([&](const Record& record) -> Result<void> {
    if (!is_signed(record.kind)) kinds.push_back(record.kind);
    return {};
  }));
  EXPECT_EQ(kinds, (std::vector{Kind::kCharge, Kind::kAlsoCharge, Kind::kAnswer, Kind::kShare,
                                Kind::kAlsoShare}));
  EXPECT_EQ(ledger->state()->charges(), 2U);
  ledger.reset();
  ledger = home.open();
  EXPECT_TRUE(ledger->verify());
  EXPECT_EQ(spent_by("ann"), "0.5 0.5, 0.75 0.75");
}

TEST_F(Also, WhereOneCannotPayNobodyDoes) {
  const Ask dear{.lines = {line("0.8")}};  // press: 1.6 of 1, and 2.4 of 2
  const auto first = ask_both({.analyst = "press", .lines = dear.lines});
  EXPECT_EQ(first.error().code, Code::kBudget);
  const Ask second{.analyst = "press", .lines = {line("0.5")}};  // 1 of 1, but 3 of 2
  const auto refused = ask_both(second, 6);
  ASSERT_EQ(refused.error().code, Code::kBudget);
  EXPECT_NE(refused.error().message.find("'press' in namespace 'households'"), std::string::npos)
      << refused.error().message;
  EXPECT_FALSE(ledger->quote(both(second, 6), second.question())->fits);
  // The total of the second namespace; an analyst that it does not have; the same one twice.
  const auto total = ask_both({.lines = {line("0.01")}}, 1001);
  ASSERT_EQ(total.error().code, Code::kBudget);
  EXPECT_NE(total.error().message.find("namespace 'households'"), std::string::npos);
  ASSERT_TRUE(ledger->add_analyst("patients", {"eve", price("1")}));
  EXPECT_EQ(ask_both({.analyst = "eve"}).error().code, Code::kNotFound);
  ChargedUnits persons{.name = "patients", .blocks = {}};
  ChargedUnits same = persons;
  same.also = {persons};
  const Charge twice = ChargeForTests::make(same, {line("0.1")}, Hash{}, "twice");
  EXPECT_EQ(ledger->charge(twice, second.question()).error().code, Code::kInvalidInput);
  EXPECT_EQ(spent_by("ann"), "0 0, 0 0");
  EXPECT_EQ(spent_by("press"), "0 0, 0 0");
  EXPECT_EQ(ledger->state()->charges(), 0U);
}

TEST_F(Also, ARecordThatJoinsNothingIsRefusedByTheFold) {
  ASSERT_TRUE(ask_both({.lines = {line("0.25")}}));
  std::vector<Record> history;
  ASSERT_TRUE(ledger->history([&](const Record& record) -> Result<void> {
    history.push_back(record);
    return {};
  }));
  const Record also = history.back();
  ASSERT_EQ(also.kind, Kind::kAlsoCharge);
  State before;
  for (std::size_t i = 0; i + 2 < history.size(); ++i) ASSERT_TRUE(before.apply(history[i]));
  const auto tried = [&](State state, Record record, bool behind_its_charge) {
    if (behind_its_charge) {
      EXPECT_TRUE(state.apply(history[history.size() - 2]));
    }
    record.sequence = state.next();
    record.hash = chain(state.hash(), record);
    return state.apply(record).has_value();
  };
  EXPECT_TRUE(tried(before, also, true));
  EXPECT_FALSE(tried(before, also, false));
  Record other = also;
  other.about = also.about - 1;
  EXPECT_FALSE(tried(before, other, true));
  other = also;
  other.kind = Kind::kAlsoShare;  // would spare the total
  EXPECT_FALSE(tried(before, other, true));
  other = also;
  other.price = price("100");
  EXPECT_FALSE(tried(before, other, true));
  // A history that is cut off between the two is older than its witness.
  ledger.reset();
  history.pop_back();
  if (is_postgres(home.path)) {
    put_into_database(home, history);
  } else {
    home.sql("DELETE FROM records WHERE sequence = " + std::to_string(also.sequence));
  }
  EXPECT_NE(home.why_not().find("witness"), std::string::npos);
}

// Random charges against plain sums: caps hold in both, and both move together.
TEST_F(Also, RandomHistoriesNeverPassACapAndMoveBothOrNeither) {
  std::mt19937 random(20261116);
  std::map<std::string, std::pair<Rational, Rational>> own;
  Rational persons = 0;
  Rational households = 0;
  int admitted = 0;
  for (int i = 0; i < 120; ++i) {
    const std::string analyst = random() % 2 == 0 ? "ann" : "press";
    const Rational epsilon = Rational::ratio(static_cast<int>(1 + random() % 20), 100);
    const auto members = static_cast<std::int64_t>(1 + random() % 5);
    const Ask what{.analyst = analyst,
                   .id = "request " + std::to_string(i),
                   .key = "question " + std::to_string(i),
                   .lines = {line(epsilon.to_string().c_str())}};
    auto& [a, b] = own[analyst];
    const Rational p = epsilon * Rational(2);
    const Rational h = epsilon * Rational(members);
    const bool fits = a + p <= Rational(analyst == "ann" ? 2 : 1) && persons + p <= Rational(10) &&
                      b + h <= Rational(analyst == "ann" ? 10 : 2) &&
                      households + h <= Rational(10);
    const auto outcome = ask_both(what, members);
    ASSERT_EQ(outcome.has_value(), fits) << i;
    if (!fits) continue;
    ++admitted;
    a = a + p;
    persons = persons + p;
    b = b + h;
    households = households + h;
    ASSERT_EQ(spent_by(analyst), persons.to_string() + " " + a.to_string() + ", " +
                                     households.to_string() + " " + b.to_string());
  }
  EXPECT_GT(admitted, 10);
}

TEST(GroupPrice, InEveryNotion) {
  const std::vector<ChargeLine> pure = {line("0.1"), line("0.2")};
  EXPECT_EQ(*price_of(Notion::kEpsilon, pure, 4), price("1.2"));
  EXPECT_EQ(*price_of(Notion::kZcdp, pure, 4), price("0.4"));  // 16 (0.005 + 0.02)
  EXPECT_EQ(*price_of(Notion::kPure, pure, 4), price("1.2"));
  const std::vector<ChargeLine> found = {line("0.1", "1e-9")};
  const auto group = price_of(Notion::kEpsilon, found, 3);
  ASSERT_TRUE(group);
  EXPECT_EQ(group->amount, price("0.3").amount);
  // At least 1e-9 (1 + e^0.1 + e^0.2), at most 3e-9 e^0.2 and a little.
  EXPECT_GT(group->delta.value(), *Rational::parse("3.32657e-9"));
  EXPECT_LT(group->delta.value(), *Rational::parse("3.66421e-9"));
  EXPECT_EQ(price_of(Notion::kEpsilon, {line("1", "0.3")}, 3).error().code, Code::kRefused);
  EXPECT_EQ(price_of(Notion::kEpsilon, pure, 0).error().code, Code::kInvalidInput);
}

}  // namespace
}  // namespace discreet::ledger::also_test
