// SPDX-License-Identifier: Apache-2.0
// Public names that are on their way out: one closed table, and what a reader of names does with
// it. An old name works for two minor versions, warns once, and is listed in docs/deprecations.md;
// a test fails when the version is reached in which it goes (cli/deprecations_test.cc).
//
//   OldNames old_names(NameKind::kField);
//   const std::string name = old_names.current(given, known);  // "eps" -> "epsilon"
//   for (const std::string& sentence : old_names.take_warnings()) warn(sentence);
//
// Invariant  A warning depends on the names that this reader was given, and on nothing else. So
//            there is one OldNames for each command line, reading of a policy, request and
//            connection. One for the whole server would tell an analyst by its silence that
//            another had used the name before.
#pragma once

#include <compare>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace discreet {

struct Version {
  int major = 0;
  int minor = 0;

  /// "0.9" and "0.9.3", which are the same here. None: it is not a version.
  static std::optional<Version> parse(std::string_view text);
  std::string to_string() const;
  friend auto operator<=>(const Version&, const Version&) = default;
};

enum class NameKind {
  kOption,     ///< --name, of a command
  kField,      ///< of a JSON body
  kPolicyKey,  ///< of a map in a policy
  kSetting,    ///< SET discreet.name
  kRoute,      ///< "GET /api/v1/name", with parameters in braces
  kFunction,   ///< of the Python package; see python/discreet/deprecated.py
};
/// As docs/deprecations.md writes it: "option", "policy key".
std::string_view to_string(NameKind kind);

struct Deprecated {
  NameKind kind;
  std::string_view old_name;
  std::string_view new_name;
  Version since;  ///< the first version that warns
  Version gone;   ///< the first version that does not know the old name
};

using Deprecations = std::span<const Deprecated>;
/// The table. Tests hand in others.
Deprecations deprecations();

/// nullptr: it is not an old name.
const Deprecated* find_deprecated(NameKind kind, std::string_view name,
                                  Deprecations table = deprecations());

/// "'--eps' is deprecated since version 0.10 and goes in 0.12; use '--epsilon'"
std::string to_sentence(const Deprecated& entry);

/// What one reader was given under old names.
class OldNames {
 public:
  explicit OldNames(NameKind kind, Deprecations table = deprecations())
      : kind_(kind), table_(table) {}

  /// What `name` is called today among the names that are `known` in this place: an old name only
  /// stands for a new one where the new one is known and the old one is not, so that the same word
  /// can mean something else elsewhere. A name that is neither comes back as it is. Notes the
  /// warning.
  std::string current(std::string_view name, const std::vector<std::string>& known);
  /// What has not been taken yet. A sentence comes once.
  std::vector<std::string> take_warnings();

 private:
  NameKind kind_;
  Deprecations table_;
  std::set<std::string, std::less<>> warned_;
  std::vector<std::string> warnings_;
};

}  // namespace discreet
