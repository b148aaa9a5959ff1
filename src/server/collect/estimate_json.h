// SPDX-License-Identifier: Apache-2.0
// What GET /v1/estimate shows: shares of choices, or the mean of numbers, with intervals.
#pragma once

#include <string>

#include "base/result.h"
#include "server/collect/collector.h"

namespace discreet::server::collect {

/// At 95 % confidence. Unbiased, so a share may lie outside [0, 1]. `stuffed` has a sentence for
/// each reason why these cannot be honest people's reports (local/stuffing.h), and `trusted` is
/// false if there is one.
/// Fails with: kInvalidInput while there is no report; kUnsupported for strings, which are decoded
/// against candidates by `discreet local estimate`.
Result<std::string> estimate_json(const Collector& collector);

}  // namespace discreet::server::collect
