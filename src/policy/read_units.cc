// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "policy/read.h"

namespace discreet::policy {
namespace {

using Kind = Node::Kind;

const char* const kBlocksExample = "blocks: {column: patients.enrolled, values: [2024, 2025]}";
const char* const kWithinExample =
    "within: {namespace: households, column: people.household, members: 5}";
constexpr std::int64_t kMembersMax = 1000;
const char* const kBudgetExample = "budget: {epsilon: 1, delta: 1e-6}";

/// Beyond it nothing is protected, and beyond 2^40 an Epsilon cannot be made.
const int kEpsilonMax = 1000;

/// The ledger counts in multiples of 10^-18 and rounds caps down.
const char* const kLeast = "1e-18";
constexpr std::size_t kNumberBytesMax = 40;

/// A number with a rule of its own (privacy/quantity.h), in the map that `fields` reads.
template <class Kind>
std::optional<Rational> read_quantity(Fields& fields, const std::string& key) {
  const auto text = fields.get_text(key);
  if (!text) return std::nullopt;
  const auto quantity = Quantity<Kind>::parse(*text);
  if (!quantity) {
    fields.wrong(key, "is " + in_quotes(*text), "write " + std::string(Kind::rule().range));
    return std::nullopt;
  }
  const Rational& value = quantity->value();
  if (text->size() > kNumberBytesMax || (value.sign() > 0 && value < *Rational::parse(kLeast))) {
    fields.wrong(key, "is finer than the ledger counts",
                 std::string("take at least ") + kLeast + " and no more than 18 decimals");
    return std::nullopt;
  }
  return value;
}

/// Notes a cap under which nobody is protected.
template <class Kind>
std::optional<Rational> read_cap(Fields& fields, const std::string& key) {
  const auto value = read_quantity<Kind>(fields, key);
  if (!value || *value <= Rational(kEpsilonMax)) return value;
  fields.wrong(
      key, "is " + in_quotes(value->to_string()) + ", which protects nobody",
      "take at most " + std::to_string(kEpsilonMax) + "; 1 is a strong promise, 10 a weak one");
  return std::nullopt;
}

/// {epsilon: 2, delta: 1e-6}, {rho: 0.5, delta: 1e-6}, or just 2. Delta is `delta` unless said.
std::optional<Caps> read_caps(const Node& node, const std::string& path, Notion notion,
                              const Rational& delta, Mistakes& mistakes) {
  Caps caps{0, delta, false};
  if (node.is(Kind::kScalar) && !node.is_open()) {
    const auto epsilon = Epsilon::parse(node.text);
    if (epsilon && epsilon->value() <= Rational(kEpsilonMax) &&
        epsilon->value() >= *Rational::parse(kLeast) && node.text.size() <= kNumberBytesMax) {
      caps.epsilon = epsilon->value();
      return caps;
    }
    mistakes.add(node.line, path + " is " + in_quotes(node.text),
                 "a cap is an epsilon above 0 and at most " + std::to_string(kEpsilonMax));
    return std::nullopt;
  }
  Fields fields(node, path, {"epsilon", "rho", "delta"}, mistakes);
  if (!node.is(Kind::kMap)) return std::nullopt;
  if (fields.has("rho") && fields.has("epsilon")) {
    fields.wrong("rho", "stands beside epsilon", "keep one of the two");
    return std::nullopt;
  }
  if (fields.has("rho") && notion != Notion::kZcdp) {
    fields.wrong("rho", "needs the notion zcdp", "add notion: zcdp, or give epsilon");
    return std::nullopt;
  }
  caps.is_rho = fields.has("rho");
  if (!caps.is_rho) fields.require("epsilon", kBudgetExample);
  const auto amount =
      caps.is_rho ? read_cap<RhoKind>(fields, "rho") : read_cap<EpsilonKind>(fields, "epsilon");
  if (fields.has("delta")) {
    const auto own = read_quantity<DeltaKind>(fields, "delta");
    if (!own) return std::nullopt;
    caps.delta = *own;
  }
  if (!amount) return std::nullopt;
  caps.epsilon = *amount;
  if (notion == Notion::kPure && caps.delta.sign() > 0) {
    fields.wrong("delta", "is above 0, but the notion is pure", "remove it, or notion: epsilon");
    return std::nullopt;
  }
  if (notion == Notion::kZcdp && !caps.is_rho && caps.delta.sign() == 0) {
    mistakes.add(fields.line(), path + " gives a zcdp cap as epsilon without a delta",
                 "add delta: 1e-6, or give rho");
    return std::nullopt;
  }
  return caps;
}

void check_below(const Caps& caps, const Caps& total, const Node& node, const std::string& path,
                 Mistakes& mistakes) {
  if (caps.is_rho != total.is_rho) {
    mistakes.add(node.line, path + " and the budget are in different units",
                 total.is_rho ? "give rho in both" : "give epsilon in both");
  } else if (caps.epsilon > total.epsilon || caps.delta > total.delta) {
    mistakes.add(
        node.line, path + " is above the budget of all analysts together",
        "take at most " + total.epsilon.to_string() + " and delta " + total.delta.to_string());
  }
}

void read_analysts(Fields& fields, Units& units, Mistakes& mistakes) {
  const Node* node = fields.get_map("analysts", "analysts: {ann: {epsilon: 1/2}}");
  if (node == nullptr) return;
  const bool known = units.budget.epsilon.sign() > 0;  // else that mistake is noted already
  const Rational delta = known ? units.budget.delta : Rational::ratio(1, 2);
  for (const Node& analyst : node->children) {
    const std::string path = fields.path_of("analysts") + "." + shown(analyst.key);
    if (!check_name(analyst.key, analyst.key_line, path, mistakes)) continue;
    const auto caps = read_caps(analyst, path, units.notion,
                                known || units.notion == Notion::kZcdp ? delta : 0, mistakes);
    if (!caps) continue;
    if (known) check_below(*caps, units.budget, analyst, path, mistakes);
    units.analysts[analyst.key] = *caps;
  }
}

void read_largest_question(Fields& fields, Units& units, Mistakes& mistakes) {
  const Node* const node = fields.get("largest_question");
  if (node == nullptr) return;
  const std::string path = fields.path_of("largest_question");
  const bool known = units.budget.epsilon.sign() > 0;  // else that mistake is noted already
  const auto caps =
      read_caps(*node, path, units.notion, known ? units.budget.delta / 4 : Rational(0), mistakes);
  if (!caps) return;
  if (known) check_below(*caps, units.budget, *node, path, mistakes);
  units.largest_question = *caps;
}

void read_blocks(Fields& fields, Units& units, Places& places, Mistakes& mistakes) {
  const Node* node = fields.get_map("blocks", kBlocksExample);
  if (node == nullptr) return;
  Fields blocks(*node, fields.path_of("blocks"), {"column", "values"}, mistakes);
  blocks.require("column",
                 "name the column, as table.column, that says which block a unit is in, for ever");
  blocks.require("values", "list the blocks: newcomers need a block of their own");
  units.block_column = blocks.get_text("column").value_or("");
  Places::BlocksPlace& place = places.blocks[units.name];
  place.line = blocks.has("column") ? blocks.line_of("column") : blocks.line();
  const Node* values = blocks.get_list("values", "values: [2024, 2025]");
  if (values == nullptr) return;
  const std::string path = blocks.path_of("values");
  if (values->children.empty()) mistakes.add(values->line, path + " is an empty list", "list them");
  std::set<std::string> seen;
  for (const Node* item : texts_of(*values, path, mistakes)) {
    if (seen.insert(item->text).second) {
      units.block_values.push_back(item->text);
      place.value_lines.push_back(item->line);
    } else {
      mistakes.add(item->line, path + " holds " + in_quotes(item->text) + " twice", "keep one");
    }
  }
}

void read_within(Fields& fields, Units& units, Places& places, Mistakes& mistakes) {
  const Node* node = fields.get_map("within", kWithinExample);
  if (node == nullptr) return;
  Fields within(*node, fields.path_of("within"), {"namespace", "column", "members"}, mistakes);
  within.require("namespace", "name the namespace of the larger units, declared beside this one");
  within.require("column", "name the column, as table.column, that says in which one a unit is");
  within.require("members", "say how many units of one larger unit count; more are left out");
  const auto space = within.get_name("namespace");
  const auto column = within.get_text("column");
  const auto members = within.get_count("members", kMembersMax);
  if (!space || !column || !members) return;
  units.within = Within{*space, *column, *members};
  places.within_lines[units.name] = within.line();
}

Units read_namespace(const Node& node, Places& places, Mistakes& mistakes) {
  Units units;
  units.name = node.key;
  const std::string path = "units." + shown(node.key);
  (void)check_name(node.key, node.key_line, path, mistakes);
  Fields fields(
      node, path,
      {"budget", "notion", "neighbours", "analysts", "largest_question", "blocks", "within"},
      mistakes);
  units.notion =
      static_cast<Notion>(fields.get_word("notion", {"epsilon", "zcdp", "pure"}).value_or(0));
  units.neighbours = fields.get_word("neighbours", {"add-remove", "replace-one"}).value_or(0) == 1
                         ? Neighbours::kReplaceOne
                         : Neighbours::kAddRemove;
  fields.require("budget", std::string("add ") + kBudgetExample);
  if (const Node* budget = fields.get("budget")) {
    const auto caps = read_caps(*budget, fields.path_of("budget"), units.notion, 0, mistakes);
    if (caps) units.budget = *caps;
  }
  read_analysts(fields, units, mistakes);
  read_largest_question(fields, units, mistakes);
  read_blocks(fields, units, places, mistakes);
  read_within(fields, units, places, mistakes);
  return units;
}

}  // namespace

std::map<std::string, Units> read_units(const Node& node, Places& places, Mistakes& mistakes) {
  std::map<std::string, Units> out;
  for (const Node& child : node.children) {
    Units units = read_namespace(child, places, mistakes);
    if (shown(units.name) == units.name) out[units.name] = std::move(units);
  }
  return out;
}

}  // namespace discreet::policy
