// SPDX-License-Identifier: Apache-2.0
#include "sql/parse.h"

#include <pg_query.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <utility>

namespace discreet::sql {
namespace {

using nlohmann::json;

// Owns what pg_query_parse allocated.
class Parse {
 public:
  explicit Parse(const char* text) : result_(pg_query_parse(text)) {}
  Parse(const Parse&) = delete;
  Parse& operator=(const Parse&) = delete;
  ~Parse() { pg_query_free_parse_result(result_); }
  const PgQueryError* error() const { return result_.error; }
  std::string_view tree() const { return result_.parse_tree; }

 private:
  PgQueryParseResult result_;
};

// Not recursive: it is what makes recursion safe for all others.
bool deeper_than(const json& tree, std::size_t depth_max) {
  std::vector<std::pair<const json*, std::size_t>> open = {{&tree, 1}};
  while (!open.empty()) {
    const auto [value, depth] = open.back();
    open.pop_back();
    if (depth > depth_max) return true;
    if (!value->is_structured()) continue;
    for (const json& inside : *value) open.emplace_back(&inside, depth + 1);
  }
  return false;
}

Place place_of(const json& value) {
  if (!value.is_structured()) return std::nullopt;
  if (value.is_object()) {
    const auto found = value.find("location");
    if (found != value.end() && found->is_number_integer() && found->get<std::int64_t>() >= 0) {
      return static_cast<std::size_t>(found->get<std::int64_t>());
    }
  }
  Place first;
  for (const json& inside : value) {
    const Place place = place_of(inside);
    if (place && (!first || *place < *first)) first = place;
  }
  return first;
}

// The parser's JSON leaves out integer constants that are not above 0: -5 looks like 0. What they
// are is read from the tokens at their place: signs and parentheses, then digits.
std::optional<std::int64_t> integer_at(const Text& text, const std::vector<Token>& tokens,
                                       std::size_t place) {
  auto token = std::ranges::lower_bound(tokens, place, {}, &Token::start);
  bool negative = false;
  for (; token != tokens.end() && (token->symbol == '-' || token->symbol == '('); ++token) {
    negative = negative != (token->symbol == '-');
  }
  if (token == tokens.end() || token->kind != TokenKind::kNumber) return std::nullopt;
  const std::string_view digits = spelling(text, *token);
  std::int64_t value = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (read.ec != std::errc() || read.ptr != digits.data() + digits.size()) return std::nullopt;
  if (negative) value = -value;
  return value <= 0 ? std::optional(value) : std::nullopt;
}

void mend_integers(json& tree, const Text& text, const std::vector<Token>& tokens) {
  if (!tree.is_structured()) return;
  const auto constant = tree.is_object() ? tree.find("A_Const") : tree.end();
  if (constant == tree.end()) {
    for (json& inside : tree) mend_integers(inside, text, tokens);
    return;
  }
  const auto integer = constant->find("ival");
  if (integer == constant->end() || integer->contains("ival")) return;
  const Place place = place_of(*constant);
  const auto value = place ? integer_at(text, tokens, *place) : std::nullopt;
  if (value) {
    (*integer)["ival"] = *value;
  } else {
    constant->erase("ival");  // not a number that anybody wrote: no constant at all
  }
}

}  // namespace

Node Node::of(const json& wrapped) {
  if (!wrapped.is_object() || wrapped.size() != 1) return {};
  const auto entry = wrapped.begin();
  if (!entry->is_object()) return {};
  return {&*entry, entry.key()};
}

const json* Node::find(const char* field) const {
  if (body_ == nullptr) return nullptr;
  const auto found = body_->find(field);
  return found == body_->end() ? nullptr : &*found;
}

Node Node::child(const char* field) const {
  const json* value = find(field);
  return value == nullptr ? Node() : of(*value);
}

Node Node::part(const char* field) const {
  const json* value = find(field);
  return value == nullptr || !value->is_object() ? Node() : Node(value, "");
}

std::vector<Node> Node::list(const char* field) const {
  std::vector<Node> out;
  const json* value = find(field);
  if (value == nullptr || !value->is_array()) return out;
  for (const json& item : *value) {
    if (const Node node = of(item)) out.push_back(node);
  }
  return out;
}

std::vector<std::string> Node::names(const char* field) const {
  std::vector<std::string> out;
  for (const Node& node : list(field)) out.push_back(node.text("sval"));
  return out;
}

std::string Node::text(const char* field) const {
  const json* value = find(field);
  return value != nullptr && value->is_string() ? value->get<std::string>() : "";
}

bool Node::flag(const char* field) const {
  const json* value = find(field);
  return value != nullptr && value->is_boolean() && value->get<bool>();
}

bool Node::has(const char* field) const { return find(field) != nullptr; }

std::int64_t Node::number(const char* field) const {
  const json* value = find(field);
  return value != nullptr && value->is_number_integer() ? value->get<std::int64_t>() : 0;
}

Place Node::place() const { return body_ == nullptr ? std::nullopt : place_of(*body_); }

std::vector<Node> Node::find_all(std::string_view kind) const {
  std::vector<Node> out;
  if (body_ == nullptr) return out;
  if (kind_ == kind) return {*this};
  const auto look = [&out, kind](const json& value, const auto& again) -> void {
    if (!value.is_structured()) return;
    const Node node = of(value);
    if (node.is(kind)) {
      out.push_back(node);
      return;
    }
    for (const json& inside : value) again(inside, again);
  };
  look(*body_, look);
  return out;
}

Node Statement::root() const { return Node::of(tree_->at("stmts").at(0).at("stmt")); }

Result<Statement> parse(const Text& text, const std::vector<Token>& tokens,
                        const std::string& sql) {
  const Parse parsed(sql.c_str());
  if (parsed.error() != nullptr) {
    return text.parser_error(parsed.error()->cursorpos, parsed.error()->message);
  }
  auto tree = std::make_shared<json>(json::parse(parsed.tree(), nullptr, false));
  const bool readable = tree->is_object() && tree->contains("stmts");
  if (!readable) return Error{Code::kBug, "the parser's tree cannot be read"};
  const json& statements = (*tree)["stmts"];
  if (statements.empty()) {
    return invalid_input("the question is empty; write one SELECT statement");
  }
  if (statements.size() > 1) {
    const auto second = statements[1].find("stmt_location");
    std::size_t at = second == statements[1].end() ? 0 : second->get<std::size_t>();
    at = std::min(text.bytes().find_first_not_of(" \t\r\n", at), text.bytes().size());
    return text.error(Code::kInvalidInput, at,
                      "a second statement starts here; ask one question at a time");
  }
  if (deeper_than(*tree, kTreeDepthMax)) {
    return invalid_input(
        "the question is nested too deeply (long chains of operators count); write it flatter");
  }
  mend_integers(*tree, text, tokens);
  Statement statement;
  statement.tree_ = std::move(tree);
  return statement;
}

}  // namespace discreet::sql
