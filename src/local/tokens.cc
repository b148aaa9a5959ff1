// SPDX-License-Identifier: Apache-2.0
#include "local/tokens.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <optional>

#include "ledger/seal.h"
#include "random/system_bits.h"

namespace discreet::local {
namespace {

std::string hex_of(const std::array<std::uint8_t, 16>& bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (const std::uint8_t byte : bytes) {
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
  return out;
}

std::optional<std::array<std::uint8_t, 16>> from_hex(std::string_view text) {
  std::array<std::uint8_t, 16> out{};
  if (text.size() != 2 * out.size()) return std::nullopt;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool is_digit = c >= '0' && c <= '9';
    const bool is_letter = c >= 'a' && c <= 'f';
    if (!is_digit && !is_letter) return std::nullopt;
    const auto half = static_cast<std::uint8_t>(is_digit ? c - '0' : c - 'a' + 10);
    out[i / 2] = static_cast<std::uint8_t>(out[i / 2] << 4 | half);
  }
  return out;
}

std::string title_of(std::uint64_t survey) {
  char text[17];
  std::snprintf(text, sizeof(text), "%016llx", static_cast<unsigned long long>(survey));
  return "tokens of survey " + std::string(text);
}

}  // namespace

std::string token_text(const ReportId& token) { return hex_of(token); }

Result<ReportId> parse_token(std::string_view text) {
  const auto token = from_hex(text);
  if (token) return *token;
  return invalid_input(
      "a token is 32 digits from 0 to 9 and a to f, as discreet local tokens "
      "writes it");
}

Result<std::vector<ReportId>> make_tokens(std::size_t count) {
  if (count > kTokensMax) {
    return invalid_input("a survey has at most " + std::to_string(kTokensMax) + " tokens");
  }
  DISCREET_ASSIGN(random::SystemBits* const bits, random::SystemBits::this_thread());
  std::vector<ReportId> out(count);
  for (ReportId& token : out) {
    for (const std::size_t at : {std::size_t{0}, std::size_t{8}}) {
      const std::uint64_t word = bits->take(64);
      std::memcpy(token.data() + at, &word, 8);
    }
  }
  if (!bits->healthy())
    return Error{Code::kNoEntropy, "the random source failed; no token was made"};
  return out;
}

TokenList::Hash16 TokenList::hash_of(std::uint64_t survey, Bytes id) {
  const std::string text =
      title_of(survey) + "\n" + std::string(reinterpret_cast<const char*>(id.data()), kIdBytes);
  const Hash hash = ledger::sha256(text);
  Hash16 out{};
  std::copy_n(hash.begin(), out.size(), out.begin());
  return out;
}

std::string TokenList::write(const Survey& survey, const std::vector<ReportId>& tokens) {
  const std::uint64_t about = fingerprint(survey);
  std::string out = title_of(about) + "\n";
  for (const ReportId& token : tokens) out += hex_of(hash_of(about, token)) + "\n";
  return out;
}

Result<TokenList> TokenList::parse(const Survey& survey, std::string_view text) {
  TokenList out;
  out.survey_ = fingerprint(survey);
  const std::string title = title_of(out.survey_) + "\n";
  if (!text.starts_with("tokens of survey ")) {
    return invalid_input("this is no list of tokens; discreet local tokens writes one");
  }
  if (!text.starts_with(title)) {
    return Error{Code::kConflict, "these are another survey's tokens; make a list for this one"};
  }
  text.remove_prefix(title.size());
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const auto hash = from_hex(text.substr(0, end));
    if (!hash || out.hashes_.size() == kTokensMax) {
      return invalid_input("line " + std::to_string(out.hashes_.size() + 2) +
                           " of the list of tokens is damaged, or one too many; make it again");
    }
    out.hashes_.push_back(*hash);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  std::sort(out.hashes_.begin(), out.hashes_.end());
  out.hashes_.erase(std::unique(out.hashes_.begin(), out.hashes_.end()), out.hashes_.end());
  return out;
}

bool TokenList::holds(Bytes id) const {
  return std::binary_search(hashes_.begin(), hashes_.end(), hash_of(survey_, id));
}

}  // namespace discreet::local
