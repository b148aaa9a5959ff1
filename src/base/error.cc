// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"

#include <array>
#include <cstddef>

#include "base/check.h"

namespace discreet {
namespace {

constexpr std::array<CodeFacts, 12> kFacts = {{
    {Code::kInvalidInput, "invalid_input", 2, 400, "22023", "ValueError"},
    {Code::kNotFound, "not_found", 2, 404, "42704", "LookupError"},
    {Code::kUnsupported, "unsupported", 2, 422, "0A000", "NotImplementedError"},
    {Code::kConflict, "conflict", 2, 409, "23505", "ConflictError"},
    {Code::kRefused, "refused", 3, 403, "42501", "PermissionError"},
    {Code::kBudget, "budget", 4, 402, "53400", "BudgetError"},
    {Code::kNoEntropy, "no_entropy", 5, 503, "58000", "EntropyError"},
    {Code::kStorage, "storage", 5, 503, "58030", "OSError"},
    {Code::kCorrupt, "corrupt", 5, 503, "XX001", "CorruptError"},
    {Code::kEngine, "engine", 5, 502, "58000", "EngineError"},
    {Code::kInterrupted, "interrupted", 130, 503, "57014", "InterruptedError"},
    {Code::kBug, "bug", 70, 500, "XX000", "RuntimeError"},
}};

constexpr std::size_t kQuotedMax = 40;

}  // namespace

const CodeFacts& describe(Code code) {
  const auto& facts = kFacts[static_cast<std::size_t>(code)];
  DISCREET_CHECK(facts.code == code);
  return facts;
}

std::span<const CodeFacts> all_codes() { return kFacts; }

std::string in_quotes(std::string_view text) {
  std::string out = "'";
  for (char c : text.substr(0, kQuotedMax)) {
    const auto byte = static_cast<unsigned char>(c);
    out += (byte < 0x20 || byte == 0x7f) ? '?' : c;
  }
  // A cut must not leave half a UTF-8 character behind.
  if (text.size() > kQuotedMax) {
    while (out.size() > 1 && (static_cast<unsigned char>(out.back()) & 0xC0) == 0x80)
      out.pop_back();
    if (out.size() > 1 && static_cast<unsigned char>(out.back()) >= 0xC0) out.pop_back();
    out += "...";
  }
  return out + "'";
}

}  // namespace discreet
