// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "policy/document.h"
#include "policy/policy.h"

namespace discreet::policy::read_test {
namespace {

const std::string kClinic = R"(version: 1
engine: duckdb
snapshot: 2026-11
units:
  patients: {budget: {epsilon: 10, delta: 1e-6}, analysts: {ann: {epsilon: 2}, press: {epsilon: 0.5}}}
tables:
  visits:
    source: visits.parquet
    unit: {namespace: patients, column: patient_id}
    bounds: {groups_per_unit: 3, rows_per_unit_and_group: 4}
    rows_max: 1e7
    columns:
      clinic:  {type: text, values: [north, south, east]}
      city:    {type: text, values_from: zip_codes.city}
      age:     {type: integer, range: [0, 120]}
      cost:    {type: decimal, range: [0, 5000], step: 0.01, "null": {default: 0}}
      day:     {type: date, range: [2020-01-01, 2026-12-31], null: drop, may: [group, filter]}
      at:      {type: timestamp, range: [2020-01-01 00:00:00, 2026-12-31T23:59:59]}
      smoker:  boolean
  patients:
    source: patients.parquet
    unit: id
  labs:
    source: labs.parquet
    unit: {namespace: patients, path: [labs.visit_id -> visits.id, visits.patient_id]}
public:
  zip_codes: {source: zips.csv}
  holidays: holidays.csv
noise: laplace
other_releases: [a census of 2021]
)";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

int line_of(const std::string& text, const std::string& part) {
  const std::size_t at = text.find(part);
  EXPECT_NE(at, std::string::npos) << part;
  return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<long>(at), '\n'));
}

std::string all(const std::vector<Mistake>& mistakes) {
  std::string out;
  for (const Mistake& each : mistakes) {
    out += std::to_string(each.line) + ": " + each.message + " | " + each.fix + "\n";
  }
  return out;
}

TEST(ReadPolicy, ReadsTheSketchExactly) {
  const Reading reading = read_policy(kClinic, "/data");
  ASSERT_TRUE(reading.policy.has_value()) << all(reading.mistakes);
  const Policy& policy = *reading.policy;
  EXPECT_EQ(policy.directory, "/data");
  EXPECT_EQ(policy.snapshot, "2026-11");
  EXPECT_EQ(policy.noise, NoisePreference::kLaplace);
  EXPECT_EQ(policy.other_releases, std::vector<std::string>{"a census of 2021"});
  const Units& patients = policy.units.at("patients");
  EXPECT_EQ(patients.budget.epsilon, Rational(10));
  EXPECT_EQ(patients.budget.delta, Rational::ratio(1, 1000000));
  EXPECT_EQ(patients.analysts.at("press").epsilon, Rational::ratio(1, 2));
  EXPECT_EQ(patients.analysts.at("press").delta,
            patients.budget.delta);  // the total's, unless said
  const Table& visits = *policy.find("visits");
  EXPECT_EQ(visits.rows_max, 10000000);
  EXPECT_EQ(visits.bounds.groups_per_unit, 3);
  EXPECT_TRUE(visits.bounds.declared);
  EXPECT_EQ(visits.find("clinic")->values.size(), 3u);
  EXPECT_EQ(visits.find("city")->values_from, "zip_codes.city");
  EXPECT_EQ(visits.find("cost")->grid, (Grid{0, 5000, Rational::ratio(1, 100)}));
  EXPECT_EQ(visits.find("cost")->null_rule, NullRule::kDefault);
  EXPECT_EQ(visits.find("cost")->fallback, (Value{Rational(0), Type::kDecimal}));
  EXPECT_EQ(visits.find("day")->grid, (Grid{18262, 20818, 1}));
  EXPECT_FALSE(visits.find("day")->may_aggregate);
  EXPECT_TRUE(visits.find("day")->may_group);
  EXPECT_EQ(visits.find("at")->grid->step, Rational(1000000));
  EXPECT_EQ(visits.find("smoker")->type, Type::kBoolean);
  EXPECT_EQ(visits.find("patient_id"), nullptr);  // it is the unit; nobody may reach it
  EXPECT_EQ(policy.find("patients")->unit->column, "id");
  EXPECT_EQ(policy.find("patients")->unit->space, "patients");
  EXPECT_FALSE(policy.find("patients")->bounds.declared);
  const UnitPath& labs = *policy.find("labs")->unit;
  ASSERT_EQ(labs.steps.size(), 1u);
  EXPECT_EQ(labs.steps[0], (UnitPath::Step{"visit_id", "visits", "id"}));
  EXPECT_EQ(labs.column, "patient_id");
  EXPECT_TRUE(policy.find("zip_codes")->is_public());
  EXPECT_EQ(policy.find("holidays")->source, "holidays.csv");
}

