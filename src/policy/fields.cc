// SPDX-License-Identifier: Apache-2.0
#include "policy/fields.h"

#include <algorithm>
#include <utility>

#include "base/suggest.h"

namespace discreet::policy {
namespace {

using Kind = Node::Kind;

constexpr std::size_t kNameBytesMax = 63;

std::string kind_text(Kind kind) {
  switch (kind) {
    case Kind::kList:
      return "a list";
    case Kind::kMap:
      return "a map";
    case Kind::kNull:
      return "empty";
    default:
      return "a text";
  }
}

bool has_control(const std::string& text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

bool passes(const Node* node) { return node == nullptr || node->is(Kind::kBroken); }

/// Facts about the data's values must not be read off it; the others are for the owner to say.
void note_open(const Node& node, const std::string& path, Mistakes& mistakes) {
  const bool of_values = path.ends_with(".range") || path.ends_with(".values");
  mistakes.add(node.line, path + " is still ?",
               of_values ? "declare it from what is publicly known, never from what occurs in the "
                           "data"
                         : "declare it: write it in place of the ?");
}

}  // namespace

void Mistakes::add(int line, const std::string& where, const Error& error) {
  const std::size_t cut = error.message.find("; ");
  const std::string fix = cut == std::string::npos ? "correct it" : error.message.substr(cut + 2);
  add(line, where + ": " + error.message.substr(0, cut), fix);
}

std::vector<Mistake> Mistakes::take() {
  std::stable_sort(all_.begin(), all_.end(),
                   [](const Mistake& a, const Mistake& b) { return a.line < b.line; });
  return std::exchange(all_, {});
}

Fields::Fields(const Node& node, std::string path, std::vector<std::string> known,
               Mistakes& mistakes)
    : node_(node),
      line_(node.key_line > 0 ? node.key_line : node.line),
      path_(std::move(path)),
      mistakes_(mistakes) {
  if (node.is(Kind::kBroken)) return;
  if (node.is_open()) {
    note_open(node, path_, mistakes_);
    return;
  }
  if (!node.is(Kind::kMap)) {
    mistakes_.add(
        line_,
        (path_.empty() ? "the policy" : path_) + " is " + kind_text(node.kind) + ", not a map",
        "its keys are " + one_of(known));
    return;
  }
  for (const Node& child : node.children) {
    if (std::find(known.begin(), known.end(), child.key) != known.end()) continue;
    const std::string today = mistakes_.old_keys.current(child.key, known);
    if (today != child.key) {
      const bool is_first =
          node.find(today) == nullptr && given_as_.emplace(today, child.key).second;
      if (is_first) continue;
      mistakes_.add(child.key_line,
                    path_of(child.key) + " is the old name of " + today + ", which is there too",
                    "keep " + today);
      continue;
    }
    mistakes_.add(child.key_line,
                  "unknown key " + in_quotes(child.key) + (path_.empty() ? "" : " in " + path_) +
                      did_you_mean(child.key, known),
                  "the keys here are " + one_of(known));
  }
}

std::string Fields::path_of(const std::string& key) const {
  return path_.empty() ? key : path_ + "." + key;
}

const Node* Fields::find(const std::string& key) const {
  const auto old = given_as_.find(key);
  return node_.find(old == given_as_.end() ? key : old->second);
}

int Fields::line_of(const std::string& key) const {
  const Node* node = find(key);
  return node == nullptr ? line_ : node->line;
}

const Node* Fields::get(const std::string& key) {
  const Node* node = find(key);
  if (passes(node)) return nullptr;
  if (node->is_open()) {
    note_open(*node, path_of(key), mistakes_);
    return nullptr;
  }
  if (node->is(Kind::kNull)) {
    mistakes_.add(node->key_line, path_of(key) + " is empty", "give it a value, or remove it");
    return nullptr;
  }
  return node;
}

void Fields::require(const std::string& key, const std::string& fix) {
  if (!node_.is(Kind::kMap) || has(key)) return;
  mistakes_.add(line_, (path_.empty() ? "the policy" : path_) + " has no " + key, fix);
}

void Fields::wrong(const std::string& key, const std::string& what, const std::string& fix) {
  mistakes_.add(line_of(key), path_of(key) + " " + what, fix);
}

const Node* Fields::get_kind(const std::string& key, Kind kind, const std::string& what,
                             const std::string& example) {
  const Node* node = get(key);
  if (node == nullptr || node->is(kind)) return node;
  wrong(key, "is " + kind_text(node->kind) + ", not " + what, "for example: " + example);
  return nullptr;
}

const Node* Fields::get_map(const std::string& key, const std::string& example) {
  return get_kind(key, Kind::kMap, "a map", example);
}

const Node* Fields::get_list(const std::string& key, const std::string& example) {
  return get_kind(key, Kind::kList, "a list", example);
}

std::optional<std::string> Fields::get_text(const std::string& key) {
  const Node* node = get_kind(key, Kind::kScalar, "a text", key + ": text");
  if (node == nullptr) return std::nullopt;
  if (node->text.empty()) {
    wrong(key, "is empty", "give it a value, or remove it");
    return std::nullopt;
  }
  return node->text;
}

std::optional<std::string> Fields::get_name(const std::string& key) {
  auto text = get_text(key);
  if (text && !check_name(*text, line_of(key), path_of(key), mistakes_)) return std::nullopt;
  return text;
}

std::optional<bool> Fields::get_boolean(const std::string& key) {
  const auto text = get_text(key);
  if (!text) return std::nullopt;
  if (*text == "true" || *text == "false") return *text == "true";
  wrong(key, "is " + in_quotes(*text), "write true or false");
  return std::nullopt;
}

std::optional<std::int64_t> Fields::get_count(const std::string& key, std::int64_t most) {
  const auto text = get_text(key);
  if (!text) return std::nullopt;
  const auto number = Rational::parse(*text);
  if (number && number->denominator() == 1 && *number >= Rational(1) && *number <= Rational(most)) {
    return number->numerator().get_si();
  }
  wrong(key, "is " + in_quotes(*text), "write a whole number from 1 to " + std::to_string(most));
  return std::nullopt;
}

std::optional<std::size_t> Fields::get_word(const std::string& key,
                                            const std::vector<std::string>& words) {
  const auto text = get_text(key);
  if (!text) return std::nullopt;
  const auto found = std::find(words.begin(), words.end(), *text);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  wrong(key, "is " + in_quotes(*text) + did_you_mean(*text, words), "write " + one_of(words));
  return std::nullopt;
}

std::vector<const Node*> texts_of(const Node& node, const std::string& path, Mistakes& mistakes) {
  std::vector<const Node*> out;
  const auto take = [&](const Node& item) {
    if (item.is_open()) return note_open(item, path, mistakes);
    if (item.is(Kind::kScalar)) return out.push_back(&item);
    if (item.is(Kind::kBroken)) return;
    mistakes.add(item.line,
                 path + " holds " + (item.is(Kind::kNull) ? "NULL" : kind_text(item.kind)),
                 "its entries are plain values; quote a text such as \"null\"");
  };
  if (node.is(Kind::kList)) {
    for (const Node& item : node.children) take(item);
  } else {
    take(node);
  }
  return out;
}

std::string shown(const std::string& key) {
  return key.empty() || key.size() > kNameBytesMax || has_control(key) ? in_quotes(key) : key;
}

bool check_name(const std::string& name, int line, const std::string& what, Mistakes& mistakes) {
  if (name.empty() || name.size() > kNameBytesMax) {
    mistakes.add(line, what + " is a name of " + std::to_string(name.size()) + " bytes",
                 "SQL keeps names of 1 to 63 bytes; rename it, in a view if need be");
    return false;
  }
  if (name == "?") {
    mistakes.add(line, what + " is named ?, as drafts name what is left open", "rename it");
    return false;
  }
  if (has_control(name) || name.front() == ' ' || name.back() == ' ') {
    mistakes.add(line,
                 what + ": " + in_quotes(name) + " has control characters or blanks at its ends",
                 "rename it");
    return false;
  }
  return true;
}

}  // namespace discreet::policy
