// SPDX-License-Identifier: Apache-2.0
// The keys of one map of a policy file, and the list of what is wrong with them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/deprecated.h"
#include "policy/document.h"

namespace discreet::policy {

class Mistakes {
 public:
  explicit Mistakes(Deprecations table = deprecations()) : old_keys(NameKind::kPolicyKey, table) {}
  void add(int line, std::string message, std::string fix) {
    all_.push_back({line, std::move(message), std::move(fix)});
  }
  /// "what is wrong; how to mend it", as an Error's message reads, becomes a message and a fix.
  void add(int line, const std::string& where, const Error& error);
  void add(std::vector<Mistake> more) { all_.insert(all_.end(), more.begin(), more.end()); }
  bool empty() const { return all_.empty(); }
  /// By line.
  std::vector<Mistake> take();
  /// See policy.h.
  Open open = Open::kMistake;
  /// No mistakes yet.
  OldNames old_keys;

 private:
  std::vector<Mistake> all_;
};

/// A map whose keys are known beforehand. Asking for a value of the wrong kind notes the mistake
/// and yields nothing, and so does a "?" that a draft left: readers go on and find the next
/// mistake.
class Fields {
 public:
  /// `path` is how messages call the map: "units.patients". Notes a node that is no map, and keys
  /// that are not `known`. A key's old name is its new one, unless both are there.
  Fields(const Node& node, std::string path, std::vector<std::string> known, Mistakes& mistakes);

  const std::string& path() const { return path_; }
  int line() const { return line_; }
  std::string path_of(const std::string& key) const;
  int line_of(const std::string& key) const;
  /// Present, be it right or wrong.
  bool has(const std::string& key) const { return find(key) != nullptr; }
  /// nullptr when it is absent, broken, empty or "?".
  const Node* get(const std::string& key);
  /// Notes what is missing.
  void require(const std::string& key, const std::string& fix);

  const Node* get_map(const std::string& key, const std::string& example);
  const Node* get_list(const std::string& key, const std::string& example);
  std::optional<std::string> get_text(const std::string& key);
  /// A name: see check_name().
  std::optional<std::string> get_name(const std::string& key);
  std::optional<bool> get_boolean(const std::string& key);
  std::optional<std::int64_t> get_count(const std::string& key, std::int64_t most);
  /// The index of the word that is there.
  std::optional<std::size_t> get_word(const std::string& key,
                                      const std::vector<std::string>& words);

  void wrong(const std::string& key, const std::string& what, const std::string& fix);

 private:
  const Node* find(const std::string& key) const;
  const Node* get_kind(const std::string& key, Node::Kind kind, const std::string& what,
                       const std::string& example);

  const Node& node_;
  int line_;
  std::string path_;
  std::map<std::string, std::string> given_as_;  ///< by today's name: the old one in the file
  Mistakes& mistakes_;
};

/// The texts of a list, or of a single one. Notes what is no text, and open "?".
std::vector<const Node*> texts_of(const Node& node, const std::string& path, Mistakes& mistakes);

/// A key as messages show it: in quotes if it has control characters or is long.
std::string shown(const std::string& key);

/// Names of tables, columns, namespaces and analysts: 1 to 63 bytes (what PostgreSQL's grammar
/// keeps), no control characters, no blanks at the ends. Notes the mistake.
bool check_name(const std::string& name, int line, const std::string& what, Mistakes& mistakes);

}  // namespace discreet::policy