/// Replaces `from` in the sketch; exactly one mistake must be noted, on the line of `to`, that
/// holds `message` and whose fix holds `fix`.
struct Bad {
  const char* from;
  const char* to;
  const char* message;
  const char* fix;
};

TEST(ReadPolicy, EveryMistakeHasItsLineAndItsFix) {
  const std::vector<Bad> cases{
      {"snapshot: 2026", "snapshott: 2026", "unknown key 'snapshott' (did you mean snapshot?)", ""},
      {"version: 1", "version: 2", "version is '2'", "version: 1"},
      {"engine: duckdb", "engine: oracle", "engine is 'oracle'", "duckdb"},
      {"noise: laplace", "noise: lapalce", "did you mean laplace", "gaussian"},
      {"epsilon: 10,", "epsilon: -1,", "budget.epsilon is '-1'", "above 0"},
      {"epsilon: 10,", "epsilon: nan,", "budget.epsilon is 'nan'", "above 0"},
      {"epsilon: 10,", "epsilon: 1e9,", "protects nobody", "at most 1000"},
      {"epsilon: 10,", "epsilon: 1e999,", "budget.epsilon is '1e999'", "above 0"},
      {"delta: 1e-6", "delta: 1", "budget.delta is '1'", "not including 1"},
      {"delta: 1e-6", "delta: 1e-999", "finer than the ledger counts", "1e-18"},
      {"delta: 1e-6", "rho: 1", "rho stands beside epsilon", "keep one"},
      {"{epsilon: 2}", "{epsilon: 20}", "ann is above the budget", "at most 10"},
      {"{epsilon: 2}", "{epsilon: 0}", "ann.epsilon is '0'", "above 0"},
      {"{epsilon: 2}", "{delta: 1e-9}", "ann has no epsilon", "budget:"},
      {"analysts:", "notion: pure, analysts:", "above 0, but the notion is pure", "remove it"},
      {"range: [0, 120]", "range: [120, 0]", "age.range is reversed", "write [0, 120]"},
      {"range: [0, 120]", "range: [7, 7]", "holds a single value", "larger"},
      {"range: [0, 120]", "range: [0]", "has 1 entries", "[lowest, highest]"},
      {"range: [0, 120]", "range: 120", "is a text, not a list", "[0, 120]"},
      {"range: [0, 120]", "range: [0, many]", "'many' is not an integer", "write it as 42"},
      {"range: [0, 120]", "range: [\"?\", 120]", "age.range is still ?", "declare it"},
      {"range: [0, 120]", "range: \"?\"", "age.range is still ?", "declare it"},
      {"range: [0, 120]", "range: [?, ?]", "a ? is left here", "declare"},
      {"range: [0, 120]", "range: [0, 120], step: 0", "'0' is no step", "above 0"},
      {"range: [0, 120]", "range: [0, 120], step: 7", "no multiples of the step 7", "[0, 126]"},
      {"range: [0, 120]", "range: [0, 9e18]", "2^62 steps", "coarser step"},
      {"range: [0, 120]", "step: 1", "stands without a range", "add range"},
      {"step: 0.01, ", "", "cost has a range but no step", "step: 0.01"},
      {"step: 0.01", "step: -0.01", "'-0.01' is no step", "0.01"},
      {"5000], step", "5000.001], step", "no multiples of the step 0.01", "5000.01]"},
      {"{default: 0}", "{default: 5001}", "5001 is outside the range", "[0, 5000]"},
      {"{default: 0}", "{default: zero}", "'zero' is not a decimal", ""},
      {"{default: 0}", "keep", "cost.null is 'keep'", "drop"},
      {"{default: 0}", "{default: []}", "is no plain value", ""},
      {"[group, filter]", "[group, print]", "holds 'print'", "aggregate, group, filter"},
      {"[group, filter]", "[]", "allows nothing", "remove the column"},
      {"2026-12-31],", "2026-13-31],", "'2026-13-31' is no date", "2026-11-16"},
      {"type: text, values:", "type: texts, values:", "no type 'texts' (did you mean text?)", ""},
      {"type: text, values:", "type: [text], values:", "type is no word", ""},
      {"[north, south, east]", "[north, south, north]", "holds 'north' twice", "keep one"},
      {"[north, south, east]", "[]", "values is an empty list", "found privately"},
      {"[north, south, east]", "[north, null]", "values holds NULL", "quote"},
      {"[north, south, east]", "[north, [south]]", "values holds a list", "plain values"},
      {"[north, south, east]", "[north, south], range: [0, 1]", "this column is text", "remove it"},
      {"smoker:  boolean", "smoker: {type: boolean, values: [true, yes]}", "'yes' is no boolean",
       ""},
      {"smoker:  boolean", "smoker: {}", "smoker has no type", "for example"},
      {"smoker:  boolean", "smoker: ", "smoker is empty, not a map", "its keys"},
      {"smoker:  boolean", "age: boolean", "'age' stands here twice", "keep one"},
      {"smoker:  boolean", "smoker: &a boolean", "anchors", "remove it"},
      {"smoker:  boolean", "smoker: !!str boolean", "tags", "remove it"},
      {"smoker:  boolean", "[a, b]: boolean", "where a key should", "a key is a name"},
      {"smoker:  boolean", "\" smoker\": boolean", "blanks at its ends", "rename"},
      {"smoker:  boolean", "\"\": boolean", "a name of 0 bytes", "63"},
      {"zip_codes.city}", "zips.city}", "no public table 'zips'", "under public"},
      {"zip_codes.city}", "patients.id}", "no public table 'patients'", "not come from the data"},
      {"zip_codes.city}", "city}", "'city' is no column", "table.column"},
      {"zip_codes.city}", "zip_codes.city, values: [a]}", "stands beside values", "keep one"},
      {"groups_per_unit: 3", "groups_per_unit: 1000001", "groups_per_unit is '1000001'",
       "from 1 to 1000000"},
      {"groups_per_unit: 3", "groups_per_unit: 0", "groups_per_unit is '0'", "from 1 to"},
      {"groups_per_unit: 3", "groups_per_unit: 1.5", "groups_per_unit is '1.5'", "whole number"},
      {"groups_per_unit: 3", "groups_per_units: 3", "did you mean groups_per_unit", ""},
      {"rows_max: 1e7", "rows_max: -1", "rows_max is '-1'", "from 1"},
      {"column: patient_id}", "column: patient_id, row: true}", "says it twice", "one of"},
      {"unit: id", "unit: {row: false}", "row is not true", "row: true"},
      {"unit: id", "unit: {namespace: people, column: id}", "'people', which is not declared",
       "take patients"},
      {"unit: id", "unit: \"?\"", "patients.unit is still ?", "declare it"},
      {"unit: id", "unit: [id]", "unit is a list, not a map", "namespace"},
      {"labs.visit_id -> visits.id,", "labs.visit_id -> visit.id,", "does not start at visit", ""},
      {"labs.visit_id -> visits.id,", "visits.visit_id -> visits.id,", "does not start at labs",
       ""},
      {"labs.visit_id -> visits.id,", "labs.visit_id visits.id,", "stands before the end",
       "table.column -> table.key"},
      {"labs.visit_id -> visits.id,", "labs.a -> labs.b,", "is a cycle: it comes back to labs", ""},
      {"labs.visit_id -> visits.id,", "labs.visit_id -> visits,", "is no step", "for example"},
      {"visits.id, visits.patient_id]", "visits.id]", "does not end at the unit's column",
       "visits.patient_id"},
      {"[labs.visit_id -> visits.id, visits.patient_id]", "[]", "path is empty", "path: ["},
      {"visits.id, visits.patient_id]", "visits.id, visits.doctor_id]",
       "but visits says of itself [visits.patient_id]", "same unit"},
      {"visits.id, visits.patient_id]", "zip_codes.id, zip_codes.patient_id]",
       "leads to 'zip_codes', which is not under tables", "declare it"},
      {"visits.id, visits.patient_id]", "vists.id, vists.patient_id]",
       "'vists', which is not under tables (did you mean visits?)", "declare it"},
      {"source: labs.parquet", "source: [labs.parquet]", "source is a list, not a text", ""},
      {"source: labs.parquet", "source: \"\"", "source is empty", "give it a value"},
      {"holidays: holidays.csv", "labs: labs.csv", "under tables and under public", "about nobody"},
      {"holidays: holidays.csv", "a.b: labs.csv", "a dot or an arrow", "name it without"},
      {"holidays: holidays.csv", "holidays: {source: h.csv, unit: id}", "unknown key 'unit'", ""},
  };
  for (const Bad& bad : cases) {
    const std::string text = replaced(kClinic, bad.from, bad.to);
    const Reading reading = read_policy(text, ".");
    ASSERT_FALSE(reading.policy.has_value()) << bad.to;
    const std::string shown = all(reading.mistakes);
    // A mistyped key is missing, too.
    EXPECT_LE(reading.mistakes.size(), shown.find("unknown key") == std::string::npos ? 1u : 2u)
        << bad.to << "\n"
        << shown;
    const bool gone = std::string(bad.to).empty();
    const int line = gone ? line_of(kClinic, bad.from) : line_of(text, bad.to);
    bool found = false;
    for (const Mistake& each : reading.mistakes) {
      found = found || (each.line == line && each.message.find(bad.message) != std::string::npos &&
                        each.fix.find(bad.fix) != std::string::npos && !each.fix.empty());
    }
    EXPECT_TRUE(found) << bad.to << "\nwanted on line " << line << "\n" << shown;
  }
}

