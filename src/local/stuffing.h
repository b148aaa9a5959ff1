// SPDX-License-Identifier: Apache-2.0
// What no crowd of honest people could have sent: reports that somebody made up.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "local/interval.h"

namespace discreet::local {

class Aggregate;

/// How often at most an honest crowd is accused.
inline constexpr double kFalseAlarm = 1e-9;

struct Stuffing {
  enum class Kind {
    kReports,  ///< more of them than may have been sent
    kShare,    ///< a choice's share is surely outside of [0, 1]
    kSum,      ///< the shares of all choices surely do not add up to 1
    kMean,     ///< the mean is surely outside of the range
  };
  Kind kind = Kind::kReports;
  std::string choice = {};    ///< kShare: which
  Bounds bounds = {};         ///< of the share, sum or mean
  std::uint64_t reports = 0;  ///< kReports: how many there are
  std::uint64_t most = 0;     ///< and may be
};

/// `most`: how many reports may have been sent (tokens, a quota), where that is known.
///
/// Theorem      If every report is the survey's randomizer run on some answer of its domain,
///              whatever the answers are, and there are at most `most`, the result is empty with
///              probability at least 1 - kFalseAlarm.
/// Proof        estimates.md, "Stuffing".
/// What it does not find: made-up reports that could have been honest people's. It does not look at
/// strings (bloom, tree) but for their number.
/// Checked by   stuffing_test: honest crowds of every mechanism, planted stuffing.
std::vector<Stuffing> find_stuffing(const Aggregate& aggregate,
                                    const std::optional<std::uint64_t>& most);

/// "impossible: stuffed. The share of 'yes' would be between 157 % and 159 %; ...".
std::string to_text(const Stuffing& found);

}  // namespace discreet::local
