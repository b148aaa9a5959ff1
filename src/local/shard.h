// SPDX-License-Identifier: Apache-2.0
// Several collectors of one survey: each counts the reports whose id falls into its part, and no
// others, so that a report has one place wherever it is sent, and counts of different parts can be
// added up.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "local/client/report.h"

namespace discreet::local {

/// Part `index` of `count`; the only one by default.
struct Shard {
  std::uint32_t index = 1;
  std::uint32_t count = 1;

  /// Whether the record's id falls here: its first eight bytes, little end first, modulo count.
  bool holds(Bytes record) const;
  friend bool operator==(const Shard&, const Shard&) = default;
};

inline constexpr std::uint32_t kShardsMax = 65'536;

/// "2/8". Fails with: kInvalidInput.
Result<Shard> parse_shard(std::string_view text);
std::string to_string(const Shard& shard);

}  // namespace discreet::local