TEST(ReadPolicy, AllMistakesComeTogetherByLine) {
  std::string text = replaced(kClinic, "range: [0, 120]", "range: [120, 0]");
  text = replaced(text, "epsilon: 10,", "epsilon: ten,");
  text = replaced(text, "snapshot: 2026-11\n", "");
  text = replaced(text, "column: patient_id}", "colunm: patient_id}");
  text = replaced(text, "unit: id", "unit: {}");
  const Reading reading = read_policy(text, ".");
  std::vector<int> lines;
  for (const Mistake& each : reading.mistakes) lines.push_back(each.line);
  EXPECT_TRUE(std::is_sorted(lines.begin(), lines.end())) << all(reading.mistakes);
  for (const char* part : {"the policy has no snapshot", "budget.epsilon is 'ten'",
                           "did you mean column", "does not say whose a row is", "is reversed"}) {
    EXPECT_NE(all(reading.mistakes).find(part), std::string::npos) << part;
  }
}

TEST(ReadPolicy, AMistakeIsNotedOnce) {
  const Reading reading = read_policy(replaced(kClinic, "snapshot: 2026-11\n", ""), ".");
  EXPECT_EQ(reading.mistakes.size(), 1u) << all(reading.mistakes);
}

TEST(ReadPolicy, WhatIsNoPolicyIsRefused) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "empty"},
      {"# nothing\n", "empty"},
      {"~\n", "empty"},
      {"just words\n", "not a map"},
      {"[1, 2]\n", "not a map"},
      {"a: [\n", "no YAML"},
      {"\tversion: 1\n", "no YAML"},
      {"version: 1\n---\nversion: 1\n", "second document"},
      {std::string("version: 1\0\n", 12), "UTF-8"},
      {"version: \xff\n", "UTF-8"},
      {"version: \"\\N\"\n", "no Unicode character"},
      {"version: \"\\0\"\n", "zero byte"},
      {"version: \xed\xa0\x80\n", "UTF-8"},
      {"\xff\xfev\0e\0", "UTF-8"},
      {std::string(5 << 20, 'x'), "4 MB"},
      {"a: " + std::string(100000, '['), "nested"},
      {"a: " + std::string(15, '[') + std::string(15, ']'), "unknown key 'a'"},
      {"version: " + std::string(1 << 20, 'x'), "1048576 bytes"},
      {std::string(1 << 20, 'x') + ": 1", "no YAML"},
  };
  for (const auto& [text, part] : cases) {
    const Reading reading = read_policy(text, ".");
    EXPECT_FALSE(reading.policy.has_value());
    ASSERT_FALSE(reading.mistakes.empty()) << part;
    EXPECT_NE(all(reading.mistakes).find(part), std::string::npos) << part << "\n"
                                                                   << all(reading.mistakes);
    for (const Mistake& each : reading.mistakes) {
      EXPECT_LT(each.message.size(), 1000u);
      EXPECT_FALSE(each.fix.empty());
    }
  }
}

