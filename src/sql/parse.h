// SPDX-License-Identifier: Apache-2.0
// PostgreSQL's parse tree of one statement. A Node is a view into it: its kind is the grammar's own
// name ("SelectStmt", "FuncCall"), and every way to look into it is total: what is absent is empty.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "sql/scan.h"
#include "sql/text.h"

namespace discreet::sql {

class Node {
 public:
  Node() = default;
  /// A node as the tree writes it: {"Kind": {...}}.
  static Node of(const Json& wrapped);

  explicit operator bool() const { return body_ != nullptr; }
  std::string_view kind() const { return kind_; }
  bool is(std::string_view kind) const { return kind_ == kind; }

  Node child(const char* field) const;              ///< a node
  Node part(const char* field) const;               ///< a plain structure inside this node
  std::vector<Node> list(const char* field) const;  ///< of nodes
  /// The texts of a list of String nodes: a name and what qualifies it.
  std::vector<std::string> names(const char* field) const;
  std::string text(const char* field) const;
  bool flag(const char* field) const;
  bool has(const char* field) const;
  std::int64_t number(const char* field) const;  ///< 0 when absent, as the tree leaves zeros out

  /// Where it starts in the text, or else where the first thing inside it does.
  Place place() const;

  /// All nodes inside, this one first, of kind `kind`. Does not look into those that it finds.
  std::vector<Node> find_all(std::string_view kind) const;

 private:
  Node(const Json* body, std::string_view kind) : body_(body), kind_(kind) {}
  const Json* find(const char* field) const;
  const Json* body_ = nullptr;
  std::string_view kind_;
};

/// Owns the tree that its nodes look into.
class Statement {
 public:
  Node root() const;
  /// About what the tree takes in memory, and no less.
  std::size_t bytes() const;

 private:
  friend Result<Statement> parse(const Text& text, const std::vector<Token>& tokens,
                                 const std::string& sql);
  std::shared_ptr<const Json> tree_;
};

/// JSON levels; a binary operator has two. Everything that walks a Statement may recurse.
inline constexpr std::size_t kTreeDepthMax = 400;

/// Parses `sql`, which is `text` or has blanks in place of what was cut out of it. `tokens` are the
/// text's.
/// Fails with: kInvalidInput for a syntax error, no statement, several, too deep a tree.
Result<Statement> parse(const Text& text, const std::vector<Token>& tokens, const std::string& sql);

}  // namespace discreet::sql
