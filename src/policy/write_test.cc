// SPDX-License-Identifier: Apache-2.0
#include "policy/write.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "policy/policy.h"
#include "policy/value.h"

namespace discreet::policy::write_test {
namespace {

/// Pieces that YAML could take for something else than text.
std::string any_text(std::size_t pieces_max) {
  static const std::vector<std::string> kPieces{
      "a",  "Z",  "0",  "7",   "_", "null", "true", "~",    ":",      ": ",     "#",      " #",
      "-",  "- ", "?",  "? ",  "'", "\"",   "\\",   "\\n",  "{",      "}",      "[",      "]",
      ",",  ", ", "&",  "*",   "!", "|",    ">",    "%",    "@",      "`",      " ",      "é",
      "日", "\t", "\n", "---", "=", "<<",   "🙂",   "\x7f", "\u00a0", "\u2028", "\u0085", "\ufeff"};
  const auto count = *rc::gen::inRange<std::size_t>(1, pieces_max + 1);
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += *rc::gen::elementOf(kPieces);
  return out == "?" ? "q" : out;  // a lone ? is what a draft left open
}

/// What check_name() allows, without a table's dots and arrows.
std::string any_name() {
  std::string out = any_text(6);
  std::erase_if(out, [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f || c == '>' || c == '.';
  });
  while (!out.empty() && out.front() == ' ') out.erase(0, 1);
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out.empty() || out == "?" ? "n" : out;
}

bool toss() { return *rc::gen::inRange(0, 2) == 1; }

Caps any_caps(const Units& units, bool below) {
  const Rational most = below ? units.budget.epsilon : Rational(1000);
  Caps caps;
  caps.epsilon = most / Rational(*rc::gen::inRange<std::int64_t>(1, 1000));
  const bool needs_delta = units.notion == Notion::kZcdp;
  if (units.notion != Notion::kPure && (needs_delta || toss())) {
    caps.delta = below ? units.budget.delta : Rational::ratio(1, *rc::gen::inRange(2, 1000000));
  }
  caps.is_rho = below ? units.budget.is_rho : needs_delta && toss();
  return caps;
}

Units any_units(const std::string& name) {
  Units units;
  units.name = name;
  units.notion = *rc::gen::element(Notion::kEpsilon, Notion::kZcdp, Notion::kPure);
  units.neighbours = *rc::gen::element(Neighbours::kAddRemove, Neighbours::kReplaceOne);
  units.budget = any_caps(units, false);
  for (int i = *rc::gen::inRange(0, 3); i > 0; --i)
    units.analysts[any_name()] = any_caps(units, true);
  if (toss()) units.largest_question = any_caps(units, true);
  return units;
}

Value any_value(const Column& column) {
  if (column.type == Type::kBoolean) return {toss(), column.type};
  if (column.type == Type::kText) return {any_text(5), column.type};
  const Grid& grid = *column.grid;
  const Integer count = ((grid.high - grid.low) / grid.step).floor();
  const Rational at(*rc::gen::inRange<std::int64_t>(0, count.get_si() + 1));
  return {grid.low + at * grid.step, column.type};
}

Grid any_grid(Type type) {
  const std::int64_t low = *rc::gen::inRange<std::int64_t>(-1000, 1000);
  const std::int64_t size = *rc::gen::inRange<std::int64_t>(1, 1000);
  Rational step(*rc::gen::inRange<std::int64_t>(1, 50));
  if (type == Type::kDecimal) step = step / Rational(1000);
  if (type == Type::kTimestamp && toss()) step = step * Rational(1'000'000);
  return {Rational(low) * step, Rational(low + size) * step, step};
}

Column any_column(const std::string& name) {
  Column column;
  column.name = name;
  column.type = *rc::gen::element(Type::kBoolean, Type::kInteger, Type::kDecimal, Type::kText,
                                  Type::kDate, Type::kTimestamp);
  if (has_range(column.type)) column.grid = any_grid(column.type);
  if (toss()) {
    for (int i = *rc::gen::inRange(1, 4); i > 0; --i) {
      const Value value = any_value(column);
      bool seen = false;
      for (const Value& other : column.values) seen = seen || other == value;
      if (!seen) column.values.push_back(value);
    }
  }
  if (toss()) {
    column.null_rule = NullRule::kDefault;
    column.fallback = column.values.empty() ? any_value(column) : column.values.front();
  }
  column.may_aggregate = toss();
  column.may_group = toss();
  column.may_filter = toss() || (!column.may_aggregate && !column.may_group);
  return column;
}

Table any_table(const std::string& name, const Policy& policy) {
  Table table;
  table.name = name;
  table.source = name + "." + any_text(4);  // no public table has a private one's
  if (toss() && !policy.units.empty()) {
    table.unit = UnitPath{policy.units.begin()->first, {}, any_name(), false};
    if (toss()) table.unit = UnitPath{table.unit->space, {}, "", true};
    if (toss()) table.bounds = {*rc::gen::inRange(1, 9), *rc::gen::inRange(1, 9), true};
  }
  if (toss()) table.rows_max = *rc::gen::inRange<std::int64_t>(1, 1000000);
  for (int i = *rc::gen::inRange(0, 4); i > 0; --i) {
    const std::string column = any_name();
    if (table.find(column) == nullptr) table.columns.push_back(any_column(column));
  }
  return table;
}

void add_blocks(Policy& policy, Table& table) {
  Column column;
  column.name = "its.block";
  column.type = *rc::gen::element(Type::kText, Type::kBoolean, Type::kInteger, Type::kDate);
  Units& units = policy.units[table.unit->space];
  units.block_column = table.name + "." + column.name;
  units.block_values = {any_text(2), "another value"};
  if (column.type == Type::kBoolean) units.block_values = {"true", "false"};
  if (column.type == Type::kInteger) units.block_values = {"7", "-7"};
  if (column.type == Type::kDate) units.block_values = {"1970-01-03", "1970-01-02"};
  if (has_range(column.type) && toss()) column.grid = Grid{-8, 8, 1};
  table.columns.push_back(column);
}

Policy any_policy() {
  Policy policy;
  policy.engine = *rc::gen::element<std::string>("duckdb", "duckdb?memory=4GB", "postgres://h/d",
                                                 "trino://h:1/c");
  policy.snapshot = any_text(3);
  policy.directory = "/somewhere";
  policy.noise = *rc::gen::element(NoisePreference::kAutomatic, NoisePreference::kLaplace,
                                   NoisePreference::kGaussian);
  for (int i = *rc::gen::inRange(0, 3); i > 0; --i) {
    const std::string name = any_name();
    policy.units[name] = any_units(name);
  }
  for (int i = *rc::gen::inRange(0, 4); i > 0; --i) {
    const std::string name = any_name();
    policy.tables[name] = any_table(name, policy);
  }
  // One table whose rows belong to another's, one key list, one block column.
  for (const auto& [name, table] : std::map(policy.tables)) {
    if (table.is_public() && table.columns.empty()) {
      Table keyed = any_table("keyed", policy);
      Column column;
      column.name = "k";
      column.values_from = name + ".x";
      keyed.columns = {column};
      policy.tables["keyed"] = keyed;
    }
    if (table.unit && !table.unit->row_is_unit && name != "child") {
      Table child = any_table("child", policy);
      child.unit = table.unit;
      child.unit->steps.insert(child.unit->steps.begin(), {any_name(), name, any_name()});
      policy.tables["child"] = child;
      if (toss()) add_blocks(policy, policy.tables[name]);
      break;
    }
  }
  for (int i = *rc::gen::inRange(0, 3); i > 0; --i) policy.other_releases.push_back(any_text(8));
  if (toss()) policy.views["a_view"] = "SELECT * FROM t WHERE x = '" + any_text(8) + "'";
  return policy;
}

TEST(WritePolicy, ReadsBackAsTheSamePolicy) {
  int paths = 0, lists = 0, blocks = 0;
  const bool held = rc::check("round trip", [&] {
    const Policy policy = any_policy();
    const std::string text = write_policy(policy);
    const Reading reading = read_policy(text, policy.directory);
    for (const Mistake& each : reading.mistakes) {
      RC_LOG() << each.line << ": " << each.message << " | " << each.fix << "\n";
    }
    if (!reading.policy) RC_FAIL(text);
    RC_ASSERT(*reading.policy == policy);
    paths += policy.tables.contains("child") ? 1 : 0;
    lists += policy.tables.contains("keyed") ? 1 : 0;
    for (const auto& [name, units] : policy.units) blocks += units.block_column.empty() ? 0 : 1;
  });
  EXPECT_TRUE(held);
  EXPECT_GT(paths, 0);  // or the generator would prove less than it says
  EXPECT_GT(lists, 0);
  EXPECT_GT(blocks, 0);
}

TEST(YamlText, IsPlainOnlyWhereNoReaderMistakesIt) {
  EXPECT_EQ(yaml_text("visits.parquet"), "visits.parquet");
  EXPECT_EQ(yaml_text("No"), "\"No\"");
  EXPECT_EQ(yaml_text("2024"), "\"2024\"");
  EXPECT_EQ(yaml_text("a: b"), "\"a: b\"");
  EXPECT_EQ(yaml_text("a\"\\\n"), "\"a\\\"\\\\\\x0a\"");
  EXPECT_EQ(yaml_text(""), "\"\"");
}

}  // namespace
}  // namespace discreet::policy::write_test