TEST(ReadPolicy, ManyPartsAreRefusedBeforeTheyFillTheMemory) {
  std::string text = "a: [";
  for (std::size_t i = 0; i <= kNodesMax; ++i) text += "x,";
  const Reading reading = read_policy(text + "x]", ".");
  ASSERT_EQ(reading.mistakes.size(), 1u);
  EXPECT_NE(reading.mistakes[0].fix.find("values_from"), std::string::npos);
}

TEST(ReadPolicy, AnAliasBombDoesNotGoOff) {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 40; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before + ", " + before +
            ", " + before + "]\n";
  }
  const Reading reading = read_policy(text, ".");
  EXPECT_FALSE(reading.policy.has_value());
  EXPECT_NE(all(reading.mistakes).find("aliases"), std::string::npos);
}

TEST(ReadPolicy, AByteOrderMarkAndWindowsLinesAreFine) {
  std::string text = "\xEF\xBB\xBF";
  for (const char c : kClinic) text += c == '\n' ? std::string("\r\n") : std::string(1, c);
  const Reading reading = read_policy(text, ".");
  ASSERT_TRUE(reading.policy.has_value()) << all(reading.mistakes);
  EXPECT_EQ(*reading.policy, *read_policy(kClinic, ".").policy);
}

TEST(ReadPolicy, TwoTablesThatLeadToEachOtherAreRefused) {
  std::string text = replaced(kClinic, "unit: {namespace: patients, column: patient_id}",
                              "unit: {namespace: patients, path: [visits.lab -> labs.id, "
                              "labs.patient_id]}");
  const Reading reading = read_policy(text, ".");
  EXPECT_EQ(reading.mistakes.size(), 2u) << all(reading.mistakes);
  EXPECT_NE(all(reading.mistakes).find("says of itself"), std::string::npos);
}

