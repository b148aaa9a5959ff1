// SPDX-License-Identifier: Apache-2.0
#include "ledger/use.h"

#include <array>
#include <charconv>
#include <limits>

namespace discreet::ledger {
namespace {

struct Word {
  UseKind kind;
  std::string_view text;
  bool is_numbered;
};
constexpr std::array kWords = {
    Word{UseKind::kTry, "try ", true}, Word{UseKind::kPart, "part ", true},
    Word{UseKind::kEnd, "end ", false}, Word{UseKind::kAnswer, "answer ", false}};

std::optional<std::uint64_t> number_in(std::string_view text) {
  if (text.empty() || text.find_first_not_of("0123456789") != text.npos) return std::nullopt;
  std::uint64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  return read.ec == std::errc() ? number : std::numeric_limits<std::uint64_t>::max();
}

}  // namespace

std::string to_id(const Use& use) {
  for (const Word& word : kWords) {
    if (word.kind != use.kind) continue;
    return std::string(word.text) + (word.is_numbered ? std::to_string(use.number) + " " : "") +
           "of " + std::to_string(use.of);
  }
  return "";
}

std::optional<Use> parse_use(std::string_view id) {
  const std::size_t of = id.rfind("of ");
  if (of == id.npos) return std::nullopt;
  const auto payment = number_in(id.substr(of + 3));
  if (!payment) return std::nullopt;
  const std::string_view before = id.substr(0, of);
  for (const Word& word : kWords) {
    if (!before.starts_with(word.text)) continue;
    std::string_view rest = before.substr(word.text.size());
    if (!word.is_numbered) {
      if (rest.empty()) return Use{word.kind, 0, *payment};
      continue;
    }
    if (!rest.ends_with(' ')) continue;
    rest.remove_suffix(1);
    if (const auto number = number_in(rest)) return Use{word.kind, *number, *payment};
  }
  return std::nullopt;
}

}  // namespace discreet::ledger
