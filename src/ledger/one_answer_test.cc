// SPDX-License-Identifier: Apache-2.0
// Coins that may be bent: certified lines only, and one charge in a ledger's life.
#include <gtest/gtest.h>

#include "ledger/ledger_for_tests.h"

namespace discreet::ledger::one_answer_test {
namespace {

using fixture::Ask;
using fixture::ask;
using fixture::ask_and_store;
using fixture::Home;
using fixture::price;

ChargeLine certified(const char* gamma) {
  return {{"sv-laplace(sensitivity=1,gamma=" + std::string(gamma) +
           ",epsilon=0.5,fair-epsilon=0.4,period=7,halvings=2,bits=12,cell=5)[0,9]"},
          pure_cost(*Epsilon::parse("0.5"))};
}

NamespaceTerms bent(const char* name = "patients") {
  NamespaceTerms terms = fixture::patients();
  terms.name = name;
  terms.gamma = Rational::ratio(1, 20);
  return terms;
}

std::string text_of(const Result<Outcome>& outcome) {
  return outcome ? "charged" : outcome.error().message;
}

TEST(OneAnswer, OnlyCertifiedLinesAreCharged) {
  Home home;
  const auto ledger = home.create(bent());
  for (const std::vector<ChargeLine>& lines : {std::vector{fixture::line("0.5")},
                                               {certified("0.04")},
                                               {certified("0.06")},
                                               {certified("0.05"), certified("0.05")},
                                               {certified("0.05"), fixture::line("0.1")}}) {
    const auto outcome = ask(*ledger, Ask{.lines = lines});
    ASSERT_FALSE(outcome.has_value());
    EXPECT_EQ(outcome.error().code, Code::kRefused);
    EXPECT_NE(outcome.error().message.find("certificate"), std::string::npos) << text_of(outcome);
  }
  EXPECT_EQ(fixture::spent(*ledger), "0 0");
  // And where the coins are fair, what was made for bent ones does not pass for an addable answer.
  Home fair;
  EXPECT_NE(text_of(ask(*fair.create(), Ask{.lines = {certified("0.05")}})).find("fair coins"),
            std::string::npos);
}

TEST(OneAnswer, IsTheOnlyOneForLife) {
  Home home;
  auto ledger = home.create(bent());
  NamespaceTerms others = fixture::patients();  // fair coins, the same source
  others.name = "doctors";
  ASSERT_TRUE(ledger->add_namespace(others));
  const Ask first{.lines = {certified("0.05")}};
  ASSERT_TRUE(ask_and_store(*ledger, first, "42").has_value());
  const auto refused = [&](Ask what) {
    what.id = "another";
    what.key = "SELECT another";
    const auto outcome = ask(*ledger, what);
    EXPECT_FALSE(outcome.has_value());
    return text_of(outcome).find("one answer") != std::string::npos &&
           ledger->quote(what.charge(), what.question()).error().message.find("one answer") !=
               std::string::npos;
  };
  EXPECT_TRUE(refused(first));
  EXPECT_TRUE(refused(Ask{.units = "doctors"}));
  // The same bytes again, and for somebody else at the price of their own cap.
  EXPECT_EQ(ask_and_store(*ledger, Ask{.id = "later", .lines = {certified("0.05")}}, "7")->bytes(),
            "42");
  EXPECT_EQ(
      ask_and_store(*ledger, Ask{.analyst = "press", .id = "p", .lines = {certified("0.05")}}, "7")
          ->bytes(),
      "42");
  EXPECT_EQ(fixture::spent(*ledger, "press"), "0.5 0.5");
  // It is the file's, not the process's; and more budget does not help.
  ledger.reset();
  ledger = home.open();
  ASSERT_TRUE(ledger->top_up("patients", std::nullopt, price("5"), "more"));
  EXPECT_TRUE(refused(first));
  EXPECT_EQ(ledger->verify()->answers, 1U);
}

TEST(OneAnswer, ALostAnswerIsSpent) {
  Home home;
  const auto ledger = home.create(bent());
  ASSERT_TRUE(ask(*ledger, Ask{.lines = {certified("0.05")}}).has_value());  // dropped: a crash
  EXPECT_NE(
      text_of(ask(*ledger, Ask{.id = "again", .lines = {certified("0.05")}})).find("one answer"),
      std::string::npos);
}

TEST(OneAnswer, BentCoinsNeedALedgerWithoutCharges) {
  Home home;
  const auto ledger = home.create();
  ASSERT_TRUE(ask(*ledger, Ask{}).has_value());
  const auto added = ledger->add_namespace(bent("others"));
  ASSERT_FALSE(added.has_value());
  EXPECT_NE(added.error().message.find("new ledger"), std::string::npos);
  for (const char* gamma : {"-0.1", "0.51", "0.0000001"}) {
    NamespaceTerms terms = bent("others");
    terms.gamma = *Rational::parse(gamma);
    EXPECT_FALSE(check_terms(terms)) << gamma;
  }
}

// A second charge that was written behind the ledger's back is no valid history; under the same
// terms on fair coins it is one.
TEST(OneAnswer, TheFoldChecksItAgain) {
  for (const bool is_bent : {true, false}) {
    Home home;
    const auto ledger = home.create(is_bent ? bent() : fixture::patients());
    State state;
    Record charge;
    const ChargeLine line = is_bent ? certified("0.05") : fixture::line("0.5");
    ASSERT_TRUE(ask(*ledger, Ask{.lines = {line}}).has_value());
    ASSERT_TRUE(ledger->history([&](const Record& record) -> Result<void> {
      charge = record;
      return state.apply(record);
    }));
    charge.sequence = state.next();
    charge.request_id = "forged";
    charge.hash = chain(state.hash(), charge);
    const auto applied = state.apply(charge);
    EXPECT_EQ(applied.has_value(), !is_bent);
    if (is_bent) {
      EXPECT_EQ(applied.error().code, Code::kCorrupt);
    }
  }
}

TEST(OneAnswer, TermsReadBack) {
  const NamespaceTerms terms = bent();
  Record record;
  record.kind = Kind::kNamespace;
  record.units = terms.name;
  record.price = terms.cap;
  record.detail = to_detail(terms);
  EXPECT_EQ(parse_namespace(record)->gamma, terms.gamma);
  record.detail = "notion epsilon\nneighbours add-remove\nsanth-vazirani 0.05\n";
  EXPECT_FALSE(parse_namespace(record));
}

}  // namespace
}  // namespace discreet::ledger::one_answer_test
