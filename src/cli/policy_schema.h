// SPDX-License-Identifier: Apache-2.0
// The columns of a file, as the engine describes them.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/streams.h"
#include "policy/draft.h"

namespace discreet::cli {

/// Names and types, by DESCRIBE; no row is read. What the engine says is shown on streams.err.
/// Fails with: kInvalidInput, kNotFound, kEngine.
Result<std::vector<policy::SchemaColumn>> describe_source(const std::string& source,
                                                          const Streams& streams);

}  // namespace discreet::cli
