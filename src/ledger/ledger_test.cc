// SPDX-License-Identifier: Apache-2.0
// The life of a charge, repeats, shares, and what the owner may do.
#include "ledger/ledger.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <map>

#include "base/children_for_tests.h"
#include "ledger/ledger_for_tests.h"

namespace discreet::ledger::ledger_test {
namespace {

using namespace fixture;
using fixture::Ask;

TEST(Ledger, ChargesThenStoresThenRepeatsForNothing) {
  Home home;
  auto ledger = home.create();
  auto outcome = ask(*ledger, {.lines = {line("0.5"), line("0.25")}});
  ASSERT_TRUE(outcome) << outcome.error().message;
  Paid paid = std::get<Paid>(std::move(*outcome));
  ASSERT_EQ(paid.receipts.size(), 2u);
  EXPECT_EQ(paid.receipts[0].noise().text, "laplace(0.5)");
  EXPECT_EQ(paid.receipts[1].cost(), line("0.25").cost);
  EXPECT_EQ(paid.receipts[0].id(), ledger->id() + "/" + std::to_string(paid.receipt()));
  EXPECT_EQ(spent(*ledger), "0.75 0.75");

  const Sequence charge = paid.charge();
  auto answer = ledger->store(std::move(paid), "42");
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->bytes(), "42");
  EXPECT_EQ(answer->charge(), charge);
  EXPECT_FALSE(answer->repeated());

