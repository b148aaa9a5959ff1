// SPDX-License-Identifier: Apache-2.0
// Shares of a price that make an error small.
#pragma once

#include <functional>
#include <vector>

namespace discreet::publish {

/// From `start`, which adds up to 1: one share after the other is raised or lowered, the others in
/// proportion, as long as the error falls, by factors from 2 down to `finest`.
std::vector<double> descend(std::vector<double> start, double finest,
                            const std::function<double(const std::vector<double>&)>& error);

}  // namespace discreet::publish
