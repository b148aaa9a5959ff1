// SPDX-License-Identifier: Apache-2.0
// Many draws as lines of text, as fast as they can be drawn.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "base/result.h"
#include "numeric/int128.h"

namespace discreet::cli {

/// How a draw becomes a line: held inside [low, high], times `factor`, with a point before the last
/// `decimals` digits. On a grid of step 0.25 the factor is 25 and there are 2 decimals.
struct LineForm {
  std::int64_t low = std::numeric_limits<std::int64_t>::min();
  std::int64_t high = std::numeric_limits<std::int64_t>::max();
  std::int64_t factor = 1;
  int decimals = 0;  ///< at most 18
};

/// So many draws are made at once: enough to fill blocks, few enough to stay in the cache.
inline constexpr std::size_t kDrawsAtOnce = 1 << 14;

/// Gives that many further draws.
using DrawBlock = std::function<Result<std::vector<std::int64_t>>(std::size_t)>;

/// Writes `count` draws to `fd`, one a line.
Result<void> write_draws(int fd, std::uint64_t count, const DrawBlock& draw, const LineForm& form);

/// A line holds at most this many characters, its end included.
inline constexpr std::size_t kLineMax = 48;

/// Writes one line at `out`, which has kLineMax characters of room; the end of what was written.
char* put_line(char* out, std::int64_t draw, const LineForm& form);

}  // namespace discreet::cli