  // The same request, and the same question under another id.
  for (const char* id : {"request 1", "request 2"}) {
    auto again = ask(*ledger, {.id = id, .lines = {line("0.5"), line("0.25")}});
    ASSERT_TRUE(again) << again.error().message;
    const Answer& seen = std::get<Answer>(*again);
    EXPECT_EQ(seen.bytes(), "42");
    EXPECT_EQ(seen.charge(), charge);
    EXPECT_TRUE(seen.repeated());
  }
  EXPECT_EQ(spent(*ledger), "0.75 0.75");
}

TEST(Ledger, AnotherSnapshotIsAnotherQuestion) {
  Home home;
  auto ledger = home.create();
  ASSERT_TRUE(ask_and_store(*ledger, {}, "1"));
  auto other = ask_and_store(*ledger, {.id = "2", .snapshot = "2026-12"}, "2");
  ASSERT_TRUE(other);
  EXPECT_EQ(other->bytes(), "2");
  EXPECT_EQ(spent(*ledger), "1 1");
}

TEST(Ledger, AnUnansweredChargeIsLostAndItsRetryIsANewCharge) {
  Home home;
  auto ledger = home.create();
  ASSERT_TRUE(ask(*ledger, {}));  // the receipt is dropped
  ledger.reset();
  ledger = home.open();
  auto retry = ask(*ledger, {});
  ASSERT_TRUE(retry);
  EXPECT_TRUE(std::holds_alternative<Paid>(*retry));
  EXPECT_EQ(spent(*ledger), "1 1");
}

TEST(Ledger, EverybodyGetsTheFirstStoredBytesOfAQuestion) {
  Home home;
  auto ledger = home.create();
  // Three attempts are under way before one is stored.
  Paid first = std::get<Paid>(*ask(*ledger, {}));
  Paid retry = std::get<Paid>(*ask(*ledger, {}));
  Paid other = std::get<Paid>(*ask(*ledger, {.analyst = "press", .id = "p"}));
  EXPECT_EQ(ledger->store(std::move(retry), "retry")->bytes(), "retry");
  const Answer late = *ledger->store(std::move(first), "first");
  EXPECT_EQ(late.bytes(), "retry");
  EXPECT_TRUE(late.repeated());
  EXPECT_EQ(ledger->store(std::move(other), "other")->bytes(), "retry");
  EXPECT_EQ(spent(*ledger, "press"), "1.5 0.5");
  // Both have paid, so both may ask again.
  EXPECT_EQ(ask_and_store(*ledger, {.id = "x"}, "")->bytes(), "retry");
  EXPECT_EQ(ask_and_store(*ledger, {.analyst = "press", .id = "x"}, "")->bytes(), "retry");
  EXPECT_EQ(spent(*ledger, "press"), "1.5 0.5");
}

TEST(Ledger, AnotherAnalystPaysTheFullPriceFromTheirOwnCapOnly) {
  Home home;
  auto ledger = home.create();
  ASSERT_TRUE(ask_and_store(*ledger, {}, "42"));
  EXPECT_EQ(spent(*ledger, "press"), "0.5 0");
  const Ask theirs{.analyst = "press", .id = "p"};
  const Answer shared = std::get<Answer>(*ask(*ledger, theirs));
  EXPECT_EQ(shared.bytes(), "42");
  EXPECT_EQ(spent(*ledger, "press"), "0.5 0.5");
  EXPECT_EQ(std::get<Answer>(*ask(*ledger, theirs)).bytes(), "42");  // once
  EXPECT_EQ(spent(*ledger, "press"), "0.5 0.5");

  ASSERT_TRUE(ask_and_store(*ledger, {.id = "2", .key = "other", .lines = {line("0.6")}}, "43"));
  const auto refused =
      ask(*ledger, {.analyst = "press", .id = "q", .key = "other", .lines = {line("0.6")}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kBudget);
  EXPECT_NE(refused.error().message.find("analyst 'press'"), std::string::npos)
      << refused.error().message;
}

// Another price is another question.
TEST(Ledger, ACheapChargeDoesNotBuyADearAnswer) {
  Home home;
  auto ledger = home.create();
  Paid cheap = std::get<Paid>(*ask(*ledger, {.analyst = "press", .lines = {line("0.1")}}));
  ASSERT_TRUE(ask_and_store(*ledger, {}, "42"));
  EXPECT_EQ(ledger->store(std::move(cheap), "41")->bytes(), "41");
  const Ask again{.analyst = "press", .id = "2", .lines = {line("0.1")}};
  EXPECT_EQ(std::get<Answer>(*ask(*ledger, again)).bytes(), "41");
  EXPECT_TRUE(ledger->quote(again.charge(), again.question())->repeat);
  EXPECT_EQ(std::get<Answer>(*ask(*ledger, {.analyst = "press", .id = "3"})).bytes(), "42");
  EXPECT_EQ(spent(*ledger, "press"), "0.6 0.6");
}

TEST(Ledger, ARefusalNamesNeedAndRestAndCostsNothing) {
  Home home;
  auto ledger = home.create({.name = "patients",
                             .cap = price("1"),
                             .analysts = {{"ann", price("2")}, {"press", price("0.25")}}});
  ASSERT_TRUE(ask(*ledger, {.lines = {line("0.75")}}));
  const auto total = ask(*ledger, {.id = "2", .key = "k"});
  ASSERT_FALSE(total);
  EXPECT_EQ(total.error().code, Code::kBudget);
  EXPECT_NE(total.error().message.find("needs epsilon 0.5, but epsilon 0.25 is left of the budget "
                                       "of namespace 'patients'"),
            std::string::npos)
      << total.error().message;
  EXPECT_TRUE(ask(*ledger, {.id = "3", .key = "k", .lines = {line("0.25")}}));
  EXPECT_EQ(spent(*ledger), "1 1");
  const auto delta = ask(*ledger, {.id = "4", .key = "d", .lines = {line("0.1", "1e-9")}});
  EXPECT_NE(
      delta.error().message.find("but epsilon 1 and delta 0 is left of the budget of analyst"),
      std::string::npos)
      << delta.error().message;
}

TEST(Ledger, ARequestIdStandsForOneQuestion) {
  Home home;
  auto ledger = home.create({.name = "patients",
                             .cap = price("10"),
                             .block_attribute = "year",
                             .blocks = {"2022", "2023"},
                             .analysts = {{"ann", price("10")}, {"press", price("10")}}});
  ASSERT_TRUE(ask(*ledger, {}));  // not even answered
  const std::string before = spent(*ledger);
  for (const Ask& other : {Ask{.key = "another"}, Ask{.snapshot = "another"},
                           Ask{.lines = {line("0.4")}}, Ask{.blocks = {"2022"}}}) {
    const auto refused = ask(*ledger, other);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Code::kConflict) << refused.error().message;
    EXPECT_EQ(ledger->quote(other.charge(), other.question()).error().code, Code::kConflict);
  }
  const auto plan = ledger->charge(ChargeForTests::make({"patients", Neighbours::kAddRemove, {}},
                                                        {line("0.5")}, Hash{9}, "request 1"),
                                   Ask{}.question());
  EXPECT_EQ(plan.error().code, Code::kConflict);
  EXPECT_EQ(spent(*ledger), before);
  // An id is an analyst's own.
  EXPECT_TRUE(ask(*ledger, {.analyst = "press", .key = "another"}));
}

TEST(Ledger, UnknownNamesSayWhatThereIs) {
  Home home;
  auto ledger = home.create();
  struct {
    Ask ask;
    Code code;
    const char* text;
  } const cases[] = {
      {{.units = "patient"}, Code::kNotFound, "did you mean patients?"},
      {{.analyst = "bob"}, Code::kNotFound, "known: ann, press"},
      {{.blocks = {"2022"}, .attribute = ""}, Code::kNotFound, "declares none"},
      {{.blocks = {"2022"}}, Code::kRefused, "are by 'year', but"},
      {{.neighbours = Neighbours::kReplaceOne}, Code::kRefused, "add or remove one"},
      {{.id = ""}, Code::kInvalidInput, "request id"},
      {{.id = std::string(257, 'x')}, Code::kInvalidInput, "request id"},
      {{.key = ""}, Code::kInvalidInput, "key"},
      {{.snapshot = std::string(1025, 'x')}, Code::kInvalidInput, "label"},
      {{.lines = {}}, Code::kInvalidInput, "line"},
      {{.lines = {{{"gaussian"}, {.epsilon = {}, .rho = *Rho::parse("1")}}}},
       Code::kRefused,
       "zcdp"},
      {{.lines = {line("1099511627776")}}, Code::kBudget, "needs epsilon 1099511627776"},
  };
  for (const auto& [what, code, text] : cases) {
    const auto refused = ask(*ledger, what);
    ASSERT_FALSE(refused) << text;
    EXPECT_EQ(refused.error().code, code) << refused.error().message;
    EXPECT_NE(refused.error().message.find(text), std::string::npos) << refused.error().message;
  }
  EXPECT_EQ(spent(*ledger), "0 0");
}

TEST(Ledger, BlocksPayForThemselvesAndNewOnesBringNewBudget) {
  Home home;
  auto ledger = home.create({.name = "patients",
                             .cap = price("1"),
                             .block_attribute = "year",
                             .blocks = {"2022", "2023"},
                             .analysts = {{"ann", price("1")}}});
  ASSERT_TRUE(ask(*ledger, {.id = "a", .lines = {line("1")}, .blocks = {"2022", "2023", "2022"}}));
  EXPECT_EQ(ask(*ledger, {.id = "b", .blocks = {"2022"}}).error().code, Code::kBudget);
  EXPECT_EQ(ask(*ledger, {.id = "c"}).error().code, Code::kBudget);
  ASSERT_TRUE(ledger->add_block("patients", "2024"));
  EXPECT_TRUE(ask(*ledger, {.id = "d", .lines = {line("1")}, .blocks = {"2024"}}));
  EXPECT_EQ(spent(*ledger), "1 1");
  EXPECT_EQ(ledger->add_block("patients", "2024").error().code, Code::kConflict);
}

// 2022 as the year of a visit is not the people who enrolled in 2022.
TEST(Ledger, BlocksByAnotherAttributeAreRefused) {
  Home home;
  auto ledger = home.create({.name = "patients",
                             .cap = price("1"),
                             .block_attribute = "patients.year",
                             .blocks = {"2022"},
                             .analysts = {{"ann", price("1")}}});
  for (const char* other : {"visits.year", "year", ""}) {
    const Ask what{.blocks = {"2022"}, .attribute = other};
    const auto refused = ask(*ledger, what);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Code::kRefused);
    EXPECT_NE(refused.error().message.find("'" + std::string(other) + "'"), std::string::npos);
    EXPECT_NE(refused.error().message.find("'patients.year'"), std::string::npos);
    EXPECT_EQ(ledger->quote(what.charge(), what.question()).error().code, Code::kRefused);
  }
  EXPECT_EQ(spent(*ledger), "0 0");
  EXPECT_TRUE(ask(*ledger, {.blocks = {"2022"}, .attribute = "patients.year"}));
}

