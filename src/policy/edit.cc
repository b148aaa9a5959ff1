// SPDX-License-Identifier: Apache-2.0
#include "policy/edit.h"

#include <algorithm>
#include <vector>

#include "policy/document.h"
#include "policy/value.h"
#include "policy/write.h"

namespace discreet::policy {
namespace {

const Node* columns_of(const Document& document, const std::string& table) {
  const Node* at = document.root ? &*document.root : nullptr;
  for (const std::string& name : {std::string("tables"), table, std::string("columns")}) {
    at = at == nullptr ? nullptr : at->find(name);
  }
  return at;
}

int last_line(const Node& node) {
  int last = std::max(node.line, node.key_line);
  for (const Node& child : node.children) last = std::max(last, last_line(child));
  return last;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

/// What the owner wrote behind the column; a draft's own hint is not needed any more.
std::string comment_of(const std::string& line) {
  const std::size_t close = line.rfind('}');
  const std::size_t sign = line.find(" #", close == std::string::npos ? 0 : close);
  if (sign == std::string::npos) return "";
  const std::string words = line.substr(sign + 1);
  return words.starts_with("# keys found privately") || words.starts_with("# bought privately")
             ? ""
             : "; " + words.substr(words.find_first_not_of("# "));
}

Error by_hand(int line, const Column& column) {
  return {Code::kUnsupported,
          "line " + std::to_string(line) +
              " of the policy cannot be changed by itself; write there: " + column_text(column)};
}

/// Where a column stands in the text.
struct ColumnLines {
  int first = 0;
  int last = 0;
  bool are_its_own = true;  ///< no other column is in them
};

Result<ColumnLines> lines_of_column(const std::string& text, const ColumnPlace& place) {
  const Document document = read_document(text);
  const Node* const columns = columns_of(document, place.table);
  const Node* const node = columns == nullptr ? nullptr : columns->find(place.column);
  if (node == nullptr) {
    return Error{Code::kNotFound, "the policy declares no column " + in_quotes(place.column) +
                                      " of table " + in_quotes(place.table)};
  }
  ColumnLines lines{.first = node->key_line, .last = last_line(*node)};
  for (const Node& other : columns->children) {
    const bool apart =
        &other == node || other.key_line > lines.last || last_line(other) < lines.first;
    lines.are_its_own = lines.are_its_own && apart;
  }
  return lines;
}

}  // namespace

Result<void> check_column_lines(const std::string& text, const ColumnPlace& place) {
  DISCREET_ASSIGN(const ColumnLines at, lines_of_column(text, place));
  if (at.are_its_own) return {};
  return Error{Code::kUnsupported, "line " + std::to_string(at.first) +
                                       " of the policy has several columns; give each its own "
                                       "line, so that one can be replaced"};
}

Result<std::string> with_column(const std::string& text, const std::string& table,
                                const Column& column) {
  DISCREET_ASSIGN(const ColumnLines at, lines_of_column(text, {table, column.name}));
  const auto [first, last, are_its_own] = at;
  if (!are_its_own) return by_hand(first, column);
  std::vector<std::string> lines = lines_of(text);
  const std::string& old = lines[static_cast<std::size_t>(first - 1)];
  const std::string indent = old.substr(0, old.find_first_not_of(' '));
  const std::string comment = first == last ? comment_of(old) : std::string();
  const auto begin = lines.begin() + (first - 1);
  *begin = indent + column_text(column) + (column.bought.empty() ? "" : kBoughtComment) + comment;
  lines.erase(begin + 1, begin + (last - first + 1));
  std::string out;
  for (const std::string& line : lines) out += line + "\n";

  Reading before = read_policy(text, ".", Open::kUndeclared);
  if (!before.policy) {
    return invalid_input("the policy has mistakes; see them with discreet policy check");
  }
  for (Column& each : before.policy->tables[table].columns) {
    if (each.name == column.name) each = column;
  }
  const Reading after = read_policy(out, ".", Open::kUndeclared);
  if (!after.policy || *after.policy != *before.policy) return by_hand(first, column);
  return out;
}

namespace {

/// The policy of `before` with that ledger, and nothing else.
bool is_with_ledger(const std::string& text, Policy before, const std::string& id) {
  before.ledger = id;
  const Reading after = read_policy(text, ".", Open::kUndeclared);
  return after.policy && *after.policy == before;
}

std::string line_of(const std::string& text, std::size_t at) {
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(at);
  return "(line " + std::to_string(1 + std::count(text.begin(), end, '\n')) + ")";
}

}  // namespace

std::string ledger_by_hand(const std::string& text, const std::string& id) {
  const std::string words = "ledger: " + yaml_text(id);
  const std::string plainly = "add this line to it: " + words;
  const Reading before = read_policy(text, ".", Open::kUndeclared);
  if (!before.policy) return plainly;
  if (const std::size_t brace = text.find('{'); brace != text.npos) {
    std::string changed = text;
    changed.insert(brace + 1, words + ", ");
    if (is_with_ledger(changed, *before.policy, id)) {
      return "write this behind its first { " + line_of(text, brace) + ": " + words + ",";
    }
  }
  if (const std::size_t dots = text.rfind("\n..."); dots != text.npos) {
    std::string changed = text;
    changed.insert(dots + 1, words + "\n");
    if (is_with_ledger(changed, *before.policy, id)) {
      return "add this line above its line ... " + line_of(text, dots + 1) + ": " + words;
    }
  }
  return plainly;
}

Result<std::string> with_ledger(const std::string& text, const std::string& id) {
  const Reading before = read_policy(text, ".", Open::kUndeclared);
  if (!before.policy) {
    return invalid_input("the policy has mistakes; see them with discreet policy check");
  }
  const Document document = read_document(text);
  const int first = document.root && !document.root->children.empty()
                        ? document.root->children.front().key_line
                        : 1;
  const std::string line = lines_of(text)[static_cast<std::size_t>(first - 1)];
  const std::string indent = line.substr(0, line.find_first_not_of(' '));
  const std::string end = line.ends_with('\r') ? "\r\n" : "\n";
  const std::string out = text + (text.ends_with('\n') ? "" : end) + indent +
                          "ledger: " + yaml_text(id) + kLedgerComment + end;
  if (!is_with_ledger(out, *before.policy, id)) {
    return Error{Code::kUnsupported, "a line cannot be added at its end"};
  }
  return out;
}

std::optional<Rational> declared_step(const std::string& text, const ColumnPlace& place) {
  const Document document = read_document(text);
  const Node* const columns = columns_of(document, place.table);
  const Node* const node = columns == nullptr ? nullptr : columns->find(place.column);
  const Node* const step = node == nullptr ? nullptr : node->find("step");
  if (step == nullptr || !step->is(Node::Kind::kScalar)) return std::nullopt;
  const auto parsed = parse_step(Type::kDecimal, step->text);
  if (!parsed) return std::nullopt;
  return *parsed;
}

}  // namespace discreet::policy
