// SPDX-License-Identifier: Apache-2.0
#include "sql/parse.h"

#include <pg_query.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

namespace discreet::sql {
namespace {

/// Behind a value: its vector or text, each in a block of the heap, a vector up to twice as long.
/// Recurses as deep as the tree is, see kTreeDepthMax.
std::size_t bytes_inside(const Json& json) {
  constexpr std::size_t kBlock = 16;
  const auto text = [](std::size_t size) { return size < 16 ? 0 : size + 1 + kBlock; };
  if (json.is_string()) return sizeof(std::string) + kBlock + text(json.text().size());
  std::size_t bytes = 0;
  if (json.is_array() || json.is_object()) bytes += sizeof(Json::Items) + 2 * kBlock;
  for (const Json& item : json.items()) bytes += 2 * sizeof(Json) + bytes_inside(item);
  for (const JsonMember& member : json.members()) {
    bytes += 2 * sizeof(JsonMember) + text(member.name.size()) + bytes_inside(member.value);
  }
  return bytes;
}

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

/// Calls `see` with all that an array or an object holds, in order.
template <class Value, class See>
void for_each_inside(Value& value, const See& see) {
  if (value.is_array()) {
    for (auto& item : value.items()) see(item);
  } else if (value.is_object()) {
    for (auto& member : value.members()) see(member.value);
  }
}

// Not recursive: it is what makes recursion safe for all others.
bool deeper_than(const Json& tree, std::size_t depth_max) {
  std::vector<std::pair<const Json*, std::size_t>> open = {{&tree, 1}};
  while (!open.empty()) {
    const auto [value, depth] = open.back();
    open.pop_back();
    if (depth > depth_max) return true;
    for_each_inside(*value, [&open, next = depth + 1](const Json& inside) {
      open.emplace_back(&inside, next);
    });
  }
  return false;
}

Place place_of(const Json& value) {
  std::size_t location = 0;
  if (value["location"].read(location)) return location;
  Place first;
  for_each_inside(value, [&first](const Json& inside) {
    const Place place = place_of(inside);
    if (place && (!first || *place < *first)) first = place;
  });
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

void mend_integers(Json& tree, const Text& text, const std::vector<Token>& tokens) {
  Json* const constant = tree.find("A_Const");
  if (constant == nullptr) {
    for_each_inside(tree, [&](Json& inside) { mend_integers(inside, text, tokens); });
    return;
  }
  Json* const integer = constant->find("ival");
  if (integer == nullptr || !integer->is_object() || integer->contains("ival")) return;
  const Place place = place_of(*constant);
  const auto value = place ? integer_at(text, tokens, *place) : std::nullopt;
  if (value) {
    (*integer)["ival"] = *value;
  } else {
    constant->erase("ival");  // not a number that anybody wrote: no constant at all
  }
}

}  // namespace

Node Node::of(const Json& wrapped) {
  if (wrapped.members().size() != 1) return {};
  const auto& [kind, body] = wrapped.members().front();
  return body.is_object() ? Node(&body, kind) : Node();
}

const Json* Node::find(const char* field) const {
  return body_ == nullptr ? nullptr : body_->find(field);
}

Node Node::child(const char* field) const {
  const Json* value = find(field);
  return value == nullptr ? Node() : of(*value);
}

Node Node::part(const char* field) const {
  const Json* value = find(field);
  return value == nullptr || !value->is_object() ? Node() : Node(value, "");
}

std::vector<Node> Node::list(const char* field) const {
  std::vector<Node> out;
  const Json* value = find(field);
  if (value == nullptr || !value->is_array()) return out;
  for (const Json& item : value->items()) {
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
  const Json* value = find(field);
  return value == nullptr ? "" : value->text();
}

bool Node::flag(const char* field) const {
  const Json* value = find(field);
  return value != nullptr && value->flag();
}

bool Node::has(const char* field) const { return find(field) != nullptr; }

std::int64_t Node::number(const char* field) const {
  const Json* value = find(field);
  std::int64_t number = 0;
  if (value != nullptr) value->read(number);
  return number;
}

Place Node::place() const { return body_ == nullptr ? std::nullopt : place_of(*body_); }

std::vector<Node> Node::find_all(std::string_view kind) const {
  std::vector<Node> out;
  if (body_ == nullptr) return out;
  if (kind_ == kind) return {*this};
  const auto look = [&out, kind](const Json& value, const auto& again) -> void {
    const Node node = of(value);
    if (node.is(kind)) {
      out.push_back(node);
      return;
    }
    for_each_inside(value, [&again](const Json& inside) { again(inside, again); });
  };
  look(*body_, look);
  return out;
}

std::size_t Statement::bytes() const { return sizeof(Json) + bytes_inside(*tree_); }

Node Statement::root() const { return Node::of((*tree_)["stmts"][0]["stmt"]); }

Result<Statement> parse(const Text& text, const std::vector<Token>& tokens,
                        const std::string& sql) {
  const Parse parsed(sql.c_str());
  if (parsed.error() != nullptr) {
    return text.parser_error(parsed.error()->cursorpos, parsed.error()->message);
  }
  // However deep: that is looked at below, and has an error of its own.
  constexpr std::size_t kAny = std::numeric_limits<std::size_t>::max();
  std::optional<Json> tree = Json::parse(parsed.tree(), kAny);
  if (!tree || !tree->contains("stmts")) {
    return Error{Code::kBug, "the parser's tree cannot be read"};
  }
  const Json& statements = *tree->find("stmts");
  if (statements.empty()) {
    return invalid_input("the question is empty; write one SELECT statement");
  }
  if (statements.size() > 1) {
    std::size_t at = 0;
    statements[1]["stmt_location"].read(at);
    at = std::min(text.bytes().find_first_not_of(" \t\r\n", at), text.bytes().size());
    return text.error(Code::kInvalidInput, at,
                      "a second statement starts here; ask one question at a time");
  }
  if (deeper_than(*tree, kTreeDepthMax)) {
    return invalid_input(
        "the question is nested too deeply (long chains of operators count); write it flatter");
  }
  tree->sort_keys();  // the order in which nodes are found, and so which of two errors is told
  mend_integers(*tree, text, tokens);
  Statement statement;
  statement.tree_ = std::make_shared<const Json>(*std::move(tree));
  return statement;
}

}  // namespace discreet::sql
