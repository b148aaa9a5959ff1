// SPDX-License-Identifier: Apache-2.0
// Questions to start from, made of a policy's own columns.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "policy/policy.h"

namespace discreet::sql {

/// At most `most` questions, those about counts first, with one about every column that can be
/// asked about.
/// Promise: bind() and the checker take each of them at epsilon 0.1, without a delta, and none has
/// more than 40 listed groups.
std::vector<std::string> examples(const policy::Policy& policy, std::size_t most);

}  // namespace discreet::sql
