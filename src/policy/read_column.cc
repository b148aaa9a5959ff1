// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <utility>

#include "policy/read.h"
#include "policy/value.h"

namespace discreet::policy {
namespace {

using Kind = Node::Kind;

const char* const kColumnExample = "age: {type: integer, range: [0, 120]}";

/// Below this, sums of many rows stay within 128 bits and values within 62 (plan/expression.h).
const Rational& steps_max() {
  static const Rational kMax = power_of_two(62);
  return kMax;
}

std::string range_text(Type type, const Rational& low, const Rational& high) {
  return "[" + to_string(number_value(type, low)) + ", " + to_string(number_value(type, high)) +
         "]";
}

/// Both ends, if there are two and they are of the column's type.
std::optional<std::pair<Rational, Rational>> read_range(Fields& fields, Type type,
                                                        Mistakes& mistakes) {
  const Node* node = fields.get_list("range", "range: [0, 120]");
  if (node == nullptr) return std::nullopt;
  const std::string path = fields.path_of("range");
  const std::vector<const Node*> ends = texts_of(*node, path, mistakes);
  if (node->children.size() != 2) {
    mistakes.add(node->line, path + " has " + std::to_string(node->children.size()) + " entries",
                 "a range has two: [lowest, highest]");
    return std::nullopt;
  }
  std::vector<Rational> numbers;
  for (const Node* end : ends) {
    const auto value = parse_value(type, end->text);
    if (value) {
      numbers.push_back(value->number());
    } else {
      mistakes.add(end->line, path, value.error());
    }
  }
  if (numbers.size() != 2) return std::nullopt;
  if (numbers[0] >= numbers[1]) {
    mistakes.add(node->line,
                 path + (numbers[0] == numbers[1] ? " holds a single value" : " is reversed"),
                 numbers[0] == numbers[1] ? "the lowest value comes first, then a larger one"
                                          : "write " + range_text(type, numbers[1], numbers[0]));
    return std::nullopt;
  }
  return std::pair(numbers[0], numbers[1]);
}

std::optional<Rational> read_step(Fields& fields, Type type, Mistakes& mistakes) {
  if (!fields.has("step")) {
    const auto step = default_step(type);
    if (!step) {
      mistakes.add(fields.line(), fields.path() + " has a range but no step",
                   "say how fine its values are, such as step: 0.01");
    }
    return step;
  }
  const auto text = fields.get_text("step");
  if (!text) return std::nullopt;
  const auto step = parse_step(type, *text);
  if (step) return *step;
  mistakes.add(fields.line_of("step"), fields.path_of("step"), step.error());
  return std::nullopt;
}

/// Whether a draft left it for a purchase.
bool is_left_open(const Node& column, const char* key, const Mistakes& mistakes) {
  if (mistakes.open == Open::kMistake) return false;
  const Node* const node = column.find(key);
  if (node == nullptr) return false;
  return node->is_open() || std::any_of(node->children.begin(), node->children.end(),
                                        [](const Node& child) { return child.is_open(); });
}

std::optional<Grid> read_grid(Fields& fields, Type type, Mistakes& mistakes) {
  if (!has_range(type)) {
    for (const char* key : {"range", "step"}) {
      if (!fields.has(key)) continue;
      fields.wrong(key, "is for numbers, dates and timestamps; this column is " + to_string(type),
                   "remove it, or list the values: values: [a, b]");
    }
    return std::nullopt;
  }
  if (!fields.has("range")) {
    if (fields.has("step"))
      fields.wrong("step", "stands without a range", "add range: [low, high]");
    return std::nullopt;
  }
  const auto range = read_range(fields, type, mistakes);
  const auto step = read_step(fields, type, mistakes);
  if (!range || !step) return std::nullopt;
  const auto& [low, high] = *range;
  const Rational first = Rational((low / *step).floor()) * *step;
  const Rational last = Rational((high / *step).ceil()) * *step;
  if (first != low || last != high) {
    fields.wrong("range", "has ends that are no multiples of the step " + step_text(type, *step),
                 "write " + range_text(type, first, last) + ", or another step");
    return std::nullopt;
  }
  if (low.abs() >= steps_max() * *step || high.abs() >= steps_max() * *step) {
    fields.wrong("range", "reaches 2^62 steps or more", "take a narrower range or a coarser step");
    return std::nullopt;
  }
  return Grid{low, high, *step};
}

/// Notes a constant that the range does not hold.
bool check_in_range(const Column& column, const Value& value, int line, const std::string& path,
                    Mistakes& mistakes) {
  if (!column.grid || contains(*column.grid, value.number())) return true;
  mistakes.add(line, path + ": " + to_string(value) + " is outside the range or between its steps",
               "take one of " + range_text(column.type, column.grid->low, column.grid->high) +
                   " in steps of " + step_text(column.type, column.grid->step));
  return false;
}

void read_values(Fields& fields, Column& column, Mistakes& mistakes) {
  const Node* node = fields.get_list("values", "values: [north, south]");
  if (node == nullptr) return;
  const std::string path = fields.path_of("values");
  if (node->children.empty()) {
    mistakes.add(node->line, path + " is an empty list",
                 "list the keys, or remove it: keys are then found privately");
  }
  std::set<std::string> seen;
  for (const Node* item : texts_of(*node, path, mistakes)) {
    const auto value = parse_value(column.type, item->text);
    if (!value) {
      mistakes.add(item->line, path, value.error());
    } else if (!seen.insert(to_string(*value)).second) {
      mistakes.add(item->line, path + " holds " + in_quotes(item->text) + " twice", "keep one");
    } else if (check_in_range(column, *value, item->line, path, mistakes)) {
      column.values.push_back(*value);
    }
  }
}

void read_null_rule(Fields& fields, Column& column, Mistakes& mistakes) {
  const Node* node = fields.get("null");
  if (node == nullptr) return;
  if (node->is(Kind::kScalar)) {
    if (node->text == "drop") return;
    fields.wrong("null", "is " + in_quotes(node->text),
                 "write \"null\": drop, or \"null\": {default: value}");
    return;
  }
  Fields inner(*node, fields.path_of("null"), {"default"}, mistakes);
  inner.require("default", "write \"null\": {default: value}, or \"null\": drop");
  const Node* fallback = inner.get("default");
  if (fallback == nullptr) return;
  const std::string path = inner.path_of("default");
  if (!fallback->is(Kind::kScalar)) return inner.wrong("default", "is no plain value", "write one");
  const auto value = parse_value(column.type, fallback->text);
  if (!value) return mistakes.add(fallback->line, path, value.error());
  if (!check_in_range(column, *value, fallback->line, path, mistakes)) return;
  if (!column.values.empty() &&
      std::find(column.values.begin(), column.values.end(), *value) == column.values.end()) {
    return mistakes.add(fallback->line, path + ": " + in_quotes(fallback->text) + " is not listed",
                        "add it to values");
  }
  column.null_rule = NullRule::kDefault;
  column.fallback = *value;
}

void read_may(Fields& fields, Column& column, Mistakes& mistakes) {
  const Node* node = fields.get("may");
  if (node == nullptr) return;
  column.may_aggregate = column.may_group = column.may_filter = false;
  const std::string path = fields.path_of("may");
  const std::string form = "write may: [aggregate, group, filter], or some of them";
  if (node->is(Kind::kMap)) return mistakes.add(node->line, path + " is a map", form);
  if (node->children.empty() && node->is(Kind::kList)) {
    return mistakes.add(node->line, path + " allows nothing",
                        "remove the column: what is not declared cannot be reached");
  }
  for (const Node* item : texts_of(*node, path, mistakes)) {
    if (item->text == "aggregate") {
      column.may_aggregate = true;
    } else if (item->text == "group") {
      column.may_group = true;
    } else if (item->text == "filter") {
      column.may_filter = true;
    } else {
      mistakes.add(item->line, path + " holds " + in_quotes(item->text), form);
    }
  }
}

std::optional<Type> read_type(const Node& node, const std::string& path, Mistakes& mistakes) {
  const auto type = parse_type(node.text);
  if (type) return *type;
  mistakes.add(node.line, path, type.error());
  return std::nullopt;
}

}  // namespace

Column read_column(const Node& node, const std::string& path, Mistakes& mistakes) {
  Column column;
  column.name = node.key;
  (void)check_name(node.key, node.key_line, path, mistakes);
  if (node.is(Kind::kScalar) && !node.is_open()) {  // short for {type: ...}
    column.type = read_type(node, path, mistakes).value_or(Type::kText);
    return column;
  }
  Fields fields(node, path,
                {"type", "range", "step", "values", "values_from", "null", "may", "bought"},
                mistakes);
  fields.require("type", std::string("for example: ") + kColumnExample);
  const Node* type_node = fields.get("type");
  if (type_node == nullptr) return column;
  if (!type_node->is(Kind::kScalar)) {
    fields.wrong("type", "is no word", std::string("for example: ") + kColumnExample);
    return column;
  }
  const auto type = read_type(*type_node, fields.path_of("type"), mistakes);
  if (!type) return column;  // what follows depends on it
  column.type = *type;
  const bool open_range = is_left_open(node, "range", mistakes);
  if (!open_range) column.grid = read_grid(fields, *type, mistakes);
  if (!is_left_open(node, "values", mistakes)) read_values(fields, column, mistakes);
  column.bought = fields.get_text("bought").value_or("");
  if (!column.bought.empty() && !column.grid && column.values.empty() && mistakes.empty()) {
    fields.wrong("bought", "stands without a range or values",
                 "it says where these come from: remove it, or buy them with discreet policy buy");
  }
  if (fields.has("values") && fields.has("values_from")) {
    fields.wrong("values_from", "stands beside values", "keep one of the two");
  }
  column.values_from = fields.get_text("values_from").value_or("");
  read_null_rule(fields, column, mistakes);
  read_may(fields, column, mistakes);
  return column;
}

}  // namespace discreet::policy
