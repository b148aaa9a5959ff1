// SPDX-License-Identifier: Apache-2.0
#include "engine/engine.h"

#include "base/suggest.h"
#include "engine/keyed_hash.h"

namespace discreet::engine {

Result<void> check_ready(Engine& engine, const plan::Checked& checked, const OwnerLog& log) {
  DISCREET_TRY(Secret::fresh());
  const Result<void> ready = engine.ready(checked, log);
  if (ready || ready.error().code != Code::kEngine) return ready;
  if (log.say) log.say(ready.error().message);
  return Error{Code::kEngine,
               "the data cannot be reached now; nothing was charged, and the owner's log has the "
               "reason. Ask again later"};
}

Error interrupted() {
  return {Code::kInterrupted,
          "stopped before the end; nothing was released, and what was charged stays charged"};
}

Result<void> Engine::check_public(const policy::Policy& policy, const std::string& table) {
  const policy::Table* const declared = policy.find(table);
  if (declared != nullptr && declared->is_public()) return {};
  return Error{Code::kRefused, in_quotes(table) + " is no public table"};
}

Result<void> Engine::check_listed(std::size_t count, const std::string& table,
                                  const std::string& column, std::size_t most) {
  if (count <= most) return {};
  return invalid_input("column " + in_quotes(column) + " of public table " + in_quotes(table) +
                       " has more than " + std::to_string(most) + " values; list fewer keys");
}

Result<void> Engine::ready(const plan::Checked&, const OwnerLog&) { return {}; }

Result<std::vector<std::string>> Engine::repeated_keys(const policy::Policy&, const OwnerLog&) {
  return Error{Code::kUnsupported, "this engine cannot check whether keys are unique"};
}

Result<Sensitive<mechanism::UnitRows>> Engine::read_rows(const plan::CheckedRows&,
                                                         const random::Secret*, const OwnerLog&) {
  return Error{Code::kUnsupported, "this engine cannot learn; export the rows to a file first"};
}

}  // namespace discreet::engine
