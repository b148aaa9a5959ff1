// SPDX-License-Identifier: Apache-2.0
// What GET /v1/estimate shows: shares of choices, or the mean of numbers, with intervals.
#pragma once

#include <string>

#include "base/result.h"
#include "local/report.h"

namespace discreet::server::collect {

/// At 95 % confidence. Unbiased, so a share may lie outside [0, 1].
/// Fails with: kInvalidInput while there is no report; kUnsupported for strings, which are decoded
/// against candidates by `discreet local estimate`.
Result<std::string> estimate_json(const local::Aggregate& aggregate);

}  // namespace discreet::server::collect
