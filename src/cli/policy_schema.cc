// SPDX-License-Identifier: Apache-2.0
#include "cli/policy_schema.h"

#include "cli/asking.h"
#include "engine/open.h"

namespace discreet::cli {

Result<std::vector<policy::SchemaColumn>> describe_source(const std::string& source,
                                                          const Streams& streams) {
  const engine::OwnerLog log{.say = engine_says(streams), .progress = {}};
  return engine::describe_source(source, ".", log);
}

}  // namespace discreet::cli