TEST(Ledger, AQuoteSaysWhatAChargeWouldDo) {
  Home home;
  auto ledger = home.create();
  const Ask mine{};
  OwnerQuote quote = *ledger->owner_quote(mine.charge(), mine.question());
  EXPECT_EQ(quote.analysts.price, price("0.5"));
  EXPECT_EQ(quote.total_pays, price("0.5"));
  EXPECT_EQ(quote.analysts.left, price("2", "1e-6"));
  EXPECT_TRUE(quote.fits);
  EXPECT_FALSE(quote.analysts.repeat);
  ASSERT_TRUE(ask_and_store(*ledger, mine, "42"));
  quote = *ledger->owner_quote(mine.charge(), mine.question());
  EXPECT_TRUE(quote.analysts.repeat);
  EXPECT_EQ(quote.total_pays, Price());
  EXPECT_EQ(quote.analysts.pays, Price());
  const Ask theirs{.analyst = "press", .id = "p"};
  quote = *ledger->owner_quote(theirs.charge(), theirs.question());
  EXPECT_FALSE(quote.analysts.repeat);  // they have not bought it
  EXPECT_EQ(quote.total_pays, Price());
  EXPECT_EQ(quote.analysts.pays, price("0.5"));
  const Ask dear{.id = "x", .key = "k", .lines = {line("3")}};
  EXPECT_FALSE(ledger->quote(dear.charge(), dear.question())->fits);
  EXPECT_EQ(spent(*ledger), "0.5 0.5");
}

