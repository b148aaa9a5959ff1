// SPDX-License-Identifier: Apache-2.0
// Surveys, reports and counts as people read them (JSON).
#pragma once

#include <string>

#include "local/aggregate.h"

namespace discreet::local {

std::string to_json(const Survey& survey);
/// Every report of a batch, with its parameters.
std::string to_json(const BatchFacts& facts);
std::string to_json(const Aggregate& aggregate);

}  // namespace discreet::local