TEST(ReadPolicy, ALongerPathMustAgreeWithEveryTableOnIt) {
  const std::string more = R"(  samples:
    source: samples.csv
    unit: {namespace: patients, path: [samples.lab_id -> labs.id, labs.visit_id -> visits.id, visits.patient_id]}
)";
  const std::string good = replaced(kClinic, "public:\n", more + "public:\n");
  const Reading reading = read_policy(good, ".");
  ASSERT_TRUE(reading.policy.has_value()) << all(reading.mistakes);
  EXPECT_EQ(reading.policy->find("samples")->unit->steps.size(), 2u);
  // labs itself says visit_id.
  const Reading other =
      read_policy(replaced(good, "labs.id, labs.visit_id", "labs.id, labs.v2"), ".");
  ASSERT_EQ(other.mistakes.size(), 1u) << all(other.mistakes);
  EXPECT_NE(other.mistakes[0].message.find("labs says of itself"), std::string::npos);
}

TEST(ReadPolicy, NotionsAndNeighboursAndBlocks) {
  const std::string units = R"(units:
  patients:
    notion: zcdp
    neighbours: replace-one
    budget: {rho: 1/2, delta: 1e-6}
    analysts: {ann: {rho: 0.1}}
    blocks: {column: patients.enrolled, values: [2024, 2025]}
)";
  const std::size_t at = kClinic.find("units:");
  std::string text = kClinic;
  text.replace(at, kClinic.find("tables:") - at, units);
  Reading reading = read_policy(text, ".");
  ASSERT_EQ(reading.mistakes.size(), 1u) << all(reading.mistakes);
  EXPECT_NE(reading.mistakes[0].message.find("declares no column 'enrolled'"), std::string::npos);
  EXPECT_EQ(reading.mistakes[0].line, line_of(text, "blocks:"));

  text = replaced(text, "    unit: id\n", "    unit: id\n    columns: {enrolled: integer}\n");
  reading = read_policy(text, ".");
  ASSERT_TRUE(reading.policy.has_value()) << all(reading.mistakes);
  const Units& patients = reading.policy->units.at("patients");
  EXPECT_EQ(patients.notion, Notion::kZcdp);
  EXPECT_EQ(patients.neighbours, Neighbours::kReplaceOne);
  EXPECT_TRUE(patients.budget.is_rho);
  EXPECT_EQ(patients.budget.epsilon, Rational::ratio(1, 2));
  EXPECT_EQ(patients.block_values, (std::vector<std::string>{"2024", "2025"}));

  reading = read_policy(replaced(text, "{rho: 0.1}", "{epsilon: 0.1}"), ".");
  EXPECT_NE(all(reading.mistakes).find("different units"), std::string::npos);
  reading = read_policy(replaced(text, "rho: 1/2, delta: 1e-6", "epsilon: 1"), ".");
  EXPECT_NE(all(reading.mistakes).find("without a delta"), std::string::npos);
  reading = read_policy(replaced(text, "[2024, 2025]", "[2024, 2024]"), ".");
  EXPECT_NE(all(reading.mistakes).find("'2024' twice"), std::string::npos);
}

