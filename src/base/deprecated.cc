// SPDX-License-Identifier: Apache-2.0
#include "base/deprecated.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "base/error.h"

namespace discreet {
namespace {

// kind, old name, new name, since, gone. In this order in docs/deprecations.md too.
constexpr std::array<Deprecated, 0> kDeprecations = {};

/// The number before the next dot or the end, which are taken away with it.
std::optional<int> take_number(std::string_view& text) {
  constexpr std::size_t kDigitsMax = 6;
  const std::string_view digits = text.substr(0, text.find('.'));
  int number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool is_number = error == std::errc() && end == digits.data() + digits.size();
  if (!is_number || digits.size() > kDigitsMax || digits.front() == '-') return std::nullopt;
  text.remove_prefix(std::min(digits.size() + 1, text.size()));
  return number;
}

}  // namespace

std::optional<Version> Version::parse(std::string_view text) {
  if (text.ends_with('.')) return std::nullopt;
  const std::optional<int> major = take_number(text);
  const std::optional<int> minor = take_number(text);
  if (!major || !minor) return std::nullopt;
  if (!text.empty() && (!take_number(text) || !text.empty())) return std::nullopt;
  return Version{*major, *minor};
}

std::string Version::to_string() const {
  return std::to_string(major) + "." + std::to_string(minor);
}

std::string_view to_string(NameKind kind) {
  switch (kind) {
    case NameKind::kOption:
      return "option";
    case NameKind::kField:
      return "field";
    case NameKind::kPolicyKey:
      return "policy key";
    case NameKind::kSetting:
      return "setting";
    case NameKind::kRoute:
      return "route";
    case NameKind::kFunction:
      return "function";
  }
  return "";
}

Deprecations deprecations() { return kDeprecations; }

const Deprecated* find_deprecated(NameKind kind, std::string_view name, Deprecations table) {
  const auto found = std::find_if(table.begin(), table.end(), [&](const Deprecated& entry) {
    return entry.kind == kind && entry.old_name == name;
  });
  return found == table.end() ? nullptr : &*found;
}

std::string to_sentence(const Deprecated& entry) {
  return in_quotes(entry.old_name) + " is deprecated since version " + entry.since.to_string() +
         " and goes in " + entry.gone.to_string() + "; use " + in_quotes(entry.new_name);
}

std::string OldNames::current(std::string_view name, const std::vector<std::string>& known) {
  const auto is_known = [&](std::string_view one) {
    return std::find(known.begin(), known.end(), one) != known.end();
  };
  if (is_known(name)) return std::string(name);
  const Deprecated* const entry = find_deprecated(kind_, name, table_);
  if (entry == nullptr || !is_known(entry->new_name)) return std::string(name);
  if (warned_.insert(std::string(name)).second) warnings_.push_back(to_sentence(*entry));
  return std::string(entry->new_name);
}

std::vector<std::string> OldNames::take_warnings() { return std::exchange(warnings_, {}); }

}  // namespace discreet
