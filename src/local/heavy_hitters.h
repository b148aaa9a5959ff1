// SPDX-License-Identifier: Apache-2.0
// Frequent strings that nobody listed: the prefix tree is walked from the root, keeping the
// prefixes that are surely there.
//
// Each person reports one prefix length (level), at random. A prefix's share is estimated from its
// level's reports alone, so what is kept at one level is tested on other people's reports at the
// next.
//
// Theorem     With probability at least 1 - beta over coins and cohorts' hash functions (taken to
//             be random) no prefix that nobody holds is kept, and the intervals of the last level
//             hold the true shares, all at once (estimates.md, "Prefixes").
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "local/interval.h"

namespace discreet::local {

class Aggregate;

struct HeavyHitter {
  std::string text;
  bool cut = false;  ///< the survey's length was reached: longer strings count as their beginnings
  double share = 0;
  Bounds all_bounds;
};

struct HeavyHitters {
  std::vector<HeavyHitter> strings;  ///< by share, largest first
  std::vector<std::size_t> tested;   ///< prefixes, level by level
  double threshold = 0;  ///< of the last level, for a prefix with a row of its own everywhere
};

/// Keeps at most `keep_max` prefixes a level, the most frequent.
/// Fails with: kInvalidInput without reports at every level, or for another mechanism.
Result<HeavyHitters> heavy_hitters(const Aggregate& aggregate, double beta,
                                   std::size_t keep_max = 256);

}  // namespace discreet::local