TEST(ReadPolicy, TheLargestQuestionIsAtMostTheBudget) {
  const auto with = [](const std::string& caps) {
    return read_policy(replaced(kClinic, "analysts:", "largest_question: " + caps + ", analysts:"),
                       ".");
  };
  Reading reading = with("{epsilon: 0.5, delta: 1e-8}");
  ASSERT_TRUE(reading.policy.has_value()) << all(reading.mistakes);
  const Caps largest = *reading.policy->units.at("patients").largest_question;
  EXPECT_EQ(largest.epsilon, Rational::ratio(1, 2));
  EXPECT_EQ(largest.delta, Rational::ratio(1, 100'000'000));
  reading = with("0.5");
  ASSERT_TRUE(reading.policy.has_value()) << all(reading.mistakes);
  EXPECT_EQ(reading.policy->units.at("patients").largest_question->delta,
            Rational::ratio(1, 4'000'000));  // a quarter of the budget's
  reading = with("{epsilon: 11}");
  EXPECT_NE(all(reading.mistakes).find("largest_question is above the budget"), std::string::npos);
  reading = with("{epsilon: 1, delta: 1e-5}");
  EXPECT_NE(all(reading.mistakes).find("largest_question is above the budget"), std::string::npos);
  EXPECT_FALSE(read_policy(kClinic, ".").policy->units.at("patients").largest_question);
}

/// The clinic with blocks by `column`, and this type of patients.enrolled.
std::string with_blocks(const std::string& column, const std::string& values,
                        const std::string& type) {
  const std::string text =
      replaced(kClinic, "  patients: {budget:",
               "  patients: {blocks: {column: " + column + ", values: " + values + "}, budget:");
  return replaced(text, "    unit: id\n", "    unit: id\n    columns: {enrolled: " + type + "}\n");
}

TEST(ReadPolicy, ABlockColumnIsOfATableThatSaysItOfEachUnit) {
  const auto wrong = [](const std::string& column) {
    const std::string text = with_blocks(column, "[2024]", "integer");
    const Reading reading = read_policy(text, ".");
    EXPECT_EQ(reading.mistakes.size(), 1u) << all(reading.mistakes);
    if (reading.mistakes.empty()) return std::string();
    EXPECT_EQ(reading.mistakes[0].line, line_of(text, "blocks:"));
    EXPECT_NE(reading.mistakes[0].fix.find("exactly one value there for ever"), std::string::npos)
        << all(reading.mistakes);
    return reading.mistakes[0].message;
  };
  EXPECT_NE(wrong("enrolled").find("'enrolled' names no table"), std::string::npos);
  EXPECT_NE(wrong("patient.enrolled").find("did you mean patients?"), std::string::npos);
  EXPECT_NE(wrong("zip_codes.city").find("no private table"), std::string::npos);
  EXPECT_NE(wrong("labs.enrolled").find("found by a path"), std::string::npos);
  EXPECT_NE(wrong("patients.year").find("declares no column 'year'"), std::string::npos);

  std::string text = with_blocks("patients.enrolled", "[2024]", "integer");
  EXPECT_TRUE(read_policy(text, ".").policy.has_value());
  text = replaced(text, "    unit: id\n", "    unit: {namespace: patients, row: true}\n");
  EXPECT_NE(all(read_policy(text, ".").mistakes).find("is each row"), std::string::npos);
  // Another namespace's table says nothing of these units.
  text = replaced(with_blocks("staff.enrolled", "[2024]", "integer"), "units:\n",
                  "units:\n  people: {budget: 1}\n");
  text = replaced(text, "    unit: id\n", "    unit: {namespace: patients, column: id}\n");
  text = replaced(text, "public:\n",
                  "  staff: {source: staff.csv, unit: {namespace: people, column: id}, columns: "
                  "{enrolled: integer}}\npublic:\n");
  const Reading other = read_policy(text, ".");
  ASSERT_EQ(other.mistakes.size(), 1u) << all(other.mistakes);
  EXPECT_NE(other.mistakes[0].message.find("'staff' is no private table of this namespace"),
            std::string::npos);
}