TEST(Ledger, OnlyTheOwnerRaisesACapAndItStaysVisible) {
  Home home;
  auto ledger = home.create();
  ASSERT_TRUE(ledger->top_up("patients", "press", price("0.5"), "a second survey"));
  ASSERT_TRUE(ledger->top_up("patients", {}, price("1", "1e-7"), "agreed by the board"));
  EXPECT_EQ(ledger->top_up("patients", {}, price("1"), "").error().code, Code::kInvalidInput);
  EXPECT_EQ(ledger->top_up("patients", {}, {}, "nothing").error().code, Code::kInvalidInput);
  EXPECT_EQ(ledger->top_up("patients", {}, price("1099511627776"), "huge").error().code,
            Code::kInvalidInput);
  EXPECT_EQ(ledger->top_up("patients", {}, price("1", "1"), "delta").error().code,
            Code::kInvalidInput);
  EXPECT_EQ(ledger->top_up("patients", "bob", price("1"), "x").error().code, Code::kNotFound);
  EXPECT_EQ(ledger->top_up("visits", {}, price("1"), "x").error().code, Code::kNotFound);
  ledger.reset();
  auto looked = home.open(Access::kLook);
  const State state = *looked->state();
  const NamespaceState& space = **state.find("patients");
  EXPECT_EQ(space.total.cap(), price("11", "0.0000011"));
  EXPECT_EQ((*space.analyst("press"))->cap(), price("1.5", "1e-6"));
  std::vector<std::string> reasons;
  ASSERT_TRUE(looked->history([&](const Record& record) -> Result<void> {
    if (record.kind == Kind::kTopUp) reasons.push_back(record.detail);
    return {};
  }));
  EXPECT_EQ(reasons, (std::vector<std::string>{"a second survey", "agreed by the board"}));
  EXPECT_EQ(looked->top_up("patients", {}, price("1"), "x").error().code, Code::kRefused);
  EXPECT_EQ(ask(*looked, {}).error().code, Code::kRefused);
  EXPECT_EQ(looked->signed_head().error().code, Code::kRefused);
}

TEST(Ledger, WhatExistsIsNotMadeAgain) {
  Home home;
  auto ledger = home.create();
  EXPECT_EQ(ledger->add_namespace(patients()).error().code, Code::kConflict);
  EXPECT_EQ(ledger->add_analyst("patients", {"ann", price("5")}).error().code, Code::kConflict);
  EXPECT_EQ(ledger->add_block("patients", "2022").error().code, Code::kInvalidInput);
  EXPECT_TRUE(ledger->add_analyst("patients", {"bob", price("5")}));
  EXPECT_TRUE(ask(*ledger, {.analyst = "bob"}));
  const auto again = Ledger::create({.path = home.path, .key = home.key, .witness = home.witness});
  EXPECT_EQ(again.error().code, Code::kConflict);
  // A witness of another ledger is not overwritten; what was begun is taken away.
  const auto other =
      Ledger::create({.path = home.scratch / "other", .key = home.key, .witness = home.witness});
  EXPECT_EQ(other.error().code, Code::kConflict);
  EXPECT_FALSE(std::filesystem::exists(home.scratch / "other"));
}

TEST(Ledger, KeyAndWitnessLiveInTheUsersStateDirectory) {
  Scratch scratch{Scratch::Place::kMemory};
  setenv("XDG_STATE_HOME", scratch.path().c_str(), 1);
  auto ledger = Ledger::create({.path = scratch / "l"});
  ASSERT_TRUE(ledger) << ledger.error().message;
  const auto home = scratch.path() / "discreet" / (*ledger)->id();
  EXPECT_EQ((*ledger)->key_path(), home / "key");
  EXPECT_TRUE(std::filesystem::exists(home / "witness"));
  ledger->reset();
  EXPECT_TRUE(Ledger::open({.path = scratch / "l"}));
  unsetenv("XDG_STATE_HOME");
}

