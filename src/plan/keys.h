// SPDX-License-Identifier: Apache-2.0
// Which groups there can be: all combinations of listed keys, or what is found privately.
#pragma once

#include <optional>
#include <vector>

#include "plan/plan.h"

namespace discreet::plan {

/// Keys that are known beforehand: all combinations in order, the last key running fastest. None:
/// they are found privately.
using ListedKeys = std::optional<std::vector<std::vector<Value>>>;

struct GroupKeys {
  std::vector<Shape> shapes;  ///< of each key
  ListedKeys listed;          ///< without keys: the one empty combination
};

/// Rows whose keys are not listed, or are NULL, are dropped before bounding; where keys are found
/// privately NULL is a key like any other and text is cut to its first 256 characters.
/// Fails with: what shape_of does; kRefused or kInvalidInput where keys must be found and cannot.
Result<GroupKeys> check_keys(const Plan& plan, const policy::Policy& policy,
                             const policy::Units& units);

}  // namespace discreet::plan