TEST(ReadPolicy, ABlockColumnKeepsItsBlocksApart) {
  const struct {
    const char* type;
    const char* values;
    const char* mistake;  // none: it is fine
  } cases[] = {
      {"text", "[a, b]", nullptr},
      {"boolean", "[true, false]", nullptr},
      {"integer", "[2024, 2025]", nullptr},
      {"date", "[2024-01-01]", nullptr},
      {"{type: integer, range: [2019, 2030]}", "[2020, 2029]", nullptr},
      {"{type: date, range: [2019-12-31, 2020-01-02]}", "[2020-01-01]", nullptr},
      {"{type: text, values: [a, b]}", "[a, b]", nullptr},
      // The ends stand for all that lies beyond.
      {"{type: integer, range: [2020, 2030]}", "[2020]", "strictly inside"},
      {"{type: integer, range: [2020, 2030]}", "[2030]", "strictly inside"},
      {"{type: integer, range: [2020, 2030]}", "[2031]", "strictly inside"},
      {"{type: date, range: [2020-01-01, 2020-01-09]}", "[2020-01-01]", "strictly inside"},
      {"integer", "[4611686018427387903]", "strictly inside"},
      {"date", "[0001-01-01]", "strictly inside"},
      {"{type: integer, range: [2010, 2030], step: 5}", "[2020]", "steps of 5"},
      {"{type: integer, range: [2010, 2030], null: {default: 2020}}", "[2020]", "missing value"},
      {"{type: decimal, range: [0, 9], step: 1}", "[5]", "is decimal"},
      {"timestamp", "[2020-01-01]", "is timestamp"},
      {"integer", "[north]", "'north' is no integer"},
      {"integer", "[2024.5]", "'2024.5' is no integer"},
      {"date", "[2024-02-30]", "'2024-02-30' is no date"},
      {"boolean", "[maybe]", "'maybe' is no boolean"},
      {"integer", "[2000, 2e3]", "'2e3' is there twice"},
  };
  for (const auto& [type, values, mistake] : cases) {
    const std::string text = with_blocks("patients.enrolled", values, type);
    const Reading reading = read_policy(text, ".");
    if (mistake == nullptr) {
      EXPECT_TRUE(reading.policy.has_value()) << type << all(reading.mistakes);
      continue;
    }
    ASSERT_EQ(reading.mistakes.size(), 1u) << type << values << all(reading.mistakes);
    EXPECT_NE(reading.mistakes[0].message.find(mistake), std::string::npos)
        << all(reading.mistakes);
    EXPECT_EQ(reading.mistakes[0].line, line_of(text, "blocks:"));
    EXPECT_FALSE(reading.mistakes[0].fix.empty());
  }
}

TEST(ReadPolicy, APublicTableHasNoPrivateTablesSource) {
  const std::string folder = ::testing::TempDir() + "policy_sources";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/visits.parquet") << "rows";
  std::filesystem::create_symlink("visits.parquet", folder + "/other.parquet");
  const auto with_public = [](const std::string& source) {
    return replaced(kClinic, "holidays: holidays.csv", "holidays: " + source);
  };
  for (const std::string& source :
       {std::string("visits.parquet"), std::string("./visits.parquet"),
        std::string("x/../visits.parquet"), std::string("other.parquet"),
        folder + "/visits.parquet", std::string("{source: labs.parquet}")}) {
    const std::string text = with_public(source);
    const Reading reading = read_policy(text, folder);
    ASSERT_EQ(reading.mistakes.size(), 1u) << source << all(reading.mistakes);
    EXPECT_NE(reading.mistakes[0].message.find("public.holidays has the source of the private"),
              std::string::npos);
    EXPECT_EQ(reading.mistakes[0].line, line_of(text, "holidays:"));
  }
  EXPECT_TRUE(read_policy(with_public("x/visits.parquet"), folder).policy.has_value());
  // Two tables of one file are two sources; names in it have no case.
  const auto in_file = [&](const std::string& table) {
    return replaced(with_public("clinic.duckdb:" + table), "source: visits.parquet",
                    "source: ./clinic.duckdb:visits");
  };
  EXPECT_TRUE(read_policy(in_file("holidays"), folder).policy.has_value());
  EXPECT_FALSE(read_policy(in_file("Visits"), folder).policy.has_value());
  EXPECT_FALSE(read_policy(in_file("main.visits"), folder).policy.has_value());
  // A server's tables are no files.
  const std::string server =
      replaced(in_file("visits"), "engine: duckdb", "engine: postgres://h/d");
  EXPECT_TRUE(
      read_policy(replaced(server, "./clinic.duckdb:visits", "visits"), folder).policy.has_value());
  EXPECT_FALSE(read_policy(replaced(replaced(server, "./clinic.duckdb:visits", "visits"),
                                    "clinic.duckdb:visits", "VISITS"),
                           folder)
                   .policy.has_value());
  std::filesystem::remove_all(folder);
}

