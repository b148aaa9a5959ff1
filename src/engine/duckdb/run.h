// SPDX-License-Identifier: Apache-2.0
// Running a lowered plan: its integers, unsealed. Only DuckDbEngine::run and the tests call this;
// nothing outside of this folder sees what it returns before it is sealed.
#pragma once

#include "engine/duckdb/connection.h"
#include "engine/duckdb/lower_plan.h"
#include "engine/keyed_hash.h"
#include "mechanism/groups.h"

namespace discreet::engine::duckdb {

/// `measures`: how many steps the plan has. Fails with: kEngine, kInterrupted; constant texts.
Result<mechanism::Groups> run_lowered(Connection& connection, const LoweredPlan& lowered,
                                      std::size_t measures, const Secret& secret,
                                      const OwnerLog& log);

}  // namespace discreet::engine::duckdb
