// SPDX-License-Identifier: Apache-2.0
#include "policy/edit.h"

#include <gtest/gtest.h>

#include <random>

#include "policy/draft.h"
#include "policy/value.h"

namespace discreet::policy::edit_test {
namespace {

constexpr const char* kText = R"(version: 1
snapshot: 2026-11   # November
units: {patients: {budget: 1}}
tables:
  visits:
    source: visits.parquet
    unit: patient_id
    columns:
      age: {type: integer, range: ["?", "?"]}   # at the visit
      cost:
        type: decimal
        range: ["?", "?"]
        step: 0.01
        "null": {default: 5}
      # what follows is short
      city: {type: text}   # keys found privately; or values: [a, b]
  small:
    source: small.parquet
    unit: patient_id
    columns: {a: integer, b: {type: integer, range: ["?", 5]}}
)";

Column bought(const std::string& table, const std::string& name) {
  const Reading reading = read_policy(kText, ".", Open::kUndeclared);
  Column column = *reading.policy->find(table)->find(name);
  column.bought = "epsilon 0.1 of patients, record 7 of ledger x";
  return column;
}

TEST(OpenRanges, AreMistakesUnlessTheyAreToBeBought) {
  EXPECT_EQ(read_policy(kText, ".").mistakes.size(), 5U);
  const Reading reading = read_policy(kText, ".", Open::kUndeclared);
  ASSERT_TRUE(reading.policy.has_value());
  EXPECT_FALSE(reading.policy->find("visits")->find("age")->grid.has_value());
  EXPECT_EQ(declared_step(kText, {"visits", "cost"}), *Rational::parse("0.01"));
  EXPECT_EQ(declared_step(kText, {"visits", "age"}), std::nullopt);
  // Only domains may be open.
  std::string snapshot = kText;
  snapshot.replace(snapshot.find("2026-11 "), 7, "\"?\"");
  EXPECT_FALSE(read_policy(snapshot, ".", Open::kUndeclared).policy.has_value());
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

// Ways to write one policy, drawn with a fixed seed: what was there stays, byte for byte, and the
// line behind it names the ledger.
TEST(WithLedger, AddsALineAndChangesNothingElse) {
  std::mt19937_64 random(20261118);
  const auto sometimes = [&] { return random() % 2 == 0; };
  for (int i = 0; i < 200; ++i) {
    std::string text = kText;
    if (sometimes()) text = "# on top\n\n" + text;
    if (sometimes()) text = "---\n" + text;
    if (sometimes()) text += "# at the end\n\n\n";
    if (sometimes()) text += "views:\n  old: |\n    SELECT COUNT(*) FROM visits\n\n";
    if (sometimes()) text = "  " + replaced(text.substr(0, text.size() - 1), "\n", "\n  ") + "\n";
    if (text.starts_with("  ---")) text.erase(0, 2);
    if (sometimes()) text = replaced(text, "\n", "\r\n");
    if (sometimes() && text.find('|') == text.npos) {
      while (text.back() == '\n' || text.back() == '\r' || text.back() == ' ') text.pop_back();
    }
    const std::string id = sometimes() ? "5d9b155a1848fda8" : "12345678901234567890";
    Reading before = read_policy(text, ".", Open::kUndeclared);
    ASSERT_TRUE(before.policy.has_value()) << text << before.mistakes.front().message;
    const auto with = with_ledger(text, id);
    ASSERT_TRUE(with.has_value()) << text << with.error().message;
    EXPECT_TRUE(with->starts_with(text)) << *with;
    const Reading after = read_policy(*with, ".", Open::kUndeclared);
    ASSERT_TRUE(after.policy.has_value()) << *with;
    before.policy->ledger = id;
    EXPECT_EQ(*after.policy, *before.policy);
    EXPECT_EQ(with->find("\r\n") != with->npos, with->ends_with("\r\n"));
  }
  // No line can be added behind these.
  const std::string braces =
      "{version: 1, snapshot: s, units: {p: {budget: 1}}, tables: {v: {source: v.csv, unit: p}}}\n";
  for (const std::string& text : {braces, std::string(kText) + "...\n"}) {
    const auto with = with_ledger(text, "x");
    ASSERT_FALSE(with.has_value()) << *with;
    EXPECT_EQ(with.error().code, Code::kUnsupported);
  }
}

TEST(WithColumn, ChangesOneColumnAndNothingElse) {
  Column age = bought("visits", "age");
  age.grid = Grid{0, 120, 1};
  const auto with_age = with_column(kText, "visits", age);
  ASSERT_TRUE(with_age.has_value()) << with_age.error().message;
  EXPECT_NE(with_age->find("      age: {type: integer, range: [0, 120], bought: \"epsilon 0.1 of "
                           "patients, record 7 of ledger x\"}   # bought privately, not read off "
                           "the data; at the visit\n      cost:\n"),
            std::string::npos)
      << *with_age;
  EXPECT_NE(with_age->find("# November"), std::string::npos);
  // A column in several lines becomes one; what it said besides stays.
  Column cost = bought("visits", "cost");
  cost.null_rule = NullRule::kDefault;
  cost.fallback = number_value(Type::kDecimal, 5);
  cost.grid = Grid{0, 500, Rational::ratio(1, 100)};
  const auto with_cost = with_column(*with_age, "visits", cost);
  ASSERT_TRUE(with_cost.has_value()) << with_cost.error().message;
  EXPECT_NE(with_cost->find("      cost: {type: decimal, range: [0, 500], step: 0.01, \"null\": "
                            "{default: 5}, bought: "),
            std::string::npos)
      << *with_cost;
  EXPECT_NE(with_cost->find("      # what follows is short\n"), std::string::npos);
  Column city = bought("visits", "city");
  city.values = {Value{std::string("Ulm"), Type::kText}};
  const auto with_city = with_column(*with_cost, "visits", city);
  ASSERT_TRUE(with_city.has_value()) << with_city.error().message;
  EXPECT_EQ(with_city->find("keys found privately"), std::string::npos);
  EXPECT_EQ(read_policy(*with_city, ".").mistakes.size(), 1U);  // small.b is still open
}

TEST(WithColumn, SaysWhatToWriteByHandWhereItCannot) {
  Column b = bought("small", "b");
  b.grid = Grid{0, 5, 1};
  const auto refused = with_column(kText, "small", b);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, Code::kUnsupported);
  EXPECT_NE(refused.error().message.find("b: {type: integer, range: [0, 5]"), std::string::npos);
  b.name = "none";
  EXPECT_EQ(with_column(kText, "visits", b).error().code, Code::kNotFound);
}

TEST(Bought, IsWrittenWithAComment) {
  Policy policy = *read_policy(kText, ".", Open::kUndeclared).policy;
  policy.ledger = "abc";
  for (auto& [name, table] : policy.tables) {
    for (Column& column : table.columns) {
      if (column.type == Type::kInteger) column.grid = Grid{0, 5, 1};
      column.bought = column.grid ? "epsilon 0.1" : "";
    }
  }
  const std::string text = write_policy(policy);
  EXPECT_NE(text.find("ledger: abc\n"), std::string::npos);
  EXPECT_NE(text.find("# bought privately"), std::string::npos) << text;
  EXPECT_EQ(*read_policy(text, ".").policy, policy);
  // It says where a domain comes from, so there must be one.
  EXPECT_FALSE(read_policy("version: 1\nsnapshot: a\nunits: {p: {budget: 1}}\ntables: {t: {source: "
                           "x.parquet, unit: i, columns: {a: {type: text, bought: here}}}}\n",
                           ".")
                   .policy.has_value());
}

TEST(Draft, HoldsWhatWasBought) {
  Column age;
  age.name = "age";
  age.type = Type::kInteger;
  age.grid = Grid{20, 80, 1};
  age.bought = "epsilon 0.1 of patients, record 7 of ledger x";
  DraftFacts facts;
  facts.snapshot = "2026-11";
  facts.ledger = "x";
  facts.unit = "id";
  facts.units = Units{};
  facts.units->name = "patients";
  facts.units->budget.epsilon = 3;
  facts.bought["age"] = age;
  const std::string draft = draft_policy(
      {{"visits", "visits.parquet", {{"id", "BIGINT"}, {"age", "INTEGER"}, {"on", "BOOLEAN"}}}},
      facts);
  const Reading reading = read_policy(draft, ".");
  ASSERT_TRUE(reading.policy.has_value()) << draft;
  EXPECT_EQ(reading.policy->find("visits")->find("age")->bought, age.bought);
  EXPECT_EQ(reading.policy->ledger, "x");
  const auto cost = drafted({"cost", "DECIMAL(10,2)"});
  ASSERT_TRUE(cost.has_value());
  EXPECT_EQ(cost->step, *Rational::parse("0.01"));
  EXPECT_TRUE(drafted({"patient_id", "BIGINT"})->points_at_one);
  EXPECT_FALSE(drafted({"x", "BLOB"}).has_value());
}

}  // namespace
}  // namespace discreet::policy::edit_test
