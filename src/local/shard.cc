// SPDX-License-Identifier: Apache-2.0
#include "local/shard.h"

#include <charconv>

#include "base/check.h"

namespace discreet::local {

bool Shard::holds(Bytes record) const {
  DISCREET_CHECK(record.size() >= sizeof(std::uint64_t));
  std::uint64_t id = 0;
  for (std::size_t i = sizeof id; i-- > 0;) id = id << 8 | record[i];
  return id % count == index - 1;
}

Result<Shard> parse_shard(std::string_view text) {
  Shard shard;
  const char* const end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, shard.index);
  const bool split = first.ec == std::errc{} && first.ptr != end && *first.ptr == '/';
  const auto second =
      split ? std::from_chars(first.ptr + 1, end, shard.count) : std::from_chars_result{};
  if (!split || second.ec != std::errc{} || second.ptr != end || shard.count > kShardsMax ||
      shard.index < 1 || shard.index > shard.count) {
    return invalid_input("--shard " + std::string(text) +
                         " is no part of a whole; write 2/8 for the second of eight (at most " +
                         std::to_string(kShardsMax) + ")");
  }
  return shard;
}

std::string to_string(const Shard& shard) {
  return std::to_string(shard.index) + "/" + std::to_string(shard.count);
}

}  // namespace discreet::local
