// SPDX-License-Identifier: Apache-2.0
// A workload to start from, made of a policy's own columns.
#pragma once

#include <string>

#include "policy/policy.h"

namespace discreet::publish {

/// YAML; empty where no table has a column that a workload can use.
/// Promise: read_workload() takes it, and so does design() if any of the policy's namespaces counts
/// in zcdp.
std::string example_workload(const policy::Policy& policy);

}  // namespace discreet::publish
