// SPDX-License-Identifier: Apache-2.0
// Running a statement in Trino: its integers, unsealed. Only TrinoEngine::run and the tests call
// this; nothing outside of this folder sees what it returns before it is sealed.
#pragma once

#include "engine/trino/client.h"
#include "engine/trino/statement.h"
#include "mechanism/groups.h"

namespace discreet::engine::trino {

/// `measures`: how many steps the plan has. `told`: of the statement, also if it fails. Fails with: kEngine, kInterrupted; constant texts.
Result<mechanism::Groups> run_statement(Client& client, const Statement& statement,
                                        std::size_t measures, const OwnerLog& log,
                                        Told* told = nullptr);

}  // namespace discreet::engine::trino
