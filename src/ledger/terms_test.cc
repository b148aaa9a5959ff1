// SPDX-License-Identifier: Apache-2.0
#include "ledger/terms.h"

#include <gtest/gtest.h>

#include <functional>

#include "ledger/ledger_for_tests.h"

namespace discreet::ledger::terms_test {
namespace {

using namespace fixture;

ChargeLine gaussian(const char* rho, const char* delta = "0") {
  return {{"gaussian"}, {.epsilon = {}, .rho = *Rho::parse(rho), .delta = *Delta::parse(delta)}};
}

TEST(Price, IsTheSumOfTheLinesEachRoundedUp) {
  const std::vector<ChargeLine> lines = {line("1/3", "1e-7"), line("1/3"), line("0.1", "1e-7")};
  const Price sum = *price_of(Notion::kEpsilon, lines);
  EXPECT_EQ(sum.amount.to_string(), "0.766666666666666668");
  EXPECT_EQ(sum.delta.to_string(), "0.0000002");
}

TEST(Price, InZcdpIsRhoOrHalfTheSquareOfEpsilon) {
  Cost exponential = pure_cost(*Epsilon::parse("1"));
  exponential.rho = *Rho::parse("1/8");
  EXPECT_EQ(price_of(Notion::kZcdp, {{{"exponential"}, exponential}})->amount.to_string(), "0.125");
  EXPECT_EQ(price_of(Notion::kZcdp, {gaussian("0.1", "1e-6")})->amount.to_string(), "0.1");
  EXPECT_EQ(price_of(Notion::kZcdp, {gaussian("0.1", "1e-6")})->delta.to_string(), "0.000001");
  ChargeLine selection{{"thresholded"}, {.epsilon = *Epsilon::parse("1"), .rho = {}}};
  EXPECT_EQ(price_of(Notion::kZcdp, {selection})->amount.to_string(), "0.5");
}

TEST(Price, IsRefusedWhereThereIsNoGuarantee) {
  for (const Notion notion : {Notion::kEpsilon, Notion::kPure}) {
    const auto refused = price_of(notion, {gaussian("0.1")});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Code::kRefused);
    EXPECT_NE(refused.error().message.find("zcdp"), std::string::npos) << refused.error().message;
  }
  EXPECT_EQ(price_of(Notion::kZcdp, {{{"nothing"}, {}}}).error().code, Code::kRefused);
  const auto impure = price_of(Notion::kPure, {line("1", "1e-6")});
  ASSERT_FALSE(impure);
  EXPECT_EQ(impure.error().code, Code::kRefused);
  EXPECT_TRUE(price_of(Notion::kPure, {line("1")}));
  EXPECT_EQ(price_of(Notion::kEpsilon, {}).error().code, Code::kInvalidInput);
}

TEST(Price, ASumThatDoesNotFitIsAnErrorNotAWrap) {
  const ChargeLine huge = gaussian("1.7e20");
  EXPECT_TRUE(price_of(Notion::kZcdp, {huge}));
  EXPECT_EQ(price_of(Notion::kZcdp, {huge, huge}).error().code, Code::kInvalidInput);
  EXPECT_EQ(price_of(Notion::kZcdp, {gaussian("1e30")}).error().code, Code::kInvalidInput);
}

TEST(Terms, WhatCannotBeABudgetIsRefused) {
  const std::vector<std::pair<const char*, std::function<void(NamespaceTerms&)>>> cases = {
      {"empty name", [](auto& t) { t.name = ""; }},
      {"control character", [](auto& t) { t.name = "a\nb"; }},
      {"long name", [](auto& t) { t.name = std::string(201, 'a'); }},
      {"no cap", [](auto& t) { t.cap = price("0", "1e-6"); }},
      {"huge cap", [](auto& t) { t.cap = price("1099511627776.1"); }},
      {"delta of 1", [](auto& t) { t.cap = price("1", "1"); }},
      {"delta in pure", [](auto& t) { t.notion = Notion::kPure; }},
      {"zcdp without conversion", [](auto& t) { t.notion = Notion::kZcdp; }},
      {"conversion without zcdp",
       [](auto& t) { t.conversion_delta = *Amount::up(*Rational::parse("1e-6")); }},
      {"deltas of 1",
       [](auto& t) {
         t.notion = Notion::kZcdp;
         t.conversion_delta = *Amount::up(*Rational::parse("0.999999"));
       }},
      {"blocks of nothing", [](auto& t) { t.blocks = {"2022"}; }},
      {"block twice",
       [](auto& t) {
         t.block_attribute = "year";
         t.blocks = {"2022", "2022"};
       }},
      {"empty block",
       [](auto& t) {
         t.block_attribute = "year";
         t.blocks = {""};
       }},
      {"analyst twice", [](auto& t) { t.analysts.push_back(t.analysts[0]); }},
      {"analyst without cap", [](auto& t) { t.analysts[0].cap = {}; }},
      {"analyst without name", [](auto& t) { t.analysts[0].name = ""; }},
  };
  EXPECT_TRUE(check_terms(patients()));
  for (const auto& [name, change] : cases) {
    NamespaceTerms terms = patients();
    change(terms);
    const Result<void> checked = check_terms(terms);
    ASSERT_FALSE(checked) << name;
    EXPECT_EQ(checked.error().code, Code::kInvalidInput) << name;
  }
  EXPECT_FALSE(check_terms(LedgerTerms{.id = "x", .witness_every = 0}));
  EXPECT_FALSE(check_terms(LedgerTerms{.id = "x", .witness_every = 1'000'001}));
  EXPECT_FALSE(check_terms(LedgerTerms{.id = "x", .witness_ms = -1}));
}

TEST(Terms, ComeBackFromTheirDetail) {
  NamespaceTerms terms{.name = "patients",
                       .notion = Notion::kZcdp,
                       .neighbours = Neighbours::kReplaceOne,
                       .cap = price("1", "1e-7"),
                       .conversion_delta = *Amount::up(*Rational::parse("1e-6")),
                       .block_attribute = "year of enrolment"};
  Record record;
  record.units = terms.name;
  record.price = terms.cap;
  record.detail = to_detail(terms);
  const NamespaceTerms again = *parse_namespace(record);
  EXPECT_EQ(again.name, terms.name);
  EXPECT_EQ(again.notion, terms.notion);
  EXPECT_EQ(again.neighbours, terms.neighbours);
  EXPECT_EQ(again.cap, terms.cap);
  EXPECT_EQ(again.conversion_delta, terms.conversion_delta);
  EXPECT_EQ(again.block_attribute, terms.block_attribute);
  for (const char* wrong : {"", "notion epsilon\n", "notion epsilon\nneighbours all\n",
                            "notion epsilon\nneighbours add-remove\nmore x\n",
                            "neighbours add-remove\nnotion epsilon\n", "notion epsilon"}) {
    record.detail = wrong;
    EXPECT_FALSE(parse_namespace(record)) << wrong;
    EXPECT_FALSE(parse_created(record)) << wrong;
  }
  record.detail =
      to_detail(LedgerTerms{.id = "abc", .owner = {5}, .witness_every = 64, .witness_ms = 9});
  const LedgerTerms ledger = *parse_created(record);
  EXPECT_EQ(ledger.id, "abc");
  EXPECT_EQ(ledger.owner, PublicKey{5});
  EXPECT_EQ(ledger.witness_every, 64u);
  EXPECT_EQ(ledger.witness_ms, 9);
}

}  // namespace
}  // namespace discreet::ledger::terms_test