TEST(LoadPolicy, SaysWhatIsWrongInOneLine) {
  const std::string file = ::testing::TempDir() + "policy_read_test.yaml";
  std::ofstream(file) << replaced(kClinic, "range: [0, 120]", "range: [120, 0]");
  const auto wrong = load_policy(file);
  ASSERT_FALSE(wrong.has_value());
  EXPECT_EQ(wrong.error().code, Code::kInvalidInput);
  EXPECT_NE(wrong.error().message.find("line 15: tables.visits.columns.age.range is reversed"),
            std::string::npos)
      << wrong.error().message;
  EXPECT_EQ(wrong.error().message.find('\n'), std::string::npos);

  std::ofstream(file) << kClinic;
  const auto fine = load_policy(file);
  ASSERT_TRUE(fine.has_value());
  EXPECT_EQ(fine->directory, std::filesystem::path(file).parent_path().string());
  std::filesystem::remove(file);
  const auto missing = load_policy(file);
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().code, Code::kNotFound);
  EXPECT_NE(missing.error().message.find("policy init"), std::string::npos);
  EXPECT_FALSE(load_policy(::testing::TempDir()).has_value());
}

constexpr Deprecated kOldKeys[] = {
    {NameKind::kPolicyKey, "label", "snapshot", {0, 9}, {0, 11}},
    {NameKind::kPolicyKey, "max_groups", "groups_per_unit", {0, 9}, {0, 11}}};

Reading read_with_old_keys(const std::string& text) {
  return read_policy(text, ".", Open::kMistake, kOldKeys);
}

TEST(Read, AnOldKeyIsReadAsTheNewOneAndWarnsOnce) {
  const std::string old =
      replaced(replaced(kClinic, "snapshot:", "label:"), "{groups_per_unit: 3", "{max_groups: 3");
  const Reading reading = read_with_old_keys(old);
  ASSERT_TRUE(reading.policy) << reading.mistakes.front().message;
  EXPECT_EQ(*reading.policy, *read_policy(kClinic, ".").policy);
  ASSERT_EQ(reading.warnings.size(), 2U);
  EXPECT_EQ(reading.warnings[0],
            "'label' is deprecated since version 0.9 and goes in 0.11; use 'snapshot'");
  EXPECT_TRUE(read_with_old_keys(kClinic).warnings.empty());
  // Without its entry it is a mistake, and so it is where the new key means nothing.
  EXPECT_FALSE(read_policy(old, ".").policy);
  EXPECT_FALSE(read_with_old_keys(replaced(kClinic, "engine:", "max_groups:")).policy);
}

TEST(LoadPolicy, WarnsOfAnOldKeyOnceOnStandardError) {
  const std::string file = ::testing::TempDir() + "/old_key.yaml";
  std::ofstream(file) << replaced(kClinic, "snapshot:", "label:");
  const auto said = [&] {
    ::testing::internal::CaptureStderr();
    EXPECT_TRUE(load_policy(file, Open::kMistake, kOldKeys));
    return ::testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(said(), "discreet: warning: " + file +
                        ": key 'label' is deprecated since version 0.9 and goes in 0.11; use "
                        "'snapshot'\n");
  EXPECT_EQ(said(), "");
  EXPECT_FALSE(load_policy(file));
}

TEST(Read, AnOldKeyBesideItsNewOneIsAMistake) {
  const Reading reading = read_with_old_keys(kClinic + "label: other\n");
  EXPECT_FALSE(reading.policy);
  ASSERT_EQ(reading.mistakes.size(), 1U);
  EXPECT_EQ(reading.mistakes[0].message, "label is the old name of snapshot, which is there too");
}

}  // namespace
}  // namespace discreet::policy::read_test