TEST(Ledger, TimeDoesNotGoBackUnlessTheOwnerSaysSo) {
  Home home;
  auto ledger = home.create();
  const std::int64_t start = home.now_ms;
  home.now_ms = start - kClockSlackMs;  // tolerated: the last record's time is used
  ASSERT_TRUE(ask_and_store(*ledger, {}, "42"));
  EXPECT_EQ(ledger->state()->time_ms(), start);
  EXPECT_EQ(ledger->accept_clock("why not").error().code, Code::kConflict);
  home.now_ms = start - kClockSlackMs - 1;
  const auto refused = ask(*ledger, {.id = "2", .key = "k"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kStorage);
  EXPECT_NE(refused.error().message.find("2023-11-14 22:13:20 UTC"), std::string::npos)
      << refused.error().message;
  EXPECT_TRUE(ask(*ledger, {}));  // a repeat needs no clock
  ASSERT_TRUE(ledger->accept_clock("the battery was changed"));
  EXPECT_TRUE(ask(*ledger, {.id = "2", .key = "k"}));
  EXPECT_EQ(ledger->state()->time_ms(), home.now_ms);
  EXPECT_EQ(spent(*ledger), "1 1");
  ledger.reset();
  EXPECT_EQ(spent(*home.open()), "1 1");
}

TEST(Ledger, AnswerOfAnotherLedgerIsNotTaken) {
  Home one;
  Home two;
  auto first = one.create();
  auto second = two.create();
  Paid paid = std::get<Paid>(*ask(*first, {}));
  EXPECT_EQ(second->store(std::move(paid), "42").error().code, Code::kInvalidInput);
}

TEST(Ledger, AnswersAreBytesOfAnyKind) {
  Home home;
  auto ledger = home.create();
  const std::string bytes("\0\xff{}", 4);
  EXPECT_EQ(ask_and_store(*ledger, {.key = std::string("\0k", 2)}, bytes)->bytes(), bytes);
  EXPECT_EQ(ask_and_store(*ledger, {.id = "2", .key = "empty"}, "")->bytes(), "");
  ledger.reset();
  ledger = home.open();
  EXPECT_EQ(std::get<Answer>(*ask(*ledger, {.key = std::string("\0k", 2)})).bytes(), bytes);
  EXPECT_EQ(std::get<Answer>(*ask(*ledger, {.id = "2", .key = "empty"})).bytes(), "");
}

TEST(Ledger, AForkedChildIsRefused) {
  int made = 0;
  expect_children_refused([&made] {
    const auto home = std::make_shared<Home>();
    const auto ledger = std::make_shared<std::unique_ptr<Ledger>>(home->create());
    return [home, ledger, id = std::to_string(++made)] {
      const auto asked = ask(**ledger, {.id = id});
      const bool is_refused = !asked && asked.error().code == Code::kRefused;
      if (is_refused) ledger->reset();  // leaves the parent's database alone
      return is_refused;
    };
  });
}

// The devices are made up: what the machine's own folders are on is not known.
TEST(Ledger, ItIsKnownWhetherLedgerAndWitnessAreOnOneDevice) {
  Home home;
  (void)home.create();
  std::map<std::filesystem::path, std::uint64_t> devices;
  World world = home.world();
  world.device = [&](const std::filesystem::path& file) -> Result<std::uint64_t> {
    const auto found = devices.find(file);
    if (found == devices.end()) return Error{Code::kNotFound, "gone"};
    return found->second;
  };
  const auto shares = [&] {
    const auto ledger = Ledger::open({.path = home.path,
                                      .key = home.key,
                                      .witness = home.witness,
                                      .access = Access::kUse,
                                      .world = world});
    return ledger.value()->witness_shares_device();
  };
  devices = {{home.path, 1}, {home.witness, 1}};
  EXPECT_EQ(shares(), !is_postgres(home.path));  // of a database only its address is known
  devices = {{home.path, 1}, {home.witness, 2}};
  EXPECT_FALSE(shares());
  devices = {{home.path, 1}};
  EXPECT_FALSE(shares());
  devices = {{home.witness, 1}};
  EXPECT_FALSE(shares());
  devices.clear();
  EXPECT_FALSE(shares());
}

TEST(Ledger, VerifyReadsEverythingAgain) {
  Home home;
  auto ledger = home.create();
  ASSERT_TRUE(ask_and_store(*ledger, {}, "42"));
  const auto verified = ledger->verify();
  ASSERT_TRUE(verified) << verified.error().message;
  EXPECT_EQ(verified->records, 6u);  // created, namespace, two analysts, charge, answer
  EXPECT_EQ(verified->answers, 1u);
  EXPECT_EQ(verified->signatures, 4u);
}

}  // namespace
}  // namespace discreet::ledger::ledger_test
