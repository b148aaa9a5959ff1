// SPDX-License-Identifier: Apache-2.0
// Running a lowered plan: its integers, unsealed. Only DuckDbEngine::run and the tests call this;
// nothing outside of this folder sees what it returns before it is sealed.
#pragma once

#include "engine/duckdb/connection.h"
#include "engine/keyed_hash.h"
#include "engine/lowering/plan.h"
#include "mechanism/groups.h"

namespace discreet::engine::duckdb {

/// `measures`: how many steps the plan has. Fails with: kEngine, kInterrupted; constant texts.
Result<mechanism::Groups> run_lowered(Connection& connection, const lowering::LoweredPlan& lowered,
                                      std::size_t measures, const Secret& secret,
                                      const OwnerLog& log);

/// The kept rows of a question that learns, unsealed; as above. `with_names`: and the units' hashes
/// under the secret.
Result<mechanism::UnitRows> run_rows(Connection& connection, const lowering::BoundedRun& run,
                                     const Secret& secret, bool with_names, const OwnerLog& log);

}  // namespace discreet::engine::duckdb
