// SPDX-License-Identifier: Apache-2.0
// One-time tokens of a survey. A token is the id that its report will carry: sixteen random bytes,
// which the owner gives to one person. The collector keeps hashes of them, so its list lets nobody
// report, and counts a report only if its id is listed; ids count once (C2), so tokens do.
//
// A token tells whoever handed it out which report is whose. The answer in it is randomized at home
// all the same, and that is what protects it.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "local/client/report.h"

namespace discreet::local {

inline constexpr std::size_t kTokensMax = 10'000'000;

/// 32 hexadecimal digits.
std::string token_text(const ReportId& token);
/// Fails with: kInvalidInput.
Result<ReportId> parse_token(std::string_view text);

/// Fails with: kInvalidInput beyond kTokensMax; kNoEntropy.
Result<std::vector<ReportId>> make_tokens(std::size_t count);

/// What a collector is given of a survey's tokens.
class TokenList {
 public:
  /// A file: a line that names the survey, then a line a token.
  static std::string write(const Survey& survey, const std::vector<ReportId>& tokens);
  /// Fails with: kInvalidInput; kConflict for another survey's list.
  static Result<TokenList> parse(const Survey& survey, std::string_view text);

  bool holds(Bytes id) const;
  std::size_t size() const { return hashes_.size(); }

 private:
  using Hash16 = std::array<std::uint8_t, 16>;
  static Hash16 hash_of(std::uint64_t survey, Bytes id);

  std::uint64_t survey_ = 0;
  std::vector<Hash16> hashes_;  // sorted
};

}  // namespace discreet::local
